{% macro dms_current(source_name, table_name) %}
    {#- The table on the newest state of a declared table, for models built on it. -#}
    {%- do return(dms_snapshots.relation_beside(ref(table_name ~ "_snapshot"), "current")) -%}
{% endmacro %}
