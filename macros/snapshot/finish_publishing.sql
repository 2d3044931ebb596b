{% macro finish_publishing(relation, declared, state) %}
    {#- What a command recorded and did not show, because it died, is shown here. -#}
    {% if state.newest and state.published_version != state.newest | string %}
        {% set head = state.head %}
        {#- It may have died before it dropped what it had replaced. Later dates are staged by other runs. -#}
        {% if head.version == state.newest and head.action == "build" and not head.base_version %}
            {% do drop_replaced_staging(declared, head.run_date, "lt") %}
        {% endif %}
        {#- A table that was made anew has shown nothing yet. -#}
        {% set before = state.newest - 1 or none if state.published_version else none %}
        {% do show_state(relation, declared, state, before, known=false) %}
        {% do log(declared.label ~ ": finished publishing version " ~ state.newest ~ " of " ~ head.run_date, info=true) %}
    {% endif %}
{% endmacro %}
