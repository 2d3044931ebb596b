{% macro refuse_incomplete_staging(declared, plan) %}
    {#-
        Some changes are weighed against all earlier ones, and operations go through them all. After going
        back and forth between versions, staging may no longer have them as they were declared; and where
        the declaration has changed, not as they are declared now.
    -#}
    {% set weighs_earlier = plan.is_late or weighs_earlier_changes(declared) %}
    {% set goes_on = plan.base and (plan.action == "merge" or plan.rebuilds) %}
    {% if not plan.applied and not (goes_on and weighs_earlier) %}
        {% do return(none) %}
    {% endif %}
    {% set applied = plan.applied or plan.line or applied_versions(ledger_entries(declared), plan.base.version) %}
    {% set missing = query_rows(
        "select applied.path, " ~ weighing_problems_sql(declared, "staged") ~ " as problems from (select generation, run_date, column_names, primary_keys, inline(files) as (path, etag) from "
        ~ ref("snapshot_versions") ~ " where " ~ versions_filter(declared, applied) ~ ") as applied"
        ~ " left join " ~ ref("dms_staged_files") ~ " as staged on " ~ table_filter(declared, "staged")
        ~ " and applied.path = staged.path and applied.etag = staged.etag"
        ~ (" and applied.run_date = staged.run_date" if plan.applied or plan.line) ~ " where applied.generation = " ~ plan.staged.generation
        ~ " and (staged.path is null or applied.run_date <= staged.run_date and " ~ staged_otherwise_sql(declared, "applied", "staged") ~ ") order by size(problems) desc limit 1"
    ) %}
    {% if missing and missing[0].problems %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": earlier changes that this must be weighed against, for instance those of " ~ missing[0].path ~ ", were staged as "
            ~ "they were declared then: " ~ missing[0].problems | join(", ") ~ ". Nothing of this table was published. "
            ~ "Declare that as it was then. Or, if all files of DMS are as it is declared now, and only it was declared wrongly, stage and build the "
            ~ "table anew from them: " ~ run_command(declared.table_name, full_refresh=true) ~ ". Or, if the files were other ones then, let DMS load the table again; dates of before that cannot be filled in or replayed then."
        ) %}
    {% elif missing %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": staging lacks earlier changes that this must be weighed against, for instance those of "
            ~ missing[0].path ~ ", as they were declared: a run that was rolled back, or that did not publish, has staged them differently. "
            ~ "Nothing of this table was published. Stage and build it anew: " ~ run_command(declared.table_name, full_refresh=true) ~ "; what was rolled back stays withheld."
        ) %}
    {% endif %}
{% endmacro %}
