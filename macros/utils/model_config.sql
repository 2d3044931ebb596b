{% macro model_config(materialized, source_name, table_name) -%}
    {{ config(
        materialized=materialized,
        file_format="parquet",
        persist_docs={"relation": true, "columns": true},
        tags=["staging" if materialized == "dms_staging" else "snapshots"],
        meta={"dms": {"source_name": source_name, "table_name": table_name}},
    ) }}
{% endmacro %}
