{% macro unless_passed(relation, statement, also="") %}
    {% set dms = dms_snapshots.tested_table(relation) if execute else {} %}
    {% set known = dms_snapshots.index_node().get("tests", {}).get(
        dms.source_name ~ "." ~ dms.table_name
    ) if execute else none %}
    {% if not known %}{% do return(statement ~ also) %}{% endif %}
    {#- All that it asks: another release of this project, or a stricter limit, asks more. -#}
    {% set asked = [statement] %}
    {% for key in ["severity", "warn_if", "error_if", "fail_calc", "limit"] %}
        {% do asked.append(model.config.get(key)) %}
    {% endfor %}
    {% set test = model.name ~ " " ~ local_md5(tojson(asked)) %}
    {% if test in known.passed %}
        {% do known.not_run.append(test) %}
        {% do return(dms_snapshots.no_failing_rows_sql()) %}
    {% endif %}
    {% do known.run.update({model.unique_id: test}) %}
    {% do return(statement ~ also) %}
{% endmacro %}
