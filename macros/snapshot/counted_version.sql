{% macro counted_version(plan, arriving, state) %}
    {#- The version with its counts. A build replaces the whole key set of what was there. -#}
    {% set live_keys = arriving | sum(attribute="live_keys") %}
    {% set rows_updated = state.existing | sum(attribute="rows_updated") %}
    {% set rows_deleted = state.existing | sum(attribute="rows_deleted") %}
    {% set rows_before = plan.base.rows_after if plan.base else 0 %}
    {% set is_merge = plan.action == "merge" %}
    {% set fallen_on = rows_before if is_merge else (0 if plan.loads_repeat else plan.staged.load_rows) %}
    {% set expected = fallen_on - rows_updated - rows_deleted + live_keys %}
    {% do return({
        "version": plan.version,
        "action": plan.action,
        "run_date": plan.run_date,
        "slices": state.slices,
        "generation": plan.staged.generation,
        "last_file_seq": [plan.staged.last_file_seq, plan.base.last_file_seq if plan.base and (is_merge or plan.rebuilds) else 0] | max,
        "rows_before": rows_before,
        "rows_inserted": live_keys - rows_updated if is_merge else expected,
        "rows_updated": rows_updated if is_merge else 0,
        "rows_deleted": rows_deleted if is_merge else rows_before,
        "rows_after": expected,
    }) %}
{% endmacro %}
