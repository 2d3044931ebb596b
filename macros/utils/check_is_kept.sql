{% macro check_is_kept(path, fix) %}
    {#-
        astronomer-cosmos runs each command of dbt in a copy of the project, a temporary folder of Python. Files that
        are found or written there have another path in the next command, or are gone.
    -#}
    {% set project_dir = invocation_args_dict.project_dir | string %}
    {% if modules.re.search("/tmp[a-z0-9_]{8}$", project_dir) and project_dir ~ "/" in path %}
        {% do dms_snapshots.fail(
            none,
            path ~ " is in a temporary copy of the project, as astronomer-cosmos makes it",
            "Nothing was run.",
            fix
        ) %}
    {% endif %}
{% endmacro %}
