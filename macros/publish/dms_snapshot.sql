{% macro dms_snapshot(source_name, table_name) %}
    {#- The stub of a snapshot model: the changes it is made of. The materialization does the rest. -#}
    {{ config(meta={"dms": {"source_name": source_name, "table_name": table_name}}) }}
    {% do source(source_name, table_name) %}
    {% do ref("dms_files") %}
    {% do ref("dms_staged_files") %}
    {% do ref("snapshot_versions") %}
    {% do ref("snapshot_dates") %}

select * from {{ ref("stg_" ~ source_name ~ "__" ~ table_name) }}
where _dms_run_date <= date'{{ dms_snapshots.run_date() }}'
{% endmacro %}
