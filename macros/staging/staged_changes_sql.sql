{% macro staged_changes_sql(declared, plan) %}
    {#- All staged changes of a table with this plan: those that its base was built from, and those of the plan. -#}
    {% set columns = column_names(declared.columns + staging_columns()[:-1]) %}
    {% if plan.base %}
select {{ columns }}, _dms_run_date
from {{ staging_relation(declared) }}
where _dms_run_date < date'{{ plan.run_date }}'
    {% endif %}
    {{ "union all" if plan.base and plan.files }}
    {% if plan.files %}
select {{ columns }}, date'{{ plan.run_date }}' as _dms_run_date
from parquet.{{ sql_name(staged_folder(declared, plan).folder) }}
    {% elif not plan.base %}
{{ no_rows_sql(declared.columns + staging_columns()) }}
    {% endif %}
{% endmacro %}


{% macro staged_files_sql(declared, plan) %}
    {#- The report of every staged file, as `staged_changes_sql` has the changes. -#}
    {% set columns = "path, etag, kind, generation, file_seq, row_count, first_key, last_key, fingerprint" %}
select {{ columns }}, run_date
from {{ named_relation("dms_staged_files") }}
where {{ table_filter(declared) }} and {{ "run_date < date'" ~ plan.run_date ~ "'" if plan.base else "false" }}
    {% if plan.files %}
union all
select {{ columns }}, date'{{ plan.run_date }}' as run_date
from parquet.{{ sql_name(staged_folder(declared, plan).report) }}
    {% endif %}
{% endmacro %}
