{% macro change_order(declared) %}
    {#-
        The total order of the changes of one key within a generation, newest first. A full load
        is older than every change, whatever time it is stamped with.
    -#}
    {% set terms = {
        "file": ["_dms_file_seq desc", "_dms_row desc"],
        "change_seq": ["_dms_change_seq desc", "_dms_file_seq desc", "_dms_row desc"],
        "timestamp": ["_dms_committed_at desc", "_dms_file_seq desc", "_dms_row desc"],
    } %}
    {#- Last, for a file that was uploaded again: what a later run took of it. -#}
    {% do return((["_dms_is_load asc"] + terms[declared.order_by] + ["_dms_run_date desc"]) | join(", ")) %}
{% endmacro %}
