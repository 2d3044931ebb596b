{% macro partitions_path(root, partitions) %}
    {#- One path for all of them, as Hadoop writes alternatives: a view over a thousand folders is one statement. -#}
    {% if partitions | length == 1 %}
        {% do return(partitions[0].location) %}
    {% endif %}
    {% set folders = [] %}
    {% for partition in partitions %}{% do folders.append(partition.location[root | length + 1:]) %}{% endfor %}
    {% do return(root ~ "/{" ~ folders | join(",") ~ "}") %}
{% endmacro %}
