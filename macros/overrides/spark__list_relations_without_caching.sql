{% macro spark__list_relations_without_caching(relation) %}
    {% if invocation_args_dict.which == "generate" %}
        {#- Without temporary views, which belong to no schema: dbt's catalog fails on them. -#}
        {% do return(
            run_query("show table extended in " ~ relation.schema ~ " like '*'").rows | rejectattr(2) | list
        ) %}
    {% endif %}
    {% set ours, rows, others = dict.fromkeys(dms_snapshots.own_tables(relation.schema)), [], [] %}
    {% for schema, name, is_temporary in run_query("show tables in " ~ relation.schema).rows if not is_temporary %}
        {% if name | lower in ours %}
            {% do rows.append([schema, name, is_temporary, "Provider: parquet"]) %}
        {% else %}
            {% do others.append(name) %}
        {% endif %}
    {% endfor %}
    {% if others %}
        {% do rows.extend(
            run_query("show table extended in " ~ relation.schema ~ " like " ~ dms_snapshots.sql_string(
                others | join("|")
            )).rows | rejectattr(2)
        ) %}
    {% endif %}
    {% do return(rows) %}
{% endmacro %}
