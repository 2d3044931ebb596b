{% macro create_before_view(name, changes_sql, declared, plan, slices) %}
    {#- The rows that the changes fall on: some slices of the base, or the full load in a build. -#}
    {% if plan.action == "merge" %}
        {% do create_rows_view(name, declared, plan.root, slices) %}
    {% else %}
        {% call statement("before") %}
            create or replace temporary view {{ sql_name(name) }} as
            select {{ column_names(declared.columns) }}
            from ({{ changes_sql }})
            where
                _dms_is_load
                and _dms_generation = {{ plan.staged.generation }}
                {{ "and _dms_run_date = date'" ~ plan.run_date ~ "'" if not plan.rebuilds }}
                {{ "and false" if plan.loads_repeat }}
        {% endcall %}
    {% endif %}
{% endmacro %}
