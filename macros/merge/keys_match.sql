{% macro keys_match(declared, left, right, equals="=") %}
    {%- set terms = [] -%}
    {%- for key in declared.primary_keys -%}
        {%- do terms.append(
            left ~ "." ~ dms_snapshots.sql_name(key) ~ " " ~ equals ~ " " ~ right ~ "." ~ dms_snapshots.sql_name(key)
        ) -%}
    {%- endfor -%}
    {%- do return(terms | join(" and ")) -%}
{% endmacro %}
