{% macro check_plan(declared, plan, warns=true) %}
    {#- What the plan says against a table fails it here; what it warns of, dbt warns of once in a command. -#}
    {% if plan.error %}{% do dms_snapshots.fail_with([plan.error]) %}{% endif %}
    {% for what, advice in plan.warnings if warns %}
        {% do dms_snapshots.warn_of_table(declared, what, advice) %}
    {% endfor %}
{% endmacro %}
