{% macro csv_keys() %}
    {#- Every key of config.meta.dms.csv: what the DMS endpoint is set to, by default what DMS is. -#}
    {% do return({
        "header": {"kind": "flag", "default": false},
        "delimiter": {"kind": "characters", "default": ","},
        "row_delimiter": {"kind": "characters", "default": "\\n"},
        "rfc4180": {"kind": "flag", "default": true},
        "quote": {"kind": "character", "default": '"'},
        "null_value": {"kind": "any_text", "default": "NULL"},
        "no_sup_value": {"kind": "any_text", "default": none},
        "encoding": {"kind": "text", "default": "utf-8"},
        "columns": {"kind": "texts", "default": none},
    }) %}
{% endmacro %}
