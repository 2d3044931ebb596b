{% macro version_state(declared, wanted={}) %}
    {% set said = dms_snapshots.ask_versions("states", {"wanted": {declared.label: wanted}})[declared.label] %}
    {% if said.error %}{% do dms_snapshots.fail_with([said.error]) %}{% endif %}
    {% do return(said) %}
{% endmacro %}
