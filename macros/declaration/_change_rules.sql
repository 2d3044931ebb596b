{% macro _change_rules() %}
    {% do return([
        ["keys", {"build_on": "error"}, "primary_keys were {was} and are {now}"],
        ["unique_keys", {"build_on": "error"}, "primary_keys were {was} and are {now}"],
        ["applied_keys", {"full_history": "error"}, "primary_keys were {now} when published and {was} when staged"],
        ["history_keys", {"history": "error"}, "primary_keys were {was} and are {now}"],
        ["renamed", {"build_on": "error"}, "columns {gone} are gone and {new} are new; they may be renamed columns"],
        ["reused_name", {"build_on": "error"}, "column {name} has renamed_from {other}, which was a column of its own"],
        ["new", {"build_on": "warning"}, "new columns: {new}. Rows have NULL there until a change touches them"],
        ["gone", {"build_on": "warning"}, "columns no longer declared: {gone}. They are NULL from this run date on"],
        ["lost", {"full_history": "error"}, "columns {lost} were published and are not in these staged changes"],
        ["cdc_start_date", {"build_on": "error"}, "cdc_start_date was {was} and is {now}"],
        ["folded", {"build_on": "error", "full_history": "error"}, "{key} was {was} and is {now}"],
        ["full_history_setting", {"full_history": "error"}, "{key} was {was} and is {now}"],
    ]) %}
{% endmacro %}
