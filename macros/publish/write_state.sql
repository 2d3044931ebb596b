{% macro write_state(relation, declared, job) %}
    {% set location = job.root ~ "/" ~ job.folder %}
    {#- A folder of its own, so that who reads all files of the version's folder gets rows of the table only. -#}
    {% set beside = location ~ "-beside" %}
    {#-
        Rows that lie in the folder that was just staged are copied from there, and only their places are looked for;
        but each task for a partition reads all of that folder.
    -#}
    {% set rows_in_staging = (
        job.action == "merge" and job.staged and not job.is_late and not job.taken
        and not dms_snapshots.merges_with_full_history(declared) and not declared.change_feed and declared.primary_keys
        and not (declared.partition_date and job.staged_bytes > 256 * 1024 * 1024)
    ) %}
    {% set changes = beside ~ "/changes" %}
    {% do dms_snapshots.write_changed_keys(changes, declared, job, with_rows=not rows_in_staging) %}
    {#- Copying brings together the rows of a partition only where a load has them so: else, in a build, Spark does. -#}
    {% set is_to_partition = job.action == "build" and declared.partition_date is not none %}
    {% set view, state = relation.identifier ~ "__unpartitioned", {"counts": [], "replaced": []} %}
    {% if is_to_partition and job.has_load_only and not job.loads_repeat %}
        {% set partitions = dms_snapshots.copy_dates(
            declared, job, view, changes, location ~ "/rows"
        ) if job.staged else [] %}
        {% if partitions %}
            {% do return(dict(state, partitions=partitions, changes=changes, beside=beside)) %}
        {% endif %}
        {% do dms_snapshots.create_before_view(view, declared, job, []) %}
    {% else %}
        {% do state.update(dms_snapshots.copy_state(
            relation, declared, job, changes, job.staged.folder if rows_in_staging else none,
            (beside if is_to_partition else location) ~ "/rows", beside
        )) %}
        {% if is_to_partition %}
            {% do dms_snapshots.create_files_view(view, declared.columns, state.partitions[0].location, declared) %}
        {% endif %}
    {% endif %}
    {% if is_to_partition %}
        {% do state.update({
            "partitions": dms_snapshots.partition_rows(relation, declared, view, location ~ "/rows"),
        }) %}
    {% endif %}
    {% do return(dict(state, changes=changes, beside=beside)) %}
{% endmacro %}


{% macro write_changed_keys(location, declared, job, with_rows) %}
    {% set by_date = declared.partition_date and job.action == "merge" %}
    {% set changes = "(" ~ dms_snapshots.candidate_changes_sql(job.changes_sql, declared, job) ~ ")" %}
    {% call statement("changes") %}
        {#- A file is read in one pass, so it has no more keys than a worker may hold. -#}
        {{ dms_snapshots.write_folder_sql(location, dms_snapshots.broadcast_max_keys()) }}
        select
            {#- A task reads the files that have rows for its partitions. -#}
            {{ "/*+ rebalance(_dms_partition) */" if by_date and with_rows }} *
            {{ ", " ~ dms_snapshots.partition_name_sql(
                dms_snapshots.partition_sql(declared)
            ) ~ " as _dms_partition" if by_date }}
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


{% macro partition_rows(relation, declared, view, location) %}
    {% set writing = relation.incorporate(path={"identifier": relation.identifier ~ "__writing"}) %}
    {#- Spark writes many folders in one go to a table only; this one lives until they are written. -#}
    {% do run_query("drop table if exists " ~ writing) %}
    {% call statement("rows") %}
        create table {{ writing }}
        using parquet
        partitioned by (partition_date)
        location {{ dms_snapshots.sql_string(location) }} as
        select /*+ rebalance(partition_date) */ *, {{ dms_snapshots.partition_sql(declared) }} as partition_date
        from {{ dms_snapshots.sql_name(view) }}
    {% endcall %}
    {% set date_column = {"name": "partition_date", "data_type": "date"} %}
    {% do dms_snapshots.create_files_view(view, declared.columns[:1] + [date_column], location, declared) %}
    {% set counted = dms_snapshots.query_rows(
        "select " ~ dms_snapshots.partition_name_sql("partition_date") ~ " as partition, count(*) as rows from "
        ~ dms_snapshots.sql_name(view) ~ " group by partition_date"
    ) %}
    {% do run_query("drop table if exists " ~ writing) %}
    {% set partitions = [] %}
    {% for one in counted %}
        {% do partitions.append(
            {"partition": one.partition, "location": location ~ "/partition_date=" ~ one.partition, "rows": one.rows}
        ) %}
    {% endfor %}
    {% do return(partitions) %}
{% endmacro %}
