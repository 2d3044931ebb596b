{% macro staging_settings(declared) %}
    {#- Columns and key are told apart from these; what becomes of bad rows and new columns changes no row that is staged. -#}
    {% set settings = reader_settings(declared) %}
    {% for key in ["columns", "primary_keys", "on_schema_change", "on_bad_row"] %}{% do settings.pop(key) %}{% endfor %}
    {#- Python does not know of it, because SQL leaves the files before it out. -#}
    {% do settings.update({"cdc_start_date": declared.cdc_start_date | string if declared.cdc_start_date else none}) %}
    {% do return(fromjson(tojson(settings))) %}
{% endmacro %}
