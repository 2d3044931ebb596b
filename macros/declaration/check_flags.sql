{% macro check_flags() %}
    {#-
        With --empty, dbt reads no row of the index and of the version history, so a run would take every file for
        new. With --defer, it reads those of another environment, and writes to them.
    -#}
    {% for flag in ["empty", "defer"] if invocation_args_dict.get(flag) %}
        {% do dms_snapshots.fail(
            none,
            "--" ~ flag ~ ": not with this project, whose models read the version history of their own schema",
            "Nothing was run.",
            "Leave it out. To try things, run into a schema of your own (DMS_SCHEMA)."
        ) %}
    {% endfor %}
{% endmacro %}
