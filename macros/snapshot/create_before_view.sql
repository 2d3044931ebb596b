{% macro create_before_view(name, changes_sql, declared, plan, slices) %}
    {#- The rows that the changes fall on: some slices of the base, or the full load in a build. -#}
    {% call statement("before") %}
        {% if plan.action == "merge" and slices %}
            create or replace temporary view {{ sql_name(name) }} ({{ column_definitions(declared.columns) }})
            using parquet options (path {{ sql_string(slices_path(plan.root, slices)) }})
        {% elif plan.action == "merge" %}
            create or replace temporary view {{ sql_name(name) }} as
            select {{ column_names(declared.columns) }} from ({{ changes_sql }}) where false
        {% else %}
            create or replace temporary view {{ sql_name(name) }} as
            select {{ column_names(declared.columns) }}
            from ({{ changes_sql }})
            where
                _dms_is_load
                and _dms_generation = {{ plan.staged.generation }}
                {{ "and _dms_run_date = date'" ~ plan.run_date ~ "'" if not plan.rebuilds }}
                {{ "and false" if plan.loads_repeat }}
        {% endif %}
    {% endcall %}
{% endmacro %}
