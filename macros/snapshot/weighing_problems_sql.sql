{% macro weighing_problems_sql(declared, staged) %}
    {#-
        What was declared otherwise when a file was staged, so that its changes cannot be weighed against others
        as they are declared now; an array of texts. What was not declared then, staging does not have: a part of
        a row looks as one with NULL, a row that moved to another key as two, and no time or sequence as the
        oldest; times or sequences of two columns have no common order. What is declared no more but is in
        staging, or only tells how a file is read, does no harm; and a full load has whole rows, and is older
        than all changes.
    -#}
    {%- set was = "get_json_object(" ~ staged ~ ".settings, '$.{}')" -%}
    {%- set problems = [] -%}
    {%- if declared.image != "partial" -%}
        {%- do problems.append("if(" ~ was.format("image") ~ " = 'partial', 'image was partial', null)") -%}
    {%- endif -%}
    {%- if not declared.before_image_prefix -%}
        {%- do problems.append("'before_image_prefix was ' || " ~ was.format("before_image_prefix")) -%}
    {%- endif -%}
    {%- set orders_by_time, tells_repeats = declared.order_by == "timestamp", not declared.primary_keys or declared.before_image_prefix -%}
    {#- With before images alone, the time only tells what belongs to one transaction. -#}
    {%- if declared.timestamp_column and declared.before_image_prefix and not orders_by_time -%}
        {%- do problems.append("if(" ~ was.format("timestamp_column") ~ " is null, 'there was no timestamp_column', null)") -%}
    {%- endif -%}
    {%- if orders_by_time -%}
        {%- set zone = was.format("timestamp_timezone") -%}
        {%- do problems.append("if(" ~ zone ~ " != " ~ sql_string(declared.timestamp_timezone) ~ ", 'timestamp_timezone was ' || " ~ zone ~ ", null)") -%}
    {%- endif -%}
    {%- set orders_by_sequence = declared.change_seq_column and (declared.order_by == "change_seq" or tells_repeats) -%}
    {%- for key in (["timestamp_column"] if orders_by_time else []) + (["change_seq_column"] if orders_by_sequence else []) -%}
        {%- do problems.append(
            "if(lower(" ~ was.format(key) ~ ") = " ~ sql_string(declared[key] | lower) ~ ", null, coalesce('" ~ key ~ " was ' || " ~ was.format(key)
            ~ ", 'there was no " ~ key ~ "'))"
        ) -%}
    {%- endfor -%}
    {#- Of what was staged before settings were noted, nothing is known. -#}
    if({{ staged }}.settings is null or {{ staged }}.kind = 'load', array(), filter(array({{ problems | join(", ") }}), problem -> problem is not null))
{%- endmacro %}
