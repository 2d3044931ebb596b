{% macro refuse_other_key(declared, plan) %}
    {#- The open rows that a run goes on from were told apart by the key of their time. -#}
    {% set then = read_version(declared, plan.base.version).primary_keys if plan.base else none %}
    {% if then is none %}{% do return(none) %}{% endif %}
    {% set known, lowered = [], then | map("lower") | list %}
    {% for key in declared.primary_keys %}
        {% set names = [key] + renamed_columns(declared).get(key, []) | list %}
        {% if names | map("lower") | select("in", lowered) | list %}{% do known.append(key) %}{% endif %}
    {% endfor %}
    {% if known | length < declared.primary_keys | length or known | length != then | length %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": primary_keys are " ~ declared.primary_keys | join(", ") ~ ", and " ~ model.name ~ " tells rows apart by "
            ~ then | join(", ") ~ ". Nothing of it was changed. Declare a history of another name for the new key, and remove this one "
            ~ "from the project; what it has stays readable."
        ) %}
    {% endif %}
{% endmacro %}
