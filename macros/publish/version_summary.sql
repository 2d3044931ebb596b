{% macro version_summary(version) %}
    {#- The result of a snapshot that was published; the end of the run reads the number from it. -#}
    {% do return(
        "version " ~ version.version ~ ": +" ~ version.rows_inserted ~ " ~" ~ version.rows_updated
        ~ " -" ~ version.rows_deleted ~ ", " ~ version.rows_after ~ " rows"
    ) %}
{% endmacro %}


{% macro unchanged_summary(plan) %}
    {% do return("unchanged since version " ~ plan.current.version ~ ", " ~ plan.current.rows_after ~ " rows") %}
{% endmacro %}
