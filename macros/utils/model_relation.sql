{% macro model_relation(name) %}
    {#-
        The table of a model that this one depends on through another: a snapshot in YAML can name
        one relation only, and dbt lets `ref` give no other. Elsewhere it is what `ref` gives.
    -#}
    {% if model is not defined or not model or model.resource_type != "snapshot" %}
        {% do return(ref(name)) %}
    {% endif %}
    {% do return(named_relation(name)) %}
{% endmacro %}
