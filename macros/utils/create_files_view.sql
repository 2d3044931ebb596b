{% macro create_files_view(name, columns, path, declared, written_as=none) %}
    {#-
        A view of files with these columns. `written_as`: a table whose files may have a renamed column under
        its earlier name; the table itself has both names.
    -#}
    {% set renamed, types = renamed_columns(declared), {} %}
    {% for column in (earlier_columns(declared, written_as) if written_as else []) %}{% do types.update({column.name: column.data_type}) %}{% endfor %}
    {% set there, values = columns | list, [] %}
    {% for column in columns %}
        {% set found = [sql_name(column.name)] %}
        {% for earlier in renamed.get(column.name, []) if earlier | lower in types %}
            {% do there.append({"name": earlier, "data_type": types[earlier | lower]}) %}
            {#- A value that the type of now cannot have must not become NULL, whatever the session says of ANSI. -#}
            {% set told = declared.label ~ ": column " ~ column.name ~ " was " ~ earlier ~ ", of which this is no " ~ column.data_type ~ ": " %}
            {% set problem = "raise_error(concat(" ~ sql_string(told) ~ ", cast(" ~ sql_name(earlier) ~ " as string), "
                ~ sql_string(". Nothing was changed. Declare the column with the type it had.") ~ "))" %}
            {% do found.append("try_cast(" ~ sql_name(earlier) ~ " as " ~ column.data_type ~ ")") %}
            {% do found.append("if(" ~ sql_name(earlier) ~ " is not null, " ~ problem ~ ", null)") %}
        {% endfor %}
        {% do values.append("coalesce(" ~ found | join(", ") ~ ") as " ~ sql_name(column.name) if found | length > 1 else found[0]) %}
    {% endfor %}
    {% set files = name ~ "__files" if there | length > columns | length else name %}
    {% do run_query(
        "create or replace temporary view " ~ sql_name(files) ~ " (" ~ column_definitions(there) ~ ") using parquet options (path "
        ~ sql_string(path) ~ ")"
    ) %}
    {% if files != name %}
        {% do run_query("create or replace temporary view " ~ sql_name(name) ~ " as select " ~ values | join(", ") ~ " from " ~ sql_name(files)) %}
    {% endif %}
{% endmacro %}
