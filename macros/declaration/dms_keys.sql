{% macro dms_keys() %}
    {#- Every key of config.meta.dms, its default and what is allowed: the one list of them. -#}
    {% set types = {"text": "a text", "texts": "a list of texts", "flag": "true or false"} %}
    {% do return({
        "path": {"kind": "text", "required": true},
        "active": {"kind": "flag", "default": true},
        "primary_keys": {"kind": "texts", "required": true},
        "partition_date": {"kind": "text", "default": none},
        "partition_granularity": {"kind": "choice", "allowed": ["day", "month", "year"], "default": "day"},
        "history": {"kind": "flag", "default": true},
        "change_feed": {"kind": "flag", "default": false},
        "cdc_start_date": {"kind": "date", "default": none},
        "transaction_path": {"kind": "text", "default": none},
        "file_timezone": {"kind": "text", "default": "UTC"},
        "format": {"kind": "choice", "allowed": ["auto", "parquet", "csv"], "default": "auto"},
        "csv": {"kind": "keys", "keys": csv_keys(), "default": {}},
        "op_column": {"kind": "text", "default": "Op"},
        "timestamp_column": {"kind": "text", "default": none},
        "timestamp_timezone": {"kind": "text", "default": "UTC"},
        "change_seq_column": {"kind": "text", "default": none},
        "before_image_prefix": {"kind": "text", "default": none},
        "image": {"kind": "choice", "allowed": ["full", "partial"], "default": "full"},
        "captures_deletes": {"kind": "flag", "default": true},
        "order_by": {"kind": "choice", "allowed": ["file", "change_seq", "timestamp"], "default": "file"},
        "on_schema_change": {"kind": "choice", "allowed": ["fail", "ignore", "append_new_columns"], "default": "fail"},
        "on_bad_row": {"kind": "choice", "allowed": ["fail", "quarantine"], "default": "fail"},
        "on_missing_files": {"kind": "choice", "allowed": ["warn", "fail"], "default": "warn"},
        "gates": {"kind": "tests", "default": []},
        "retention": {"kind": "days", "default": none},
        "max_delete_fraction": {"kind": "fraction", "default": none},
    }) %}
{% endmacro %}
