{% macro append_columns(relation, declared, found, path) %}
    {#- Columns that files have and nobody declared become columns of the table. -#}
    {% set types = {} %}
    {% set spelled = {} %}
    {% for columns in found %}
        {% for column in fromjson(columns) %}
            {% do spelled.setdefault(column[0] | lower, column[0]) %}
            {% do types.setdefault(column[0] | lower, []).append(column[1]) %}
        {% endfor %}
    {% endfor %}
    {% set added = [] %}
    {% for key, kinds in types.items() %}
        {% if kinds | unique | list | length > 1 %}
            {% do exceptions.raise_compiler_error(
                declared.label ~ ": files have the new column " ~ spelled[key] ~ " as " ~ kinds | unique | sort | join(" and as ")
                ~ ". Nothing of this table was published. Declare the column with the type that it is to have; then run the "
                ~ "same command again."
            ) %}
        {% endif %}
        {% do added.append({"name": spelled[key], "data_type": kinds[0], "description": ""}) %}
    {% endfor %}
    {% do check_appended_columns(declared, added, path) %}
    {% do run_query("alter table " ~ relation ~ " add columns (" ~ column_definitions(added) ~ ")") %}
    {% do declared.columns.extend(added) %}
    {% do warn_of_table(
        declared,
        "files have new columns, which are added to the tables: " ~ added | map(attribute="name") | join(", "),
        "Declare them, so that they are described and their types are kept."
    ) %}
{% endmacro %}
