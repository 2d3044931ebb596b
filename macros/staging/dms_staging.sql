{% macro dms_staging(source_name, table_name) -%}
    {{ dms_snapshots.model_config("dms_staging", source_name, table_name) }}
    {#- Named so that dbt builds them first and draws the lineage. -#}
    {% do source(source_name, table_name) %}
    {% do ref("dms_snapshots", "dms_staged_files") %}
    {% do ref("dms_snapshots", "dms_rejects") %}
    {% do ref("dms_snapshots", "snapshot_versions") %}

select * from {{ ref("dms_snapshots", "dms_files") }}
where source_name = {{ dms_snapshots.sql_string(
    source_name
) }} and table_name = {{ dms_snapshots.sql_string(table_name) }}
{% endmacro %}
