{% macro merge_state(relation, declared, job, changes, location) %}
    {% set latest, view = "parquet." ~ dms_snapshots.sql_name(changes), relation.identifier ~ "__before" %}
    {% set partitions = job.base.partitions if job.action == "merge" else [] %}
    {% do dms_snapshots.check_files(declared, job.base.version if job.base else none, partitions) %}
    {% set counts = dms_snapshots.query_rows(dms_snapshots.incoming_counts_sql(latest, declared)) %}
    {% set broadcast = counts | sum(attribute="changed_keys") <= dms_snapshots.broadcast_max_keys() %}
    {% do dms_snapshots.create_before_view(view, declared, job, partitions) %}
    {% set counts = counts + dms_snapshots.query_rows(
        dms_snapshots.matched_counts_sql(dms_snapshots.sql_name(view), latest, declared)
    ) %}
    {% set untouched = dms_snapshots.untouched_partitions(declared, job, counts) %}
    {% if untouched %}
        {% do dms_snapshots.create_before_view(view, declared, job, partitions | reject("in", untouched) | list) %}
    {% endif %}
    {% set merged = dms_snapshots.merge_sql(
        dms_snapshots.sql_name(view), latest, declared, broadcast, job.keeps_replaced
    ) %}
    {% set written = dms_snapshots.write_partitions(
        relation, declared, location, merged, rebalance=job.action == "build", parted=job.keeps_replaced
    ) %}
    {% do return({"partitions": untouched + written.partitions, "counts": counts, "replaced": written.replaced}) %}
{% endmacro %}


{% macro write_partitions(relation, declared, location, rows_sql, rebalance, parted) -%}
    {% if not declared.partition_date and not parted %}
        {% call statement("rows") %}
            {{ dms_snapshots.write_folder_sql(location) }}
            {{ rows_sql }}
        {% endcall %}
        {% set counted = dms_snapshots.query_rows(
            "select count(*) as row_count from parquet." ~ dms_snapshots.sql_name(location)
        )[0].row_count %}
        {% do return({"partitions": [{"partition": none, "location": location, "rows": counted}], "replaced": []}) %}
    {% endif %}
    {#- Spark writes many folders in one go to a table only; this one lives until they are written. -#}
    {% set writing = relation.incorporate(path={"identifier": relation.identifier ~ "__writing"}) %}
    {% set partitions = (["dms_part"] if parted else []) + (["partition_date"] if declared.partition_date else []) %}
    {% do run_query("drop table if exists " ~ writing) %}
    {% call statement("rows") %}
        create table {{ writing }}
        using parquet
        partitioned by ({{ partitions | join(", ") }})
        location {{ dms_snapshots.sql_string(location) }} as
        select
            {{ "/*+ rebalance(partition_date) */" if rebalance }} *
            {{ ", " ~ dms_snapshots.partition_sql(declared) ~ " as partition_date" if declared.partition_date }}
        from ({{ rows_sql }})
    {% endcall %}
    {% set written_view = relation.identifier ~ "__written" %}
    {% set folders = [{"name": "dms_part", "data_type": "string"}, {"name": "partition_date", "data_type": "date"}] %}
    {% do dms_snapshots.create_files_view(
        written_view, declared.columns[:1] + folders | selectattr("name", "in", partitions) | list, location, declared
    ) %}
    {% set counted = dms_snapshots.query_rows(
        "select " ~ ("dms_part" if parted else "'rows'") ~ " as part, "
        ~ (dms_snapshots.partition_name_sql("partition_date") if declared.partition_date else "cast(null as string)")
        ~ " as partition, count(*) as rows from " ~ dms_snapshots.sql_name(written_view) ~ " group by "
        ~ partitions | join(", ")
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
            dms_snapshots.write_folder_sql(folder) ~ " select " ~ dms_snapshots.column_names(declared.columns)
            ~ " from (" ~ rows_sql ~ ") where false"
        ) %}
        {% do written["rows"].append({"partition": none, "location": folder, "rows": 0}) %}
    {% endif %}
    {% do return({"partitions": written["rows"], "replaced": written["replaced"]}) %}
{% endmacro %}
