{% macro _path_problems(declared) %}
    {#- Two tasks that write one folder mix their files, and no reader can part them again. -#}
    {% set problems = [] %}
    {% set mine = absolute_path(declared.path) %}
    {% for node in graph.sources.values() %}
        {% set other = node.config.meta.get("dms") %}
        {% set label = node.source_name ~ "." ~ node.name %}
        {% if label != declared.label and other is mapping and other.get("path") is string and other.path %}
            {#- Each table is compared with all others, so what does not change is asked for once. -#}
            {% if "absolute_path" not in node %}{% do node.update({"absolute_path": absolute_path(other.path)}) %}{% endif %}
            {% if mine.startswith(node.absolute_path) or node.absolute_path.startswith(mine) %}
                {% do problems.append(
                    "path " ~ declared.path ~ " and path " ~ other.path ~ " of " ~ label ~ " are one folder, or one lies in the "
                    ~ "other; a folder belongs to one table: correct one of the two paths, or remove one declaration"
                ) %}
            {% endif %}
        {% endif %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}
