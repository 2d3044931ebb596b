{% macro check_version(relation, declared, plan, job, version) %}
    {#-
        Looks at what was written before anyone can see it. Keys are unique because the base's
        are, the anti join took out every changed one and each comes back once; if any of that were
        untrue, the number of rows would not come out.
    -#}
    {% set found = count_sum(version.counts, "rows_found") %}
    {% if job.action == "merge" and found != job.base.rows_after %}
        {#- Files of the base that someone deleted by hand would be taken for deleted rows. -#}
        {% do fail(
            declared.label,
            "version " ~ job.base.version ~ " had " ~ job.base.rows_after ~ " rows when it was written, and its files have " ~ found
            ~ " now: files below " ~ job.root ~ " were deleted or changed by hand",
            none,
            "Bring them back, go to a whole version (dbt run-operation versions, then rollback_to), or build the table again: "
            ~ run_command(declared.table_name, full_refresh=true)
        ) %}
    {% endif %}
    {% set counted = version.partitions | sum(attribute="rows") %}
    {% if counted != version.rows_after or version.rows_inserted < 0 %}
        {% do fail(
            declared.label,
            "the new version has " ~ counted ~ " rows, but " ~ version.rows_before ~ " before + " ~ version.rows_inserted ~ " inserted - "
            ~ version.rows_deleted ~ " deleted = " ~ version.rows_after,
            none,
            "Most likely the published snapshot has a key twice: dbt test --select " ~ relation.identifier ~ ". Build the table again: "
            ~ run_command(declared.table_name, full_refresh=true)
        ) %}
    {% endif %}
    {% do _check_deletes(declared, plan, job, version) %}
    {% do check_gates(relation, declared, plan, version) %}
{% endmacro %}


{% macro _check_deletes(declared, plan, job, version) %}
    {% if declared.max_delete_fraction is none or not plan.current or passes_once(declared, "allow_deletes") %}
        {% do return(none) %}
    {% endif %}
    {#- What a build replaces is counted by how much smaller the table gets. -#}
    {% set rows_before = version.rows_before if job.base else plan.current.rows_after %}
    {% set lost = version.rows_deleted if job.action == "merge" else rows_before - version.rows_after %}
    {% if lost > declared.max_delete_fraction * rows_before %}
        {% set keys = query_rows(
            "select " ~ column_names(declared.primary_keys) ~ " from parquet." ~ sql_name(version.changes) ~ " where _dms_op = 'D' limit 5"
        ) if job.action == "merge" else [] %}
        {% do fail(
            declared.label,
            lost ~ " of " ~ rows_before ~ " rows would be deleted, more than max_delete_fraction "
            ~ declared.max_delete_fraction ~ (", for instance " ~ keys | map("tojson") | join(", ") if keys else ""),
            none,
            "If that is right, let it pass once: " ~ pass_command(declared, plan, "allow_deletes")
        ) %}
    {% endif %}
{% endmacro %}
