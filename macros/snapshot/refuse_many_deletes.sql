{% macro refuse_many_deletes(declared, plan, version) %}
    {% if declared.max_delete_fraction is none or not plan.head or passes_once(declared, "allow_deletes") %}
        {% do return(none) %}
    {% endif %}
    {#- What a build replaces is counted by how much smaller the table gets. -#}
    {% set rows_before = version.rows_before if plan.base else plan.head.rows_after %}
    {% set lost = version.rows_deleted if plan.action == "merge" else rows_before - version.rows_after %}
    {% if lost > declared.max_delete_fraction * rows_before %}
        {% set keys = query_rows(
            "select " ~ column_names(declared.primary_keys) ~ " from parquet." ~ sql_name(version.changes) ~ " where _dms_op = 'D' limit 5"
        ) if plan.action == "merge" else [] %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": " ~ lost ~ " of " ~ rows_before ~ " rows would be deleted, more than max_delete_fraction "
            ~ declared.max_delete_fraction ~ (", for instance " ~ keys | map("tojson") | join(", ") if keys else "")
            ~ ". Nothing of this table was published. If that is right, let it pass once: "
            ~ pass_command(declared, plan, "allow_deletes")
        ) %}
    {% endif %}
{% endmacro %}
