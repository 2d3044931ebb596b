{% macro absolute_path(path) %}
    {#- A local path is taken from the project, not from where Spark happens to run. -#}
    {% if "://" in path or path.startswith("/") %}
        {% do return(path.rstrip("/") ~ "/") %}
    {% endif %}
    {% do return(invocation_args_dict.project_dir ~ "/" ~ path.rstrip("/") ~ "/") %}
{% endmacro %}
