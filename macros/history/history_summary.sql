{% macro history_summary(written) %}
    {% do return(
        written.changed_keys ~ " keys changed, " ~ written.closed_rows ~ " rows closed" if "rows" in written
        else "went back"
    ) %}
{% endmacro %}
