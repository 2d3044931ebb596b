{% macro write_changed_keys(location, changes_sql, declared, plan, with_rows) %}
    {#- Written, because it is read three times: counted, left out of the old, and found or added in the new. -#}
    {% call statement("changes") %}
        insert overwrite directory {{ sql_string(location) }} using parquet
        {{ changed_keys_sql("(" ~ candidate_changes_sql(changes_sql, declared, plan) ~ ")", declared, with_rows) }}
    {% endcall %}
{% endmacro %}
