{% macro write_state(relation, declared, job) %}
    {% set location = job.root ~ "/" ~ job.folder %}
    {#- A folder of its own, so that who reads all files of the version's folder gets rows of the table only. -#}
    {% set beside = location ~ "-beside" %}
    {#-
        Rows that lie in the folder that was just staged are copied from there, and only their places are looked for.
    -#}
    {% set rows_in_staging = (
        job.action == "merge" and job.staged and not job.is_late and not job.taken
        and not dms_snapshots.merges_with_full_history(declared) and not declared.change_feed and declared.primary_keys
    ) %}
    {#- What is gathered again from staging is filtered by file, which copying whole folders cannot do. -#}
    {% set copies = job.action == "merge" if declared.partition_date else (not job.rebuilds or job.loads_repeat) %}
    {% set changes, state = beside ~ "/changes", none %}
    {% do dms_snapshots.write_changed_keys(changes, declared, job, with_rows=not (rows_in_staging and copies)) %}
    {% if copies %}
        {% set state = dms_snapshots.copy_state(
            relation, declared, job, changes, job.staged.folder if rows_in_staging else none, location ~ "/rows",
            beside ~ "/replaced"
        ) %}
    {% endif %}
    {% if not state %}
        {% if rows_in_staging and copies %}
            {#- SQL needs the rows after all. -#}
            {% set changes = beside ~ "/changed-rows" %}
            {% do dms_snapshots.write_changed_keys(changes, declared, job, with_rows=true) %}
        {% endif %}
        {% set state = dms_snapshots.merge_state(relation, declared, job, changes, location ~ "/rows") %}
    {% endif %}
    {% do return(dict(state, changes=changes, beside=beside)) %}
{% endmacro %}


{% macro write_changed_keys(location, declared, job, with_rows) -%}
    {% set changes = "(" ~ dms_snapshots.candidate_changes_sql(job.changes_sql, declared, job) ~ ")" %}
    {% call statement("changes") %}
        {{ dms_snapshots.write_folder_sql(location) }}
        select
            *
            {{ ", " ~ dms_snapshots.partition_name_sql(
                dms_snapshots.partition_sql(declared)
            ) ~ " as _dms_partition" if declared.partition_date }}
        from (
            {% if declared.primary_keys %}
            {{ dms_snapshots.latest_per_key_sql(changes, declared, with_rows) }}
            {% else %}
            select
                {{ dms_snapshots.column_names(declared.columns) }}, _dms_op, _dms_generation, _dms_file_seq, _dms_row
            from {{ changes }}
            {% endif %}
        )
    {% endcall %}
{% endmacro %}


{% macro untouched_partitions(declared, job, counts) %}
    {% if job.action != "merge" or not declared.partition_date %}{% do return([]) %}{% endif %}
    {% set touched = [] %}
    {% for count in counts if count.live_keys or count.rows_updated or count.rows_deleted %}
        {% do touched.append(count.partition) %}
    {% endfor %}
    {% do return(job.base.partitions | rejectattr("partition", "in", touched) | list) %}
{% endmacro %}
