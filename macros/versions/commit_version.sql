{% macro commit_version(declared, version, manifest=none, sql=none) %}
    {#-
        Adds a version to the version history, from its manifest or from a query for it: the one commit point. Its
        number is the next one of its table, and a metastore gives a partition to one asker only: of two runs that
        began from the same version, one commits.
    -#}
    {% set location = log_location("snapshot_versions") ~ "/" ~ declared.label ~ "/" ~ run_version() ~ "-" ~ version %}
    {% if manifest %}
        {% do write_rows("snapshot_versions", location, [manifest]) %}
    {% else %}
        {% call statement("manifest") %}
            insert overwrite directory {{ sql_string(location) }} using parquet
            {{ sql }}
        {% endcall %}
    {% endif %}
    {% set partition = partition_spec(dict(table_partition(declared), version=version)) %}
    {% do run_query(
        "begin declare exit handler for partitions_already_exist begin select raise_error("
        ~ sql_string(second_writer(declared, version)) ~ "); end; alter table " ~ named_relation("snapshot_versions")
        ~ " add partition (" ~ partition ~ ") location " ~ sql_string(location) ~ "; end"
    ) %}
{% endmacro %}


{% macro second_writer(declared, version) %}
    {%- do return(
        declared.label ~ ": another run has published version " ~ version ~ " while this one was at work. "
        ~ "Nothing of this table was published by this one. Run the same command again."
    ) -%}
{% endmacro %}


{% macro table_partition(declared) %}
    {% do return({"source_name": declared.source_name, "table_name": declared.table_name}) %}
{% endmacro %}
