{% macro check_plan(declared, plan, warns=true) %}
    {% if plan.error %}{% do dms_snapshots.fail_with([plan.error]) %}{% endif %}
    {% for what, advice in plan.warnings if warns %}
        {% do dms_snapshots.warn_of_table(declared, what, advice) %}
    {% endfor %}
{% endmacro %}
