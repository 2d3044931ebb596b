{% macro write_history(relation, history, plan, versions) %}
    {#- Writes the rows of the keys that change, then from these what is closed and what is open. -#}
    {% set declared = history.declared %}
    {% set name = relation.identifier %}
    {% set location = table_location(relation) ~ "/" ~ (plan.runs | last).version ~ "/" ~ run_version() %}
    {% set written = {"closed": location ~ "/closed", "open": location ~ "/open", "rows": location ~ "/rows"} %}
    {% do plan.update(history_extent(declared, plan)) %}
    {% set staging = named_relation("stg_" ~ declared.source_name ~ "__" ~ declared.table_name) %}
    {% do sync_columns(staging, declared.columns, declared.label) %}
    {% do check_replaced_uploads(staging, declared, plan) %}
    {% call statement("changes") %}
        create or replace temporary view {{ sql_name(name ~ "__changes") }} as
        {{ history_changes_sql("select * from " ~ staging, declared, plan) }}
    {% endcall %}
    {% do create_open_rows_view(name ~ "__open", history, plan.base, relation, versions[plan.base.version] if plan.base else none) %}
    {% call statement("events") %}
        create or replace temporary view {{ sql_name(name ~ "__events") }} as
        {{ history_events_sql(sql_name(name ~ "__changes"), sql_name(name ~ "__open"), history, plan) }}
    {% endcall %}
    {% call statement("rows") %}
        insert overwrite directory {{ sql_string(written.rows) }} using parquet
        {{ history_rows_sql(sql_name(name ~ "__events"), history) }}
    {% endcall %}
    {% do written.update(query_rows(history_counts_sql(written.rows, history))[0]) %}
    {% call statement("closed") %}
        insert overwrite directory {{ sql_string(written.closed) }} using parquet
        select * from parquet.{{ sql_name(written.rows) }} where {{ sql_name(history.names.dbt_valid_to) }} is not null
    {% endcall %}
    {% call statement("open") %}
        insert overwrite directory {{ sql_string(written.open) }} using parquet
        {{ open_rows_sql(sql_name(name ~ "__open"), written, history) }}
    {% endcall %}
    {% do return(written) %}
{% endmacro %}
