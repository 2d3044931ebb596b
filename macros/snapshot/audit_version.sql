{% macro audit_version(relation, declared, plan, version) %}
    {#-
        Looks at the written files before anyone can see them. Keys are unique because the base's
        are, the anti join took out every changed one and each comes back once; if any of that were
        untrue, the number of rows would not come out.
    -#}
    {% set counted = version.slices | sum(attribute="rows") %}
    {% if counted != version.rows_after or version.rows_inserted < 0 %}
        {#- If another run has staged meanwhile, that is why. -#}
        {% do refuse_moved_staging(declared, plan) %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": the new version has " ~ counted ~ " rows, but " ~ version.rows_before ~ " before + "
            ~ version.rows_inserted ~ " inserted - " ~ version.rows_deleted ~ " deleted = " ~ version.rows_after
            ~ ". Nothing of this table was published. Most likely the published snapshot has a key twice: look with "
            ~ "dbt test --select " ~ relation.identifier ~ ", and rebuild with " ~ run_command(declared.table_name, full_refresh=true) ~ "."
        ) %}
    {% endif %}
    {% do refuse_many_deletes(declared, plan, version) %}
    {% do refuse_failed_gates(relation, declared, plan, version) %}
{% endmacro %}
