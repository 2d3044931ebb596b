{% macro passes_once(declared, gate) %}
    {#- Whether a person has said, for this one command, that a gate may fail. -#}
    {% set tables = var(gate, []) %}
    {% do return(declared.label in ([tables] if tables is string else tables)) %}
{% endmacro %}
