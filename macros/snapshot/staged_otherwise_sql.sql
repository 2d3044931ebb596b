{% macro staged_otherwise_sql(declared, applied, staged) %}
    {#-
        Whether a file was staged, perhaps by a run that did not publish, under another declaration than that of
        the version that applied it: with another key, or without a column that has values there and still is one.
        Or, by that version too, under one by which its changes cannot be told as they are declared now.
    -#}
    {%- set lowered = [] -%}
    {%- for column in declared.columns -%}{%- do lowered.append(sql_string(column.name | lower)) -%}{%- endfor -%}
    {%- set names = "transform({}, name -> lower(name))" -%}
    coalesce(
        array_sort({{ names.format(applied ~ ".primary_keys") }}) != array_sort({{ names.format(staged ~ ".primary_keys") }})
        or size(array_except(
            array_intersect({{ names.format(applied ~ ".column_names") }}, array({{ lowered | join(", ") }})),
            {{ names.format(staged ~ ".column_names") }}
        )) > 0
        or size({{ weighing_problems_sql(declared, staged) }}) > 0,
        false
    )
{%- endmacro %}
