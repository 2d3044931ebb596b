{% macro refuse_other_layout(relation, declared, plan, may_change) %}
    {% set wanted = layout(declared) %}
    {#- A run that died on the way to another layout has recorded it already, and one that made the table, nothing. -#}
    {% if plan.newest and plan.layout != wanted and not may_change and plan.head.layout != wanted %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": the declaration (history, partition_date, partition_granularity) says: " ~ wanted ~ "; "
            ~ relation ~ " was published as: " ~ plan.layout ~ ". Nothing was changed. Declare it as before, or lay the table out "
            ~ "anew with " ~ run_command(declared.table_name, full_refresh=true) ~ "; readers then see the new state only, and "
            ~ "the files of earlier dates stay until vacuum."
        ) %}
    {% endif %}
{% endmacro %}
