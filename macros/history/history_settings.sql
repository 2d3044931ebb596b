{% macro history_settings() %}
    {% set declared = dms_snapshots.declaration(*dms_snapshots._history_table()) %}
    {% set names = config.get("snapshot_table_column_names") %}
    {% set check_cols = config.get("check_cols") %}
    {% set history = {
        "declared": declared,
        "names": names,
        "tracked": declared.columns | map(attribute="name") | list if check_cols == "all" else check_cols,
        "hard_deletes": adapter.get_hard_deletes_behavior(config),
        "valid_to_current": config.get("dbt_valid_to_current") or "null",
    } %}
    {% set columns = [
        {
            "name": names.dbt_scd_id,
            "data_type": "string",
            "description": "Tells the row from every other; made of the key and dbt_valid_from.",
        },
        {
            "name": names.dbt_updated_at,
            "data_type": "timestamp",
            "description": "When the source made the row what it is.",
        },
        {"name": names.dbt_valid_from, "data_type": "timestamp", "description": "From when the row was so, in UTC."},
        {
            "name": names.dbt_valid_to,
            "data_type": "timestamp",
            "description": "Until when, exclusive; the row is open where there is no end.",
        },
    ] %}
    {% if history.hard_deletes == "new_record" %}
        {% do columns.append({
            "name": names.dbt_is_deleted,
            "data_type": "string",
            "description": "True where the row says that the key was deleted.",
        }) %}
    {% endif %}
    {% do history.update({"columns": columns}) %}
    {% set problems = dms_snapshots._history_problems(history) %}
    {% if problems %}
        {% do dms_snapshots.fail(
            "E115",
            none,
            "The snapshot " ~ model.name ~ " in " ~ model.original_file_path ~ " cannot be made:\n  "
            ~ problems | join("\n  "),
            "Nothing of it was run."
        ) %}
    {% endif %}
    {% do return(history) %}
{% endmacro %}


{% macro _history_problems(history) %}
    {% set problems = [] %}
    {% set declared = history.declared %}
    {% set names = declared.columns | map(attribute="name") | list %}
    {% set unique_key = config.get("unique_key") %}
    {% set unique_key = [unique_key] if unique_key is string else unique_key | list %}
    {% if config.get("strategy") != "check" %}
        {% do problems.append(
            "strategy is " ~ config.get("strategy") ~ "; allowed is check. When a row changed is known from DMS, so no "
            ~ "updated_at is needed: write strategy: check and check_cols: all"
        ) %}
    {% elif config.get("updated_at") %}
        {% do problems.append(
            "updated_at is " ~ config.get("updated_at") ~ "; leave it out: when a row changed is known from DMS"
        ) %}
    {% endif %}
    {% if (config.get("file_format") or "parquet") != "parquet" %}
        {% do problems.append("file_format is " ~ config.get("file_format") ~ "; allowed is parquet") %}
    {% endif %}
    {% if not declared.primary_keys %}
        {% do problems.append(
            declared.label ~ " has no primary_keys; a table of which every insert is kept is its own history"
        ) %}
    {% elif unique_key | sort != declared.primary_keys | sort %}
        {% do problems.append(
            "unique_key is " ~ unique_key | join(", ") ~ "; allowed are the primary_keys of " ~ declared.label ~ ": "
            ~ declared.primary_keys | join(", ")
        ) %}
    {% endif %}
    {% if declared.image == "partial" or declared.before_image_prefix %}
        {#- Their rows are put together from several changes, which is not done for each moment yet. -#}
        {% do problems.append(
            declared.label ~ " has " ~ ("image: partial" if declared.image == "partial" else "before_image_prefix")
            ~ "; a history is kept of full images only"
        ) %}
    {% endif %}
    {% for column in history.tracked or [] if column not in names %}
        {% do problems.append(
            "check_cols has " ~ column ~ ", which is no declared column; declared are " ~ names | join(", ")
        ) %}
    {% endfor %}
    {% set lowered = names | map("lower") | list %}
    {% for column in history.columns + [dms_snapshots.closed_on_column()] if column.name | lower in lowered %}
        {% do problems.append(
            "column " ~ column.name ~ " of " ~ declared.label ~ " has a name that the history needs"
            ~ (
                " for itself" if column.name == dms_snapshots.closed_on_column().name
                else "; rename that one with snapshot_meta_column_names"
            )
        ) %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}


{% macro _history_table() %}
    {% if not dms_snapshots.is_history(model) %}
        {% do dms_snapshots.fail(
            "E115",
            none,
            "The snapshot " ~ model.name ~ " in " ~ model.original_file_path
            ~ " cannot be made:\n  its rows come from `" ~ model.raw_code | trim ~ "`; allowed is a snapshot in YAML "
            ~ "with relation: ref('<table>_snapshot'), the snapshot model of a declared table, because a history is "
            ~ "made of that table's changes",
            "Nothing of it was run.",
            "For any other, set file_format to delta, iceberg or hudi: dbt-spark keeps it."
        ) %}
    {% endif %}
    {% set table = dms_snapshots.snapshot_models(model)[0].config.meta.dms %}
    {% do return([table.source_name, table.table_name]) %}
{% endmacro %}
