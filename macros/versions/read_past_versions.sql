{% macro read_past_versions(tables) %}
    {% set past, wanted = {}, {} %}
    {% for declared in tables %}
        {% do wanted.update({declared.label: {"after": 0, "fields": []}}) %}
    {% endfor %}
    {% for label, said in (dms_snapshots.read_versions(wanted) if wanted else {}).items() %}
        {% if said.error %}{% do dms_snapshots.fail_with([said.error]) %}{% endif %}
        {% do past.update({label: said.history}) %}
    {% endfor %}
    {% do return(past) %}
{% endmacro %}
