{% macro commit_version(declared, manifest) %}
    {% set version = manifest.version %}
    {% set name = dms_snapshots.run_name() ~ "-" ~ version %}
    {% set location = dms_snapshots.log_location("snapshot_versions") ~ "/" ~ declared.label ~ "/" ~ name %}
    {% do dms_snapshots.write_rows("snapshot_versions", location, [manifest]) %}
    {% set partition = dms_snapshots.partition_spec(dict(dms_snapshots.table_partition(declared), version=version)) %}
    {% set second_writer = (
        declared.label ~ ": another run has published version " ~ version ~ " while this one was at work. "
        ~ "Nothing of this table was published by this one. Run the same command again. [E401]"
    ) %}
    {% set history = dms_snapshots.named_relation("snapshot_versions") %}
    {% do run_query(
        "begin declare exit handler for partitions_already_exist begin select if(count(*) = 0, raise_error("
        ~ dms_snapshots.sql_string(second_writer) ~ "), null) from " ~ history ~ " where "
        ~ dms_snapshots.table_filter(declared) ~ " and version = " ~ version
        ~ " and contains(_metadata.file_path, " ~ dms_snapshots.sql_string("/" ~ name ~ "/") ~ "); end; alter table "
        ~ history ~ " add partition (" ~ partition ~ ") location " ~ dms_snapshots.sql_string(location) ~ "; end"
    ) %}
{% endmacro %}


{% macro table_partition(declared) %}
    {% do return({"source_name": declared.source_name, "table_name": declared.table_name}) %}
{% endmacro %}
