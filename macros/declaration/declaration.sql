{% macro declaration(source_name, table_name) %}
    {% set source_node = dms_snapshots.find_source(source_name, table_name) %}
    {% set declared = dms_snapshots.read_declaration(source_node) %}
    {% if declared.problems %}{% do dms_snapshots.fail_with([dms_snapshots.declaration_error(declared)]) %}{% endif %}
    {% if declared.on_schema_change == "append_new_columns" %}
        {% set appended = dms_snapshots.appended_columns(declared) %}
        {% do dms_snapshots.check_appended_columns(declared, appended, "its staging table") %}
        {% do declared.columns.extend(appended) %}
    {% endif %}
    {% do return(declared) %}
{% endmacro %}


{% macro declaration_error(declared) %}
    {% set file = dms_snapshots.find_source(declared.source_name, declared.table_name).original_file_path %}
    {% do return(dms_snapshots.error_text(
        "E101",
        declared.label,
        "the declaration in " ~ file ~ " is wrong:\n  " ~ declared.problems | join("\n  "),
        "Nothing of this table was run.",
        "Correct the file, then run the same command again."
    )) %}
{% endmacro %}
