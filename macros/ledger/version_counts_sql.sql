{% macro version_counts_sql(version) %}
    {#- The counts of a version as columns of the ledger. -#}
    {% for name in ["rows_before", "rows_inserted", "rows_updated", "rows_deleted", "rows_after"] %}
        cast({{ version[name] }} as bigint) as {{ name }}{{ "," if not loop.last }}
    {% endfor %}
{% endmacro %}
