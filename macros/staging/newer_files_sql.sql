{% macro newer_files_sql(base) %}
{#-
    The condition for files that the index has seen since the version before the base. Told by the
    partitions, so that those of all earlier runs are not opened. A file after the date of the base
    was noted by a run for a later date.
-#}
{%- if base and base.indexed_from_run -%}
    (version > {{ sql_string(base.indexed_from_run) }} or run_date > date'{{ base.run_date }}')
    and (version > {{ sql_string(base.indexed_from_run) }} or file_time >= date_add(date'{{ base.run_date }}', 1))
{%- else -%}
    true
{%- endif -%}
{% endmacro %}
