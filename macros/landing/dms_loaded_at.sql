{% macro dms_loaded_at() -%}
    {%- set asked = {} -%}
    {#- A source may have another schema than its name; only `this` says which one is asked about. -#}
    {%- for source in graph.sources.values()
        if source.schema == this.schema and source.identifier == this.identifier -%}
        {%- do asked.update({"source_name": source.source_name, "table_name": source.name}) -%}
    {%- endfor -%}
select max(coalesce(file_time, modified_at))
from {{ dms_snapshots.named_relation("dms_files") }}
where
    source_name = {{ dms_snapshots.sql_string(asked.source_name) }}
    and table_name = {{ dms_snapshots.sql_string(asked.table_name) }}
    and kind in ('load', 'cdc')
{% endmacro %}
