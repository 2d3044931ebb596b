{% macro merge_state(relation, declared, job, changes, location) %}
    {#- Writes the partitions that the changes touch, by SQL; returns all partitions and the counts. -#}
    {% set latest, view = "parquet." ~ sql_name(changes), relation.identifier ~ "__before" %}
    {% set partitions = job.base.partitions if job.action == "merge" else [] %}
    {% set counts = query_rows(incoming_counts_sql(latest, declared)) %}
    {% set broadcast = counts | sum(attribute="changed_keys") <= var("broadcast_max_keys", 5000000) %}
    {% do _create_before_view(view, declared, job, partitions) %}
    {% set counts = counts + query_rows(matched_counts_sql(sql_name(view), latest, declared)) %}
    {% set untouched = untouched_partitions(declared, job, counts) %}
    {% if untouched %}{% do _create_before_view(view, declared, job, partitions | reject("in", untouched) | list) %}{% endif %}
    {% set merged = merge_sql(sql_name(view), latest, declared, broadcast, job.keeps_replaced) %}
    {% set written = write_partitions(
        relation, declared, location, merged, rebalance=job.action == "build", parted=job.keeps_replaced
    ) %}
    {% do return({"partitions": untouched + written.partitions, "counts": counts, "replaced": written.replaced}) %}
{% endmacro %}


{% macro _create_before_view(name, declared, job, partitions) %}
    {#- The rows that the changes fall on: some partitions of the base, or the full load in a build. -#}
    {% if job.action == "merge" %}
        {% do create_rows_view(name, declared, job.root, partitions) %}
    {% else %}
        {% do run_query(
            "create or replace temporary view " ~ sql_name(name) ~ " as select " ~ column_names(declared.columns) ~ " from ("
            ~ job.changes_sql ~ ") where _dms_is_load and _dms_generation = " ~ job.generation ~ (" and false" if job.loads_repeat else "")
        ) %}
    {% endif %}
{% endmacro %}
