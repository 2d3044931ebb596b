{% macro history_versions(declared, plan) %}
    {#- The manifests of the runs that a history takes, and of the version that it is built on, by version. -#}
    {% set wanted = [] %}
    {% for number in plan.runs | map(attribute="version") | list + ([plan.base.version] if plan.base else []) %}
        {% do wanted.append([declared, number]) %}
    {% endfor %}
    {% do return(read_manifests(wanted, is_whole=true).get(declared.label, {})) %}
{% endmacro %}
