{% macro new_table_location(relation) %}
    {% if config.get("location_root") %}
        {% do return(config.get("location_root").rstrip("/") ~ "/" ~ relation.identifier) %}
    {% endif %}
    {% for row in run_query("describe schema " ~ relation.schema).rows if row[0] == "Location" %}
        {% do dms_snapshots.check_is_kept(row[1], "Give the lake as an absolute path, such as DMS_LAKE=/data/lake.") %}
        {% do return(row[1] ~ "/" ~ relation.identifier) %}
    {% endfor %}
    {% do dms_snapshots.fail(
        "E701",
        none,
        "The schema " ~ relation.schema ~ " has no location, so " ~ relation.identifier ~ " has none either",
        "Nothing was changed.",
        "Give the schema one."
    ) %}
{% endmacro %}


{% macro check_is_kept(path, fix) %}
    {% set project_dir = invocation_args_dict.project_dir | string %}
    {% set temporary = modules.re.escape(env_var("TMPDIR", "/tmp").rstrip("/")) ~ "/tmp[a-z0-9_]{8}" %}
    {% if modules.re.fullmatch(temporary, project_dir) and project_dir ~ "/" in path %}
        {% do dms_snapshots.fail(
            "E116",
            none,
            path ~ " is in a temporary copy of the project, as astronomer-cosmos makes it",
            "Nothing was run.",
            fix
        ) %}
    {% endif %}
{% endmacro %}
