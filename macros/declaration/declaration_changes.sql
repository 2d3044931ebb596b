{% macro declaration_changes(then, now, use, is_whole=false, applied=none) %}
    {#- What differs between two declarations and matters for a use of what was made under the earlier one. -#}
    {% set changes = [] %}
    {% if not then %}{% do return(changes) %}{% endif %}
    {% set found = dms_snapshots._differences(then, now, is_whole, applied or then) %}
    {% for change, severities, message in dms_snapshots._change_rules() if use in severities %}
        {% for values in found.get(change, []) %}
            {% do changes.append(
                {"change": change, "severity": severities[use], "message": message.format(**values)}
            ) %}
        {% endfor %}
    {% endfor %}
    {% do return(changes) %}
{% endmacro %}
