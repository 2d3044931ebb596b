{% macro finish_publishing(relation, declared, state) %}
    {#- What a command recorded and did not show, because it died, is shown here. -#}
    {% if state.newest and state.published_version != state.newest | string %}
        {#- A table that was made anew has shown nothing yet. -#}
        {% set before = state.newest - 1 or none if state.published_version else none %}
        {% do show_state(relation, declared, state, before, known=false) %}
        {% do log(declared.label ~ ": finished publishing version " ~ state.newest ~ " of " ~ state.head.run_date, info=true) %}
    {% endif %}
{% endmacro %}
