{% macro has_no_files(version) %}
    {#- Whether no file is applied in the state of a version, so that nothing of it can be read wrongly. -#}
    {% do return(not version.rows_after and not version.indexed_through) %}
{% endmacro %}
