{% macro declared_tables_sql() %}
    {#- Also those that are refused or not active: what is wrong with one is told beside it. -#}
    {% set lines = [] %}
    {% for node in graph.sources.values() if execute and node.config.meta.dms %}
        {% set declared = read_declaration(node) %}
        {% set settings = {} %}
        {% for key in dms_keys() %}{% do settings.update({key: declared.get(key)}) %}{% endfor %}
        {% do lines.append("(" ~ sql_string(tojson({
            "unique_id": node.unique_id,
            "settings": settings,
            "layout": none if declared.problems else layout(declared),
            "problems": declared.problems,
        })) ~ ")") %}
    {% endfor %}
    {% if lines %}
        select declared from values {{ lines | join(", ") }} as declarations (declared)
    {% else %}
        select '' as declared where false
    {% endif %}
{% endmacro %}
