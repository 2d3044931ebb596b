{% macro has_key_sql(declared) %}
    {%- set terms = [] -%}
    {%- for key in declared.primary_keys -%}
        {%- do terms.append(dms_snapshots.sql_name(key) ~ " is not null") -%}
    {%- endfor -%}
    {%- do return(terms | join(" and ")) -%}
{% endmacro %}
