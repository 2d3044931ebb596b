{% macro create_open_rows_view(name, history, base) %}
    {#- The rows that were open after the run before, from its files, in which a renamed column may have its earlier name. -#}
    {% set columns = history.declared.columns + history.columns %}
    {% set renamed = renamed_columns(history.declared) %}
    {% set there, values = columns | list, [] %}
    {% for column in columns %}
        {% set names = [column.name] + renamed.get(column.name, []) | list %}
        {% for earlier in names[1:] %}{% do there.append(dict(column, name=earlier)) %}{% endfor %}
        {% do values.append("coalesce(" ~ column_names(names) ~ ") as " ~ sql_name(column.name) if names | length > 1 else sql_name(column.name)) %}
    {% endfor %}
    {% if base %}
        {% do run_query(
            "create or replace temporary view " ~ sql_name(name ~ "__files") ~ " (" ~ column_definitions(there)
            ~ ") using parquet options (path " ~ sql_string(base.open) ~ ")"
        ) %}
    {% endif %}
    {% call statement("open_rows") %}
        create or replace temporary view {{ sql_name(name) }} as
        {% if base %}
            select {{ values | join(", ") }}
            from {{ sql_name(name ~ "__files") }}
        {% else %}
            select
                {% for column in columns %}cast(null as {{ column.data_type }}) as {{ sql_name(column.name) }}{{ ", " if not loop.last }}{% endfor %}
            where false
        {% endif %}
    {% endcall %}
{% endmacro %}
