{% macro has_feed(relation, declared) %}
    {#- A feed that is no longer asked for is not added to, but what was rolled back leaves it. -#}
    {% do return(declared.change_feed or load_relation(feed_relation(relation)) is not none) %}
{% endmacro %}
