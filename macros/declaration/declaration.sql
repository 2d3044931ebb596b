{% macro declaration(source_name, table_name) %}
    {% set source_node = dms_snapshots.find_source(source_name, table_name) %}
    {% set declared = dms_snapshots.read_declaration(source_node) %}
    {% if declared.problems %}
        {% do dms_snapshots.fail(
            "E101",
            declared.label,
            "the declaration in " ~ source_node.original_file_path ~ " is wrong:\n  "
            ~ declared.problems | join("\n  "),
            "Nothing of this table was run.",
            "Correct the file, then run the same command again."
        ) %}
    {% endif %}
    {% if declared.on_schema_change == "append_new_columns" %}
        {% set appended = dms_snapshots.appended_columns(declared) %}
        {% do dms_snapshots.check_appended_columns(declared, appended, "its staging table") %}
        {% do declared.columns.extend(appended) %}
    {% endif %}
    {% do return(declared) %}
{% endmacro %}
