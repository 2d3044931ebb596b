{% macro file_pairs(files) %}
    {% set pairs = [] %}
    {% for file in files or [] %}{% do pairs.append([file.path, file.etag]) %}{% endfor %}
    {% do return(pairs) %}
{% endmacro %}
