{% macro log_run_summary(results) %}
    {#- The end of a run's output: what became of each table, what needs attention first. -#}
    {% set tables = {} %}
    {% for result in results if execute %}
        {% set node = result.node %}
        {% if node.resource_type == "model" and node.config.materialized in ["dms_staging", "dms_snapshot"] %}
            {% set table = node.config.meta.dms %}
            {% set label = table.source_name ~ "." ~ table.table_name %}
            {% set state = _table_state(result) %}
            {#- Staging comes first in the results; if it fails, that is what to tell. -#}
            {% if tables.get(label, {}).get("state") != "failed" %}
                {% do tables.update({label: {"state": state, "about": _table_about(result, state)}}) %}
            {% endif %}
        {% endif %}
    {% endfor %}
    {% if not tables %}{% do return("") %}{% endif %}

    {% do log("", info=true) %}
    {% for state in ["failed", "skipped", "published"] %}
        {% for label, table in tables | dictsort if table.state == state %}
            {% do log(state ~ "  " ~ label ~ ": " ~ table.about.removeprefix(label ~ ": "), info=true) %}
        {% endfor %}
    {% endfor %}
    {% set counts = [] %}
    {% for state in ["failed", "skipped", "published", "unchanged", "not active"] %}
        {% set count = tables.values() | selectattr("state", "equalto", state) | list | length %}
        {% if count %}{% do counts.append(count ~ " " ~ state) %}{% endif %}
    {% endfor %}
    {% do log("Tables of " ~ run_date() ~ ": " ~ counts | join(", ") ~ ".", info=true) %}
    {% if tables.values() | selectattr("state", "in", ["failed", "skipped"]) | list %}
        {% do log(
            "What failed keeps its last published state. Mend the cause and run the same command again; dbt retry is enough where no file was replaced.",
            info=true
        ) %}
    {% endif %}
    {% do log("As a page and as JSON: python -m pyspark_dms report", info=true) %}
    {% do return("") %}
{% endmacro %}
