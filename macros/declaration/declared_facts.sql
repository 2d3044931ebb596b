{% macro declared_facts(declared) %}
    {#-
        All of a declaration that decides what staged changes and published files mean, as JSON can keep it.
        Comments of columns do not; neither do limits, checks and what becomes of rows that cannot be read.
    -#}
    {% set columns = [] %}
    {% for column in declared.columns %}
        {% do columns.append([column.name, column.data_type | lower | replace(" ", "")]) %}
    {% endfor %}
    {% do return(fromjson(tojson({
        "columns": columns,
        "renamed_from": renamed_columns(declared),
        "primary_keys": declared.primary_keys,
        "cdc_start_date": declared.cdc_start_date | string if declared.cdc_start_date else none,
        "layout": layout(declared),
        "settings": staging_settings(declared),
    }))) %}
{% endmacro %}
