{% macro history_extent(declared, plan) %}
    {#-
        Whether a change of the runs may be older than one that is in the history already, and
        whether their keys are few enough to be sent to every task.
    -#}
    {#- After a full refresh nothing staged is known already. -#}
    {% set goes_on = plan.base is not none and plan.base.generation is defined %}
    {% set staged = query_rows(
        "select min(file_seq) filter (where generation = " ~ (plan.base.generation if goes_on else 0) ~ ") as first_file_seq,"
        ~ " coalesce(sum(row_count), 0) as row_count from " ~ named_relation("dms_staged_files")
        ~ " where " ~ table_filter(declared)
        ~ " and run_date in (date'" ~ plan.runs | map(attribute="run_date") | join("', date'") ~ "')"
    )[0] %}
    {% do return({
        "is_late": goes_on and (
            declared.order_by != "file"
            or staged.first_file_seq is not none and staged.first_file_seq <= plan.base.last_file_seq
        ),
        "broadcast": staged.row_count <= var("broadcast_max_keys", 5000000),
    }) %}
{% endmacro %}
