{% macro commit_version(declared, version, sql, plan=none) %}
    {#-
        Adds a version to the ledger. Its number is the next one of its table, and a metastore gives
        a partition to one asker only: of two runs that began from the same version, one commits.
    -#}
    {% set ledger = ref("snapshot_versions") %}
    {% set folder = declared.label ~ "/" ~ run_version() ~ "-" ~ version %}
    {% set location = log_location("snapshot_versions") ~ "/" ~ folder %}
    {% set partition = {"source_name": declared.source_name, "table_name": declared.table_name, "version": version} %}
    {% call statement("record") %}
        insert overwrite directory {{ sql_string(location) }} using parquet
        {{ sql }}
    {% endcall %}
    {% if plan %}{% do refuse_moved_staging(declared, plan) %}{% endif %}
    {% do add_partitions(ledger, [{"values": partition, "location": location}]) %}
    {% if not partition_location(ledger, partition).endswith(folder) %}
        {% do refuse_second_writer(declared, version) %}
    {% endif %}
{% endmacro %}
