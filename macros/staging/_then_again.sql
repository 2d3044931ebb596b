{% macro _then_again(declared) %}
    {#- Only the index looks anew. -#}
    {%- if log_node("dms_files").get("has_additions") is none -%}
        {%- do return("Then run it with the index: " ~ run_command(declared.table_name, should_full_refresh())) -%}
    {%- endif -%}
    {%- do return("Then run the same command again.") -%}
{% endmacro %}
