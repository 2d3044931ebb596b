{% macro whole_versions(declared, plan) %}
    {% set read = dms_snapshots.index_node().setdefault("whole_versions", {}) %}
    {% if declared.label not in read %}
        {% do read.update(dms_snapshots.read_whole_versions([[declared, plan]])) %}
    {% endif %}
    {% set whole = read[declared.label] %}
    {% if whole.error %}{% do dms_snapshots.fail_with([whole.error]) %}{% endif %}
    {% do return(whole) %}
{% endmacro %}


{% macro read_whole_versions(plans) %}
    {% set wanted = {} %}
    {% for declared, plan in plans %}
        {% do wanted.update({declared.label: {
            "number": plan.newest,
            "base": plan.base.version if plan.base else none,
            "next": {
                "run_date": plan.run_date, "version": plan.version, "layout": dms_snapshots.layout(declared),
                "history": declared.history, "change_feed": declared.change_feed,
            },
        }}) %}
    {% endfor %}
    {% do return(dms_snapshots.ask_versions("states", {"wanted": wanted}) if wanted else {}) %}
{% endmacro %}
