{% macro gate_sql(declared, gate, view) %}
    {#- The SQL of a generic data test, with the new version in the place of its model. -#}
    {% set test = gate.test_metadata %}
    {% set test_macro = find_test((test.namespace ~ "." if test.namespace) ~ test.name) %}
    {% if not test_macro %}
        {% do exceptions.raise_compiler_error(declared.label ~ ": gate " ~ gate.name ~ ": there is no data test " ~ test.name ~ ". Nothing of this table was published.") %}
    {% endif %}
    {% set arguments = {} %}
    {% for name, value in test.kwargs.items() if name != "model" %}
        {% if value is string and ("{{" in value or value.startswith("ref(") or value.startswith("source(")) %}
            {% do exceptions.raise_compiler_error(
                declared.label ~ ": " ~ gate.name ~ " looks at another table (" ~ name ~ ": " ~ value ~ "), which a gate cannot, because it runs "
                ~ "before that is built. Take meta.gate away from it; dbt test runs it after. Nothing of this table was published."
            ) %}
        {% endif %}
        {% do arguments.update({name: value}) %}
    {% endfor %}
    {% set where = gate.config.where %}
    {% do return(test_macro(
        "(select * from " ~ view ~ " where " ~ where ~ ") as new_version" if where else view, **arguments
    )) %}
{% endmacro %}
