{% macro slices_path(root, slices) %}
    {#- One path for all of them, as Hadoop writes alternatives: a view over a thousand folders is one statement. -#}
    {% if slices | length == 1 %}
        {% do return(slices[0].location) %}
    {% endif %}
    {% set folders = [] %}
    {% for slice in slices %}{% do folders.append(slice.location[root | length + 1:]) %}{% endfor %}
    {% do return(root ~ "/{" ~ folders | join(",") ~ "}") %}
{% endmacro %}
