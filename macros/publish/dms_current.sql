{% macro dms_current(source_name, table_name) %}
    {%- if execute %}{% do dms_snapshots.find_source(source_name, table_name) %}{% endif -%}
    {%- do return(dms_snapshots.relation_beside(ref(table_name ~ "_snapshot"), "current")) -%}
{% endmacro %}
