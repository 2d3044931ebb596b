{% macro dms_changes(source_name, table_name) -%}
    {{ dms_snapshots.model_config("dms_feed", source_name, table_name) }}

-- Written together with the snapshot, from the same changes.
select * from {{ ref(table_name ~ "_snapshot") }}
{% endmacro %}
