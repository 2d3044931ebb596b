{% macro sql_name(name) %}
    {%- do return("`" ~ (name | string | replace("`", "``")) ~ "`") -%}
{% endmacro %}


{% macro sql_string(text) %}
    {%- do return("'" ~ (text | string | replace("\\", "\\\\") | replace("'", "\\'")) ~ "'") -%}
{% endmacro %}


{% macro column_names(columns, prefix=none) %}
    {%- set names = [] -%}
    {%- for column in columns -%}
        {%- set name = column if column is string else column.name -%}
        {%- do names.append((prefix ~ "." if prefix else "") ~ dms_snapshots.sql_name(name)) -%}
    {%- endfor -%}
    {%- do return(names | join(", ")) -%}
{% endmacro %}


{% macro column_definitions(columns) %}
    {%- for column in columns -%}
        {{ dms_snapshots.sql_name(column.name) }} {{ column.data_type }}
        {%- if dms_snapshots.column_comment(column) %} comment {{ dms_snapshots.sql_string(
            dms_snapshots.column_comment(column)
        ) }}{% endif -%}
        {{ ", " if not loop.last }}
    {%- endfor -%}
{% endmacro %}


{% macro column_comment(column) %}
    {% set text = (column.description or "").split() | join(" ") %}
    {% if text.encode("utf-8") | length > 255 %}
        {% set text = text.encode("utf-8")[:252].decode("utf-8", "ignore") ~ "…" %}
    {% endif %}
    {% do return(text) %}
{% endmacro %}


{% macro counted(number, noun) %}
    {%- do return(number ~ " " ~ noun ~ ("" if number == 1 else "s")) -%}
{% endmacro %}


{% macro yaml_name(name) %}
    {% set is_plain = modules.re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) and fromyaml(name) is string %}
    {% set is_jinja = modules.re.search("[{][{%#]", name) %}
    {% do return(name if is_plain else tojson("{{ " ~ tojson(name) ~ " }}" if is_jinja else name)) %}
{% endmacro %}
