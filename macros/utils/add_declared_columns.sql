{% macro add_declared_columns(relation, declared) %}
    {#- A column newly declared is added; anything else that differs is refused, never guessed. -#}
    {% set existing = {} %}
    {% for row in run_query("describe " ~ relation).rows if row[0] and not row[0].startswith("#") %}
        {% do existing.update({row[0] | lower: row[1]}) %}
    {% endfor %}
    {% set added = [] %}
    {% for column in declared.columns %}
        {% set data_type = existing.get(column.name | lower) %}
        {% if data_type is none %}
            {% do added.append(column) %}
        {% elif data_type != column.data_type.lower().replace(" ", "") %}
            {% do exceptions.raise_compiler_error(
                declared.label ~ ": column " ~ column.name ~ " is declared as " ~ column.data_type ~ ", but "
                ~ relation ~ " has it as " ~ data_type ~ ". Nothing was changed. Declare it as before, or drop "
                ~ relation ~ " and run this table with --full-refresh."
            ) %}
        {% endif %}
    {% endfor %}
    {% if added %}
        {% do run_query("alter table " ~ relation ~ " add columns (" ~ column_definitions(added) ~ ")") %}
    {% endif %}
{% endmacro %}
