{% macro change_order(declared) %}
    {% set leading = {"file": [], "change_seq": ["_dms_change_seq desc"], "timestamp": ["_dms_committed_at desc"]} %}
    {#- Of a file that was uploaded again, what the later run took of it is newer, in any row. -#}
    {% set by_file = ["_dms_file_seq desc", "_dms_run_date desc", "_dms_row desc"] %}
    {% do return((["_dms_is_load asc"] + leading[declared.order_by] + by_file) | join(", ")) %}
{% endmacro %}
