{% macro audit_version(relation, declared, plan, version) %}
    {#-
        Looks at the written files before anyone can see them. Keys are unique because the base's
        are, the anti join took out every changed one and each comes back once; if any of that were
        untrue, the number of rows would not come out.
    -#}
    {% set counted = version.slices | sum(attribute="rows") %}
    {% if counted != version.rows_after %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": the new version has " ~ counted ~ " rows, but " ~ version.rows_before ~ " before + "
            ~ version.rows_inserted ~ " inserted - " ~ version.rows_deleted ~ " deleted = " ~ version.rows_after
            ~ ". Nothing of this table was published. Most likely the published snapshot has a key twice: look with "
            ~ "dbt test --select " ~ relation.identifier ~ ", and rebuild with dbt run --full-refresh --select +"
            ~ relation.identifier ~ "."
        ) %}
    {% endif %}
    {% if declared.max_delete_fraction is none or not plan.head %}{% do return(none) %}{% endif %}
    {#- What a build replaces is counted by how much smaller the table gets. -#}
    {% set rows_before = version.rows_before if plan.base else plan.head.rows_after %}
    {% set lost = version.rows_deleted if plan.action == "merge" else rows_before - version.rows_after %}
    {% if lost > declared.max_delete_fraction * rows_before %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": " ~ lost ~ " of " ~ rows_before ~ " rows would be deleted, more than max_delete_fraction "
            ~ declared.max_delete_fraction ~ ". Nothing of this table was published. If that is right, raise max_delete_fraction "
            ~ "and run the same command again."
        ) %}
    {% endif %}
{% endmacro %}
