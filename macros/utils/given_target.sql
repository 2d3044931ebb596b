{% macro given_target() %}
    {#- The target of this command as an option for the next one, if it was given as one. -#}
    {%- do return(" --target " ~ target.name if invocation_args_dict.get("target") else "") -%}
{% endmacro %}
