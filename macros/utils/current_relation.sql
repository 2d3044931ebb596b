{% macro current_relation(relation) %}
    {% do return(relation.incorporate(
        path={"identifier": modules.re.sub("_snapshot$", "", relation.identifier) ~ "_current"}, type="table"
    )) %}
{% endmacro %}
