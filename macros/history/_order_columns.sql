{% macro _order_columns() %}
    {%- do return("_dms_generation, _dms_is_load, _dms_change_seq, _dms_committed_at, _dms_file_seq, _dms_run_date, _dms_row") -%}
{% endmacro %}
