{% macro merges_with_full_history(declared) %}
    {% set finds_repeats = not declared.primary_keys and declared.change_seq_column %}
    {% do return(declared.image == "partial" or declared.before_image_prefix or finds_repeats) %}
{% endmacro %}
