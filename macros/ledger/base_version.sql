{% macro base_version(declared, head) %}
    {#- The version that this run starts from: the newest one of an earlier run date, or none. -#}
    {% if head and head.run_date > run_date() %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": run_date " ~ run_date() ~ " is before the newest published one, " ~ head.run_date
            ~ ". Nothing was changed. Run with run_date " ~ head.run_date ~ " or later; an earlier date that is not published is made by "
            ~ "dbt run-operation backfill, or after dbt run-operation rollback_to."
        ) %}
    {% endif %}
    {% if head and head.run_date == run_date() and head.run_version > run_version() %}
        {#- It has looked for files later, so of this date it may have more of them. -#}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": another command has published version " ~ head.version ~ " of run_date " ~ run_date() ~ ". It was started at "
            ~ head.started_at ~ ", and this one before, at " ~ run_started_at.strftime("%Y-%m-%d %H:%M:%S") ~ " (UTC). Nothing of this "
            ~ "run was published. Run the same command again. If no other was at work, the clocks of two machines differ: wait until "
            ~ "this one shows the later time."
        ) %}
    {% endif %}
    {% if should_full_refresh() %}
        {% do return(none) %}
    {% endif %}
    {% if head and head.run_date == run_date() %}
        {#- The same date again starts where it started before: after a full refresh, from nothing. -#}
        {% do return(read_version(declared, head.base_version) if head.base_version is not none else none) %}
    {% endif %}
    {% do return(head) %}
{% endmacro %}
