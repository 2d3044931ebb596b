{% macro version_states(wanted) %}
    {% do return(dms_snapshots.ask_versions("states", {"wanted": wanted}) if wanted else {}) %}
{% endmacro %}


{% macro version_state(declared, wanted={}) %}
    {% set said = dms_snapshots.version_states({declared.label: wanted})[declared.label] %}
    {% if said.error %}{% do dms_snapshots.fail_with([said.error]) %}{% endif %}
    {% do return(said) %}
{% endmacro %}
