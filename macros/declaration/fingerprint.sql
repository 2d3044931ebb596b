{% macro fingerprint(facts) %}
    {%- do return(local_md5(tojson(facts, sort_keys=true))[:12]) -%}
{% endmacro %}
