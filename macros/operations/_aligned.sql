{% macro _aligned(rows) %}
    {#- Rows as text in columns; the first is the heading. -#}
    {% set widths = [] %}
    {% for cell in rows[0] %}
        {% set column = loop.index0 %}
        {% set lengths = [] %}
        {% for row in rows %}{% do lengths.append(row[column] | string | length) %}{% endfor %}
        {% do widths.append(lengths | max) %}
    {% endfor %}
    {% set lines = [] %}
    {% for row in rows %}
        {% set cells = [] %}
        {% for cell in row %}
            {% set text = cell | string %}
            {% do cells.append(text.rjust(widths[loop.index0]) if cell is number else text.ljust(widths[loop.index0])) %}
        {% endfor %}
        {% do lines.append(("  " ~ cells | join("  ")).rstrip()) %}
    {% endfor %}
    {% do return(lines | join("\n")) %}
{% endmacro %}
