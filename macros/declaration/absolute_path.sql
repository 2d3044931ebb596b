{% macro absolute_path(path) %}
    {#- A local path is taken from the project, not from where Spark happens to run. -#}
    {% set is_local = "://" not in path %}
    {% if is_local and not path.startswith("/") %}
        {% set project_dir = invocation_args_dict.project_dir | string %}
        {% if not project_dir.startswith("/") %}
            {#- dbt gives --project-dir as it was typed, and a macro cannot ask where it was typed. -#}
            {% do exceptions.raise_compiler_error(
                "path " ~ path ~ " is relative to the project, but --project-dir " ~ project_dir
                ~ " is relative too. Leave --project-dir out, or give it as an absolute path."
            ) %}
        {% endif %}
        {% set path = project_dir ~ "/" ~ path %}
    {% endif %}
    {#- DMS_ROOT may end in a slash, and a store takes two of them for a folder without a name. -#}
    {% set path = modules.re.sub("(?<![:/])/{2,}", "/", path ~ "/") %}
    {#- The index has no folder `.` in the paths that it notes. -#}
    {% do return(modules.re.sub("(?<=/)(\\./)+", "", path) if is_local else path) %}
{% endmacro %}
