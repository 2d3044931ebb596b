{% macro create_files_view(name, columns, path, declared, written_as=none, version=none) %}
    {% set renamed, types = dms_snapshots.renamed_columns(declared), {} %}
    {% for column in (dms_snapshots.earlier_columns(declared, written_as) if written_as else []) %}
        {% do types.update({column.name: column.data_type}) %}
    {% endfor %}
    {% set had = [] %}
    {% for column in (fromjson(version.declarations[version.fingerprint]).columns if types and version else []) %}
        {% do had.append(column[0] | lower) %}
    {% endfor %}
    {% set there, values = columns | list, [] %}
    {% for column in columns %}
        {% set found = [dms_snapshots.sql_name(column.name)] %}
        {% for earlier in renamed.get(column.name, []) if earlier | lower in types and column.name | lower not in had %}
            {% do there.append({"name": earlier, "data_type": types[earlier | lower]}) %}
            {% do found.append(dms_snapshots._renamed_value_sql(declared, column, earlier, types[earlier | lower])) %}
        {% endfor %}
        {% do values.append(
            "coalesce(" ~ found | join(", ") ~ ") as "
            ~ dms_snapshots.sql_name(column.name) if found | length > 1 else found[0]
        ) %}
    {% endfor %}
    {% set files = name ~ "__files" if there | length > columns | length else name %}
    {% do run_query(
        "create or replace temporary view " ~ dms_snapshots.sql_name(files) ~ " ("
        ~ dms_snapshots.column_definitions(there)
        ~ ") using parquet options (path " ~ dms_snapshots.sql_string(path) ~ ")"
    ) %}
    {% if files != name %}
        {% do run_query(
            "create or replace temporary view " ~ dms_snapshots.sql_name(name) ~ " as select " ~ values | join(", ")
            ~ " from " ~ dms_snapshots.sql_name(files)
        ) %}
    {% endif %}
{% endmacro %}


{% macro _renamed_value_sql(declared, column, earlier, data_type) %}
    {% set value = dms_snapshots.sql_name(earlier) %}
    {% set now = "try_cast(" ~ value ~ " as " ~ column.data_type ~ ")" %}
    {% set is_same = "try_cast(" ~ now ~ " as " ~ data_type ~ ") <=> " ~ value
        ~ (
            " and is_valid_utf8(" ~ now ~ ") is not false"
            if data_type == "binary" and column.data_type | lower == "string"
        ) %}
    {% set begins_sql = dms_snapshots.sql_string(declared.label ~ ": column " ~ column.name ~ " was " ~ earlier
        ~ ", of which this would not be the same as " ~ column.data_type ~ ": ") %}
    {% set compared_no_more = (
        "in this run set change_feed: false. Then run with --full-refresh"
        if declared.change_feed else "drop the history, then run dbt snapshot"
    ) %}
    {% set problem = "raise_error(concat(" ~ begins_sql ~ ", cast(" ~ value ~ " as string), "
        ~ dms_snapshots.sql_string(
            ". Nothing was published. Declare it as " ~ data_type ~ " under another new name, with " ~ column.name
            ~ " in renamed_from too, and run with --full-refresh. Or, as " ~ column.data_type
            ~ ", do not compare earlier rows: " ~ compared_no_more ~ ". [E404]"
        ) ~ "))" %}
    {% do return("if(" ~ is_same ~ ", " ~ now ~ ", " ~ problem ~ ")") %}
{% endmacro %}
