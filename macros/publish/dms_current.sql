{% macro dms_current(source_name, table_name) %}
    {#- The table on the newest state of a declared table, for models built on it. -#}
    {#- While dbt parses, no table is known yet. -#}
    {%- if execute %}{% do dms_snapshots.find_source(source_name, table_name) %}{% endif -%}
    {%- do return(dms_snapshots.relation_beside(ref(table_name ~ "_snapshot"), "current")) -%}
{% endmacro %}
