{% macro stage_files(relation, declared, base, files, is_again) %}
    {#- Writes the files' changes to a fresh folder, reports on each file, then shows the folder. -#}
    {% set has_other_columns = sync_columns(relation, declared.columns, declared.label, alters=false) %}
    {% set location = table_location(relation) ~ "/" ~ run_version() %}
    {% set log = ref("dms_staged_files") %}
    {% set reports = log_location("dms_staged_files") ~ "/" ~ declared.label ~ "/" ~ run_version() %}
    {% set rejects_location = "" %}
    {% if declared.on_bad_row == "quarantine" %}
        {% set rejects_location = log_location("dms_rejects") ~ "/" ~ declared.label ~ "/" ~ run_version() %}
    {% endif %}
    {% set view = sql_name(relation.identifier ~ "__staging") %}
    {% call statement("view") %}
        create or replace temporary view {{ view }} (
            path string, kind string, etag string, generation int, file_seq bigint, indexed_at string,
            row_count bigint, first_key string, last_key string, problem string, reject_count bigint, new_columns string
        ) using dms_stage options (
            location {{ sql_string(location) }},
            rejects {{ sql_string(rejects_location) }},
            files {{ sql_string(tojson(files)) }},
            settings {{ sql_string(tojson(reader_settings(declared))) }}
        )
    {% endcall %}
    {% call statement("stage") %}
        insert overwrite directory {{ sql_string(reports) }} using parquet
        select
            path,
            kind,
            etag,
            generation,
            file_seq,
            cast(indexed_at as timestamp) as indexed_at,
            row_count,
            first_key,
            last_key,
            problem,
            reject_count,
            new_columns,
            {{ sql_string(location) }} as staged_in,
            {{ base.version if base else "cast(null as int)" }} as base_version,
            {{ declared_as_sql(declared) }},
            {{ sql_string(tojson(staging_settings(declared))) }} as settings
        from {{ view }}
    {% endcall %}
    {% set staged = query_rows(
        "select size(collect_set(path)) as file_count, sum(row_count) as row_count,"
        ~ " size(collect_set(if(problem is null, null, path))) as problem_count,"
        ~ " sum(reject_count) as reject_count, collect_set(new_columns) as new_columns,"
        ~ " min(if(new_columns is null, null, path)) as first_path,"
        ~ " slice(sort_array(collect_set(path || ': ' || problem)), 1, 5) as problems"
        ~ " from parquet." ~ sql_name(reports)
    )[0] %}
    {% if staged.problem_count %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": " ~ staged.problem_count ~ " of " ~ staged.file_count ~ " files cannot be taken:\n  "
            ~ staged.problems | join("\n  ") ~ "\nNothing of this table was published. Mend the cause"
            ~ " (a file: by another one under its name) and run the same command again."
        ) %}
    {% endif %}
    {% if staged.new_columns %}
        {#- Only now it is known that the files have more; with it declared they are read again. -#}
        {% do append_columns(relation, declared, staged.new_columns, staged.first_path) %}
        {% do return(stage_files(relation, declared, base, files, is_again)) %}
    {% endif %}
    {#-
        Staging has every date that the log has, or nobody would find the rows of the log to drop them. A
        date that is run again is logged first: changes that the log does not tell of would count beside
        themselves when the next run stages them.
    -#}
    {% set partition, log_partition = {"_dms_run_date": run_date()}, table_partition(declared, run_date()) %}
    {% if is_again %}
        {#- Another run may have published meanwhile from what this one would replace. -#}
        {% set newest = table_versions(declared) | last | default(none) %}
        {% if newest != staging_node(declared).staged_on %}{% do refuse_second_writer(declared, newest) %}{% endif %}
        {% do point_partition(log, log_partition, reports) %}
        {% do show_rejects(declared, rejects_location, staged.reject_count) %}
        {% do move_partition(relation, partition, location) %}
    {% else %}
        {% do add_partitions(relation, [{"values": partition, "location": location}]) %}
        {% do add_partitions(log, [{"values": log_partition, "location": reports}]) %}
        {% do show_rejects(declared, rejects_location, staged.reject_count) %}
    {% endif %}
    {#- Not earlier: where staging has a column, a value that it lacks is NULL. -#}
    {% if has_other_columns %}{% do sync_columns(relation, declared.columns, declared.label) %}{% endif %}
    {% do return(staged) %}
{% endmacro %}
