{% macro staged_changes_sql(declared, plan) -%}
    {% set columns = dms_snapshots.column_names(declared.columns + dms_snapshots.staging_columns()[:-1]) %}
    {% if plan.base %}
select {{ columns }}, _dms_run_date
from {{ dms_snapshots.staging_relation(declared) }}
where _dms_run_date < date'{{ plan.run_date }}'
    {% endif %}
    {{ "union all" if plan.base and plan.files }}
    {% if plan.files %}
select {{ columns }}, date'{{ plan.run_date }}' as _dms_run_date
from parquet.{{ dms_snapshots.sql_name(dms_snapshots.staged_folder(declared, plan).folder) }}
    {% elif not plan.base %}
{{ dms_snapshots.no_rows_sql(declared.columns + dms_snapshots.staging_columns()) }}
    {% endif %}
{% endmacro %}


{% macro staged_files_sql(declared, plan) -%}
    {% set columns = "path, etag, kind, generation, file_seq, row_count, first_key, last_key, fingerprint" %}
select {{ columns }}, run_date
from {{ dms_snapshots.named_relation("dms_staged_files") }}
where {{ dms_snapshots.table_filter(
    declared
) }} and {{ "run_date < date'" ~ plan.run_date ~ "'" if plan.base else "false" }}
    {% if plan.files %}
union all
select {{ columns }}, date'{{ plan.run_date }}' as run_date
from parquet.{{ dms_snapshots.sql_name(dms_snapshots.staged_folder(declared, plan).report) }}
    {% endif %}
{% endmacro %}
