{% macro _image_problems(declared) %}
    {#- Settings that contradict each other about what a change carries. -#}
    {% set problems = [] %}
    {% if declared.csv.no_sup_value is not none and declared.image == "full" %}
        {% do problems.append("csv.no_sup_value is set, but image is full; a column that may be unknown needs image: partial") %}
    {% endif %}
    {% if declared.image == "partial" and declared.before_image_prefix %}
        {% do problems.append(
            "image is partial, and before_image_prefix is set; allowed is one of them: a row that moves to another key must be "
            ~ "whole. Log all columns at the source, and remove image: partial"
        ) %}
    {% endif %}
    {% for key in ["image", "before_image_prefix"] if not declared.primary_keys and declared[key] not in [none, "full"] %}
        {% do problems.append(key ~ " is " ~ declared[key] ~ ", but primary_keys is []; only rows with a key are updated") %}
    {% endfor %}
    {% set lowered = declared.columns | map(attribute="name") | map("lower") | list %}
    {% for key in declared.primary_keys if declared.before_image_prefix and (declared.before_image_prefix ~ key) | lower in lowered %}
        {% do problems.append(
            "before_image_prefix is " ~ declared.before_image_prefix ~ ", but " ~ declared.before_image_prefix ~ key
            ~ " is a declared column; it can be only one of them. Set another prefix at the DMS task"
        ) %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}
