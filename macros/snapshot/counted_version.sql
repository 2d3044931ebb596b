{% macro counted_version(declared, plan, counts, slices) %}
    {#- The version with its counts. A build replaces the whole key set of what was there. -#}
    {% set rows_before = plan.base.rows_after if plan.base else 0 %}
    {% set fallen_on = rows_before if plan.action == "merge" else (0 if plan.loads_repeat else plan.staged.load_rows) %}
    {% set expected = fallen_on - counts.rows_updated - counts.rows_deleted + counts.live_keys %}
    {% set is_merge = plan.action == "merge" %}
    {% do return({
        "version": run_version(),
        "action": plan.action,
        "slices": slices,
        "generation": plan.staged.generation,
        "last_file_seq": [plan.staged.last_file_seq, plan.base.last_file_seq if is_merge else 0] | max,
        "rows_before": rows_before,
        "rows_inserted": counts.live_keys - counts.rows_updated if is_merge else expected,
        "rows_updated": counts.rows_updated if is_merge else 0,
        "rows_deleted": counts.rows_deleted if is_merge else rows_before,
        "rows_after": expected,
        "is_redo": plan.newest and plan.newest.run_date == run_date(),
    }) %}
{% endmacro %}
