{% macro _name_problems(declared) %}
    {#- The tables that are made of two declarations would be one. -#}
    {% set problems, name = [], declared.table_name | lower %}
    {% for node in graph.sources.values() if node.name != declared.table_name and node.name | lower == name and node.config.meta.get("dms") %}
        {% do problems.append(
            "table " ~ declared.table_name ~ " and table " ~ node.name ~ " of " ~ node.source_name ~ "." ~ node.name ~ " have one name in the "
            ~ "metastore, where case does not tell names apart; give one of them another name, which path does not need to have"
        ) %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}
