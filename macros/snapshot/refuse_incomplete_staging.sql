{% macro refuse_incomplete_staging(declared, plan) %}
    {#-
        A file that comes late is weighed against all earlier changes. After going back and forth
        between versions, staging may no longer have them.
    -#}
    {% if not plan.is_late or not plan.base %}
        {% do return(none) %}
    {% endif %}
    {% set applied = _applied_versions(_ledger_entries(declared), plan.base.version) %}
    {% set missing = query_rows(
        "select applied.path from (select generation, inline(files) as (path, etag) from " ~ ref("snapshot_versions")
        ~ " where " ~ versions_filter(declared, applied) ~ ") as applied left anti join " ~ ref("dms_staged_files") ~ " as staged"
        ~ " on staged.source_name = " ~ sql_string(declared.source_name) ~ " and staged.table_name = " ~ sql_string(declared.table_name)
        ~ " and applied.path = staged.path and applied.etag = staged.etag where applied.generation = " ~ plan.staged.generation ~ " limit 1"
    ) %}
    {% if missing %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": a file has come late, and staging lacks earlier changes that it must be weighed against, for instance those of "
            ~ missing[0].path ~ ": versions were restored that were staged differently. Nothing of this table was published. Stage and build it "
            ~ "anew: dbt run --full-refresh --select +" ~ declared.table_name ~ "_snapshot; what was rolled back stays withheld."
        ) %}
    {% endif %}
{% endmacro %}
