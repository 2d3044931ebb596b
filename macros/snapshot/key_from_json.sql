{% macro key_from_json(declared, column) %}
    {#- A key that staging has reported as texts, as a struct of the declared types. -#}
    {%- set parts = [] -%}
    {%- for key in declared.primary_keys -%}
        {%- set data_type = (declared.columns | selectattr("name", "equalto", key) | first).data_type -%}
        {%- do parts.append(
            "cast(from_json(" ~ column ~ ", 'map<string, string>')[" ~ sql_string(key) ~ "] as " ~ data_type ~ ")"
        ) -%}
    {%- endfor -%}
    {%- do return("struct(" ~ parts | join(", ") ~ ")") -%}
{% endmacro %}
