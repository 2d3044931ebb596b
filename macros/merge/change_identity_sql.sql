{% macro change_identity_sql() -%}
    _dms_generation, coalesce(_dms_change_seq, concat_ws(' ', _dms_run_date, _dms_file_seq, _dms_row))
{%- endmacro %}
