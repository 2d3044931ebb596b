{% macro declaration(source_name, table_name) %}
    {#- The one door to a declaration. Only when executing: while dbt parses, `config` is empty. -#}
    {% set source_node = find_source(source_name, table_name) %}
    {% set declared = read_declaration(source_node) %}
    {% if declared.problems %}
        {% do exceptions.raise_compiler_error(
            "The declaration of " ~ declared.label ~ " in " ~ source_node.original_file_path ~ " is refused:\n  "
            ~ declared.problems | join("\n  ") ~ "\nNothing of this table was run."
        ) %}
    {% endif %}
    {% if declared.on_schema_change == "append_new_columns" %}
        {% set appended = appended_columns(declared) %}
        {% do refuse_appended_columns(declared, appended, "its staging table") %}
        {% do declared.columns.extend(appended) %}
    {% endif %}
    {% do return(declared) %}
{% endmacro %}
