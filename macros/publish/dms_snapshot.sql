{% macro dms_snapshot(source_name, table_name) -%}
    {{ dms_snapshots.model_config("dms_snapshot", source_name, table_name) }}
    {% do source(source_name, table_name) %}
    {% do ref("dms_snapshots", "dms_files") %}
    {% do ref("dms_snapshots", "dms_staged_files") %}
    {% do ref("dms_snapshots", "snapshot_versions") %}
    {% do ref("dms_snapshots", "snapshot_dates") %}

select * from {{ ref("stg_" ~ source_name ~ "__" ~ table_name) }}
where _dms_run_date <= date'{{ dms_snapshots.run_date() }}'
{% endmacro %}
