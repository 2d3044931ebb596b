{% macro content_tag_sql(etag) %}
    {#- The entity tag that the store gives, of one in the index: without what tells uploads apart. -#}
    {%- do return("substring_index(" ~ etag ~ ", '#', 1)") -%}
{% endmacro %}
