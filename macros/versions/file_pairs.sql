{% macro file_pairs(files) %}
    {#- Files as pairs of path and entity tag. -#}
    {% set pairs = [] %}
    {% for file in files or [] %}{% do pairs.append([file.path, file.etag]) %}{% endfor %}
    {% do return(pairs) %}
{% endmacro %}
