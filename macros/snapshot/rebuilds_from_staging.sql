{% macro rebuilds_from_staging(declared, plan) %}
    {#-
        Whether the rows of a table without a key have to be gathered anew from all that is staged:
        which of them an older upload of a file has brought, the rows themselves do not tell.
    -#}
    {% if declared.primary_keys %}
        {% do return(false) %}
    {% endif %}
    {% set replaced = query_rows(
        "select count(*) as file_count from (" ~ replaced_uploads_sql(declared, plan)
        ~ ") where replaced_on = date'" ~ plan.run_date ~ "'"
    )[0].file_count %}
    {% if not replaced %}
        {% do return(false) %}
    {% endif %}
    {#- A full refresh that failed may have staged again, for a date of the base, what is staged for others. -#}
    {% do plan.update({"line": applied_versions(ledger_entries(declared), plan.base.version)}) %}
    {% do plan.staged.update(query_rows(
        "select coalesce(sum(row_count), 0) as load_rows from ("
        ~ staged_uploads_sql(declared, plan.head, plan.line, plan.run_date)
        ~ ") where generation = " ~ plan.staged.generation ~ " and kind = 'load' and run_date <= date'" ~ plan.run_date ~ "'"
    )[0]) %}
    {% do return(true) %}
{% endmacro %}
