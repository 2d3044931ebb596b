{% macro relation_beside(relation, name) %}
    {#- Of a snapshot table the one on the newest state (current), or its change feed (changes). -#}
    {% set identifier = modules.re.sub("_snapshot$", "", relation.identifier) ~ "_" ~ name %}
    {% do return(relation.incorporate(path={"identifier": identifier}, type="table")) %}
{% endmacro %}
