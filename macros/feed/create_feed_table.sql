{% macro create_feed_table(feed, declared, root) %}
    {#- The table of the changes; its partitions point to folders of the versions of the snapshot. -#}
    {% set columns = feed_columns(declared) %}
    {% do run_query(
        "create table if not exists " ~ feed ~ " (" ~ column_definitions(columns + [feed_partition()]) ~ ") using parquet "
        ~ "partitioned by (" ~ column_names([feed_partition()]) ~ ") location " ~ sql_string(root ~ "/feed")
        ~ " comment " ~ sql_string("What each run date changed in " ~ declared.label ~ "; one row per key that differs.")
    ) %}
    {% do sync_columns(feed, columns, declared.label) %}
{% endmacro %}
