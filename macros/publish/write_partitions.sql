{% macro write_partitions(relation, declared, location, rows_sql, rebalance, parted=false) %}
    {#-
        Writes rows to a fresh folder, one folder for each partition; returns the partitions, counted from the
        files of that folder: another run may write by a table of the same name. `parted`: `dms_part`
        tells rows from those that were replaced, which get folders of their own.
    -#}
    {% if not declared.partition_date and not parted %}
        {% call statement("rows") %}
            insert overwrite directory {{ sql_string(location) }} using parquet
            {{ rows_sql }}
        {% endcall %}
        {% set counted = query_rows("select count(*) as row_count from parquet." ~ sql_name(location))[0].row_count %}
        {% do return({"partitions": [{"partition": none, "location": location, "rows": counted}], "replaced": []}) %}
    {% endif %}
    {#- Spark writes many folders in one go to a table only; this one lives until they are written. -#}
    {% set writing = relation.incorporate(path={"identifier": relation.identifier ~ "__writing"}) %}
    {% set partitions = (["dms_part"] if parted else []) + (["partition_date"] if declared.partition_date else []) %}
    {% do run_query("drop table if exists " ~ writing) %}
    {% call statement("rows") %}
        create table {{ writing }} using parquet partitioned by ({{ partitions | join(", ") }}) location {{ sql_string(location) }} as
        select
            {{ "/*+ rebalance(partition_date) */" if rebalance }} *
            {{ ", " ~ partition_sql(declared) ~ " as partition_date" if declared.partition_date }}
        from ({{ rows_sql }})
    {% endcall %}
    {% set written_view = relation.identifier ~ "__written" %}
    {% set folders = [{"name": "dms_part", "data_type": "string"}, {"name": "partition_date", "data_type": "date"}] %}
    {% do create_files_view(
        written_view, declared.columns[:1] + folders | selectattr("name", "in", partitions) | list, location, declared
    ) %}
    {% set counted = query_rows(
        "select " ~ ("dms_part" if parted else "'rows'") ~ " as part, "
        ~ (partition_name_sql("partition_date") if declared.partition_date else "cast(null as string)")
        ~ " as partition, count(*) as rows from " ~ sql_name(written_view) ~ " group by " ~ partitions | join(", ")
    ) %}
    {% do run_query("drop table if exists " ~ writing) %}
    {% set written = {"rows": [], "replaced": []} %}
    {% for found in counted %}
        {% set folder = location ~ ("/dms_part=" ~ found.part if parted else "")
            ~ ("/partition_date=" ~ found.partition if declared.partition_date else "") %}
        {% do written[found.part].append({"partition": found.partition, "location": folder, "rows": found.rows}) %}
    {% endfor %}
    {% if not declared.partition_date and not written["rows"] %}
        {#- A table that is empty still needs a folder to point to. -#}
        {% set folder = location ~ "/dms_part=rows" %}
        {% do run_query(
            "insert overwrite directory " ~ sql_string(folder) ~ " using parquet select " ~ column_names(declared.columns)
            ~ " from (" ~ rows_sql ~ ") where false"
        ) %}
        {% do written["rows"].append({"partition": none, "location": folder, "rows": 0}) %}
    {% endif %}
    {% do return({"partitions": written["rows"], "replaced": written["replaced"]}) %}
{% endmacro %}
