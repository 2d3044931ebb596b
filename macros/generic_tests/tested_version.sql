{% macro tested_version(model) %}
    {% set table, known = dms_snapshots.tested_table(model), dms_snapshots.index_node().get("tested", {}) %}
    {% set label = table.source_name ~ "." ~ table.table_name %}
    {#- In dbt build a table may have been published since another test has asked. -#}
    {% if label not in known %}
        {% set known = dms_snapshots.ask_versions("tested", {"tables": [label]})
            if dms_snapshots.log_exists("snapshot_versions") else {label: {}} %}
    {% endif %}
    {% if known[label].error %}{% do dms_snapshots.fail_with([known[label].error]) %}{% endif %}
    {% do return(known[label].current) %}
{% endmacro %}
