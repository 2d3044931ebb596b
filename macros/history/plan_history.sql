{% macro plan_history(relation, declared) %}
    {% set index, dates, folders = dms_snapshots.index_node(), dms_snapshots.history_dates(relation), [] %}
    {% set published = [
        index.get("made", {}).get(declared.label), index.get("finished", {}).get(declared.label)
    ] %}
    {#- A folder is a statement: of a history of years no more than it takes. -#}
    {% for count in [3, 33, dates | length] %}
        {% do folders.extend(dms_snapshots.history_folders(relation, dates[folders | length:count])) %}
        {% set plan = dms_snapshots.ask_versions("history", {
            "label": declared.label, "name": model.name, "dates": dates, "folders": folders, "published": published
        })[declared.label] %}
        {% if plan.error %}{% do dms_snapshots.fail_with([plan.error]) %}{% endif %}
        {% if plan.is_due is not none %}{% do return(dict(plan, newest_folders=folders[:2])) %}{% endif %}
    {% endfor %}
{% endmacro %}
