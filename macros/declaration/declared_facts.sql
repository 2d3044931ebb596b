{% macro declared_facts(declared) %}
    {% set columns = [] %}
    {% for column in declared.columns %}
        {% do columns.append([column.name, column.data_type | lower | replace(" ", "")]) %}
    {% endfor %}
    {% set start_date = declared.cdc_start_date | string if declared.cdc_start_date else none %}
    {#- Python does not know of the start date, because SQL leaves the files before it out. -#}
    {% set settings = dict(dms_snapshots.reader_settings(declared), cdc_start_date=start_date) %}
    {#-
        Columns and key are told apart from these; what becomes of bad rows and new columns changes no row that is
        staged.
    -#}
    {% for key in ["columns", "primary_keys", "on_schema_change", "on_bad_row"] %}{% do settings.pop(key) %}{% endfor %}
    {#- Rows of several folders are told apart with the shard; whether a key is in one of them only is declared. -#}
    {% set keys, shard = declared.declared_keys or [], declared.shard_column %}
    {% set unique = {"unique_keys": keys} if keys and shard and shard not in keys else {} %}
    {% do return(fromjson(tojson(dict(unique, **{
        "columns": columns,
        "renamed_from": dms_snapshots.renamed_columns(declared),
        "primary_keys": declared.primary_keys,
        "cdc_start_date": start_date,
        "layout": dms_snapshots.layout(declared),
        "settings": settings,
        "reading": {"on_bad_row": declared.on_bad_row, "on_schema_change": declared.on_schema_change},
    })))) %}
{% endmacro %}
