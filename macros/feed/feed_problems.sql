{% macro feed_problems(declared) %}
    {#- A pair of columns may get the name of another column. -#}
    {% set names = (feed_columns(declared) + [feed_partition()]) | map(attribute="name") | map("lower") | list %}
    {% set problems = [] %}
    {% for name in names | unique if names.count(name) > 1 %}
        {% do problems.append(
            "change_feed would give " ~ declared.table_name ~ "_changes the column " ~ name ~ " twice; allowed are key columns that are not "
            ~ "called kind, version, run_date, or like another column with _before or _after behind it. Name it differently "
            ~ "(renamed_from), or leave change_feed out"
        ) %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}
