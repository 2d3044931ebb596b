{% macro declaration_changes(then, now, use, is_whole=false, applied=none, since=none) %}
    {% set changes = [] %}
    {% if not then %}{% do return(changes) %}{% endif %}
    {% set found = dms_snapshots._differences(
        then, now, is_whole, applied or then, since or {"new": [], "again": []}
    ) %}
    {% for change, severities, message in dms_snapshots._change_rules() if use in severities %}
        {% for values in found.get(change, []) %}
            {% do changes.append(
                {"change": change, "severity": severities[use], "message": message.format(**values)}
            ) %}
        {% endfor %}
    {% endfor %}
    {% do return(changes) %}
{% endmacro %}


{% macro columns_since(staged, now) %}
    {% set known, again, doubtful = {}, {}, {} %}
    {% for then in staged + [now] %}
        {% set facts = then or {"columns": [], "renamed_from": {}} %}
        {% set names, settings = facts.columns | map(attribute=0) | map("lower") | list, facts.settings or {} %}
        {% set takes_all = (facts.reading or {}).on_schema_change in ["fail", "append_new_columns"] %}
        {% set prefix = settings.before_image_prefix | default("", true) | lower %}
        {% set others = [settings.op_column, settings.timestamp_column, settings.change_seq_column] | select | list %}
        {% set taken = (others + facts.renamed_from | list) | map("lower") | list %}
        {% for column in now.columns %}
            {% set name = column[0] | lower %}
            {% if name not in names and name in known %}{% do again.update({name: true}) %}{% endif %}
            {% if name in taken or name not in names and (not takes_all or prefix and name.startswith(prefix)) %}
                {% do doubtful.update({name: true}) %}
            {% endif %}
        {% endfor %}
        {% do known.update(dict.fromkeys(names)) %}
    {% endfor %}
    {% do return({"new": known | reject("in", doubtful) | reject("in", again) | list, "again": again | list}) %}
{% endmacro %}
