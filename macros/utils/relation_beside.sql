{% macro relation_beside(relation, name) %}
    {% set identifier = modules.re.sub("_snapshot$", "", relation.identifier) ~ "_" ~ name %}
    {% do return(relation.incorporate(path={"identifier": identifier}, type="table")) %}
{% endmacro %}
