{% macro _with_staging(declared) %}
    {%- do return("Run what it is made from too: " ~ run_command(declared.table_name, should_full_refresh()) ~ ".") -%}
{% endmacro %}
