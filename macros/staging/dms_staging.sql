{% macro dms_staging(source_name, table_name) %}
    {#- The stub of a staging model: which files are its. How they are staged, the materialization says. -#}
    {{ config(meta={"dms": {"source_name": source_name, "table_name": table_name}}) }}
    {#- Named so that dbt builds them first and draws the lineage. -#}
    {% do source(source_name, table_name) %}
    {% do ref("dms_staged_files") %}
    {% do ref("dms_rejects") %}
    {% do ref("snapshot_versions") %}

{{ table_files_sql(source_name, table_name) }}
{% endmacro %}
