{% macro carried_version(plan) %}
    {#- Nothing new: the same slices, so the same files, under a new date. -#}
    {% do return({
        "version": plan.version,
        "action": "carry",
        "run_date": plan.run_date,
        "slices": plan.base.slices,
        "generation": plan.base.generation,
        "last_file_seq": plan.base.last_file_seq,
        "rows_before": plan.base.rows_after,
        "rows_inserted": 0,
        "rows_updated": 0,
        "rows_deleted": 0,
        "rows_after": plan.base.rows_after,
    }) %}
{% endmacro %}
