{% macro history_settings() %}
    {#- What a snapshot asks for, in dbt's own words; refuses what cannot be kept here. -#}
    {% set declared = declaration(*_history_table()) %}
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
        {"name": names.dbt_scd_id, "data_type": "string", "description": "Tells the row from every other; made of the key and dbt_valid_from."},
        {"name": names.dbt_updated_at, "data_type": "timestamp", "description": "When the source made the row what it is."},
        {"name": names.dbt_valid_from, "data_type": "timestamp", "description": "From when the row was so, in UTC."},
        {"name": names.dbt_valid_to, "data_type": "timestamp", "description": "Until when, exclusive; the row is open where there is no end."},
    ] %}
    {% if history.hard_deletes == "new_record" %}
        {% do columns.append({"name": names.dbt_is_deleted, "data_type": "string", "description": "True where the row says that the key was deleted."}) %}
    {% endif %}
    {% do history.update({"columns": columns}) %}
    {% set problems = _history_problems(history) %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            "The snapshot " ~ model.name ~ " in " ~ model.original_file_path ~ " is refused:\n  " ~ problems | join("\n  ")
            ~ "\nNothing of it was run."
        ) %}
    {% endif %}
    {% do return(history) %}
{% endmacro %}
