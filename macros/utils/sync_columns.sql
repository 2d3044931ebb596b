{% macro sync_columns(relation, columns, label, alters=true) %}
    {% set existing = {} %}
    {% for column in dms_snapshots.described_table(relation).columns %}
        {% do existing.update({column.name | lower: column}) %}
    {% endfor %}
    {% set added, renewed, changed, renames, problem = [], [], {}, [], none %}
    {% for column in columns %}
        {% set found = existing.get(column.name | lower) %}
        {% if not found %}
            {% do added.append(column) %}
        {% elif found.data_type != column.data_type.lower().replace(" ", "") %}
            {% set name = dms_snapshots.yaml_name(column.name) %}
            {% do renames.append("config: {meta: {dms: {renamed_from: [" ~ name ~ "]}}}") %}
            {% do changed.update({
                column.name: "column " ~ column.name ~ " is declared as " ~ column.data_type ~ ", but "
                ~ relation ~ " has it as " ~ found.data_type
            }) %}
        {% elif dms_snapshots.column_comment(column) not in ["", found.comment] %}
            {% do renewed.append(column) %}
        {% endif %}
    {% endfor %}
    {% if changed %}
        {% set problem = dms_snapshots.error_text(
            "E404",
            label,
            changed.values() | join("; "),
            "Nothing was changed.",
            "Declare " ~ ("it" if changed | length == 1 else "them") ~ " as before; the files of earlier dates could "
            ~ "not be read otherwise. For another type declare " ~ ("it" if changed | length == 1 else "each")
            ~ " under a new name, with " ~ renames | join(" and ") ~ "."
        ) %}
        {% if alters %}{% do dms_snapshots.fail_with([problem]) %}{% endif %}
    {% endif %}
    {% if not alters %}{% do return(problem) %}{% endif %}
    {% for column in renewed %}
        {% do run_query(
            "alter table " ~ relation ~ " alter column " ~ dms_snapshots.sql_name(column.name)
            ~ " comment " ~ dms_snapshots.sql_string(dms_snapshots.column_comment(column))
        ) %}
    {% endfor %}
    {% if added %}
        {% do run_query("alter table " ~ relation ~ " add columns (" ~ dms_snapshots.column_definitions(added) ~ ")") %}
    {% endif %}
{% endmacro %}
