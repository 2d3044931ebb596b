{% macro model_config(materialized, source_name, table_name) %}
    {#-
        The configuration of a generated model. It stands in the model and not in dbt_project.yml, because there a
        host has its own for its folders.
    -#}
    {{ config(
        materialized=materialized,
        file_format="parquet",
        persist_docs={"relation": true, "columns": true},
        tags=["staging" if materialized == "dms_staging" else "snapshots"],
        meta={"dms": {"source_name": source_name, "table_name": table_name}},
    ) }}
{% endmacro %}
