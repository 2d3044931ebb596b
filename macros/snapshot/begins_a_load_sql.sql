{% macro begins_a_load_sql(path) %}
    {#- DMS counts the files of each full load, or of each segment of it, from 1. -#}
    {%- do return(path ~ " rlike '(?i)LOAD0*1[.][^/]*$'") -%}
{% endmacro %}
