{% macro refuse_lost_files(declared, plan, existing) %}
    {#- Files of the base that someone deleted by hand would be taken for deleted rows. -#}
    {% set found = existing | sum(attribute="rows_found") %}
    {% if plan.action == "merge" and found != plan.base.rows_after %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": version " ~ plan.base.version ~ " had " ~ plan.base.rows_after ~ " rows when it was written, but "
            ~ "its files have " ~ found ~ " now: files below " ~ plan.root ~ " were deleted or changed by hand. Nothing of this "
            ~ "table was published. Bring them back, or go back to a version that is whole (dbt run-operation versions, then "
            ~ "rollback_to), or build the table anew with " ~ run_command(declared.table_name, full_refresh=true) ~ "."
        ) %}
    {% endif %}
{% endmacro %}
