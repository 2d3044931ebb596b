{% macro reader_settings(declared) %}
    {% set columns = [] %}
    {% for column in declared.columns %}
        {% do columns.append([column.name, column.data_type]) %}
    {% endfor %}
    {#- What few tables declare is left out of the others, whose fingerprints stay as they are. -#}
    {% set rare = {} %}
    {% if declared.shard_column %}{% do rare.update({"shard_column": declared.shard_column}) %}{% endif %}
    {% for key in ["trim", "lower", "unaccent"] if declared[key] %}
        {% do rare.update({key: declared[key]}) %}
    {% endfor %}
    {% if declared.on_time_out_of_range != "fail" %}
        {% do rare.update({"on_time_out_of_range": declared.on_time_out_of_range}) %}
    {% endif %}
    {% do return(dict(rare, **{
        "columns": columns,
        "primary_keys": declared.primary_keys,
        "op_column": declared.op_column,
        "timestamp_column": declared.timestamp_column,
        "change_seq_column": declared.change_seq_column,
        "captures_deletes": declared.captures_deletes,
        "on_schema_change": declared.on_schema_change,
        "on_bad_row": declared.on_bad_row,
        "image": declared.image,
        "before_image_prefix": declared.before_image_prefix,
        "timestamp_timezone": declared.timestamp_timezone,
        "order_by": declared.order_by,
        "renamed_from": dms_snapshots.renamed_columns(declared),
        "transaction_table":
            (declared.path.rstrip("/").split("/")[-2:] | reverse | list) if declared.transaction_path else none,
        "format": declared.format,
        "csv": declared.csv,
    })) %}
{% endmacro %}
