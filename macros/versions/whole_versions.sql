{% macro whole_versions(declared, plan) %}
    {% set whole = dms_snapshots.index_node().get("whole_versions", {}).get(declared.label) %}
    {% if whole is none %}{% set whole = dms_snapshots.read_whole_versions(
        [[declared, plan]]
    )[declared.label] %}{% endif %}
    {% set newest, current = whole.get(plan.newest), whole.get(plan.current.version) if plan.current else none %}
    {% do return({
        "newest": newest,
        "current": current,
        "base": whole[plan.base.version] if plan.base else none,
        "dates": dms_snapshots.shown_dates(newest, current, plan.unchanged_dates),
    }) %}
{% endmacro %}


{% macro read_whole_versions(plans) %}
    {% set wanted = [] %}
    {% for declared, plan in plans %}
        {% set numbers = [
            plan.newest,
            plan.current.version if plan.current else none,
            plan.base.version if plan.base else none,
        ] %}
        {% for number in numbers | reject("none") | unique %}{% do wanted.append([declared, number]) %}{% endfor %}
    {% endfor %}
    {% set found = dms_snapshots.read_manifests(wanted, is_whole=true) %}
    {% for declared, plan in plans %}{% do found.setdefault(declared.label, {}) %}{% endfor %}
    {% do return(found) %}
{% endmacro %}


{% macro shown_dates(newest, current, unchanged_dates) %}
    {% set shown = {} %}
    {% for date in unchanged_dates if current %}{% do shown.update({date: current.version}) %}{% endfor %}
    {% for date in (newest.dates if newest else []) or [] %}
        {% do shown.update({date.run_date: date.version}) %}
    {% endfor %}
    {% do return(shown) %}
{% endmacro %}
