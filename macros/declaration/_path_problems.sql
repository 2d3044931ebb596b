{% macro _path_problems(declared) %}
    {#- Two tasks that write one folder mix their files, and no reader can part them again. -#}
    {% set problems = [] %}
    {% for node in graph.sources.values() %}
        {% set other = node.config.meta.get("dms") %}
        {% set label = node.source_name ~ "." ~ node.name %}
        {% if label != declared.label and other is mapping and other.get("path") is string %}
            {% if absolute_path(other.path) == absolute_path(declared.path) %}
                {% do problems.append("path " ~ declared.path ~ " is also declared for " ~ label ~ "; a folder belongs to one table") %}
            {% endif %}
        {% endif %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}
