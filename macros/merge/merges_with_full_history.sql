{% macro merges_with_full_history(declared) %}
    {#- Whether what a change says can be told only together with all earlier ones. -#}
    {% set finds_repeats = not declared.primary_keys and declared.change_seq_column %}
    {% do return(declared.image == "partial" or declared.before_image_prefix or finds_repeats) %}
{% endmacro %}
