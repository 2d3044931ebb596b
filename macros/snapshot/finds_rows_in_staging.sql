{% macro finds_rows_in_staging(declared, plan) %}
    {#-
        Whether the rows of the changed keys are in the folder that this run has staged, as they are to be
        copied: then they need not be carried along while the newest change of each key is looked for.
        What an earlier command has staged may be of another declaration.
    -#}
    {% set is_own = plan.staged.staged_in and plan.staged.staged_in.endswith("/" ~ run_version()) %}
    {% set weighs_others = plan.is_late or plan.taken or plan.applied or weighs_earlier_changes(declared) %}
    {% set wants_rows = declared.change_feed or not declared.primary_keys %}
    {% do return(plan.action == "merge" and is_own and not weighs_others and not wants_rows) %}
{% endmacro %}
