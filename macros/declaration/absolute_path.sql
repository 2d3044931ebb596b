{% macro absolute_path(path) %}
    {#-
        A declared folder as it is called wherever Spark runs, with a slash at its end. A local path starts from
        the project. A store takes two slashes for a folder without a name, so they stay where a person wrote
        them; where DMS_ROOT ends in a slash and the rest begins with one, they are one.
    -#}
    {% set root = env_var("DMS_ROOT", "") %}
    {% if root.endswith("/") and path.startswith(root ~ "/") %}
        {% set path = root.rstrip("/") ~ path[root | length:] %}
    {% endif %}
    {% if "://" in path and not path.startswith("file:") %}
        {% do return(path if path.endswith("/") else path ~ "/") %}
    {% endif %}
    {% set is_plain = "://" not in path %}
    {% if is_plain and not path.startswith("/") %}
        {% set project_dir = invocation_args_dict.project_dir | string %}
        {% if not project_dir.startswith("/") %}
            {#- dbt gives --project-dir as it was typed, and a macro cannot ask where it was typed. -#}
            {% do dms_snapshots.fail(
                none,
                "path " ~ path ~ " is relative to the project, but --project-dir " ~ project_dir ~ " is relative too",
                "Nothing was run.",
                "Leave --project-dir out, or give it as an absolute path."
            ) %}
        {% endif %}
        {% set path = project_dir ~ "/" ~ path %}
    {% endif %}
    {% set path = modules.re.sub("(?<![:/])/{2,}", "/", path ~ "/") %}
    {#- The index has no folder `.` in the paths that it records. -#}
    {% do return(modules.re.sub("(?<=/)(\\./)+", "", path) if is_plain else path) %}
{% endmacro %}
