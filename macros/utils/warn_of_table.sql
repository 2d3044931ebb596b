{% macro warn_of_table(declared, what, advice) %}
    {#- Warns of a table, and keeps it for the result, from which the end of a run tells it again. -#}
    {% do exceptions.warn(declared.label ~ ": " ~ what ~ ". " ~ advice) %}
    {% if model is defined and model.unique_id in graph.nodes %}
        {% do graph.nodes[model.unique_id].setdefault("warnings", []).append(what) %}
    {% endif %}
{% endmacro %}
