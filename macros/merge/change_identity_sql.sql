{% macro change_identity_sql() -%}
    {#- What a change has in common with itself delivered again, and with no other; each folder counts by itself. -#}
    _dms_generation, coalesce(_dms_change_seq, concat_ws(' ', _dms_run_date, _dms_file_seq, _dms_row))
{%- endmacro %}
