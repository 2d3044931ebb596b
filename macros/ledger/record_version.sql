{% macro record_version(declared, plan, version) %}
    {#- The version counts from here on: if the run dies now, the next one shows it first. -#}
    {% set partition = table_partition(declared, run_date()) %}
    {% do partition.update({"version": version.version}) %}
    {% do append_partition(ref("snapshot_versions"), partition, version_sql(declared, plan, version)) %}
{% endmacro %}
