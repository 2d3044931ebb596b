{% macro write_slices(relation, declared, location, rows_sql, rebalance) %}
    {#- Writes rows to a fresh folder, one folder for each slice; returns the slices, counted from the files. -#}
    {% if not declared.partition_date %}
        {% call statement("rows") %}
            insert overwrite directory {{ sql_string(location) }} using parquet
            {{ rows_sql }}
        {% endcall %}
        {% set counted = query_rows("select count(*) as row_count from parquet.`" ~ location ~ "`")[0].row_count %}
        {% do return([{"slice": none, "location": location, "rows": counted}]) %}
    {% endif %}
    {#- Spark writes many folders in one go to a table only; this one lives until they are written. -#}
    {% set writing = relation.incorporate(path={"identifier": relation.identifier ~ "__writing"}) %}
    {% do run_query("drop table if exists " ~ writing) %}
    {% call statement("rows") %}
        create table {{ writing }} using parquet partitioned by (partition_date) location {{ sql_string(location) }} as
        select {{ "/*+ rebalance(partition_date) */" if rebalance }} *, {{ slice_sql(declared) }} as partition_date
        from ({{ rows_sql }})
    {% endcall %}
    {% set slices = query_rows(
        "select coalesce(cast(partition_date as string), " ~ sql_string(null_partition()) ~ ") as slice, count(*) as rows from "
        ~ writing ~ " group by partition_date order by slice"
    ) %}
    {% for slice in slices %}
        {% do slice.update({"location": location ~ "/partition_date=" ~ slice.slice}) %}
    {% endfor %}
    {% do run_query("drop table " ~ writing) %}
    {% do return(slices) %}
{% endmacro %}
