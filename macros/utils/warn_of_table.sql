{% macro warn_of_table(declared, what, advice) %}
    {% do exceptions.warn(declared.label ~ ": " ~ what ~ ". " ~ advice) %}
    {% if model is defined and model.unique_id in graph.nodes %}
        {% do graph.nodes[model.unique_id].setdefault("warnings", []).append(what) %}
    {% endif %}
{% endmacro %}
