{% macro create_feed_table(feed, declared, root) %}
    {#- The table of the changes; its partitions point to folders of the versions of the snapshot. -#}
    {% set columns = feed_columns(declared) %}
    {% set about = "What each run date changed in " ~ declared.label ~ "; one row per key that differs." %}
    {% if load_relation(feed) is none %}
        {% do create_table(feed, columns + [feed_partition()], [feed_partition()], root ~ "/feed", "comment " ~ sql_string(about)) %}
    {% endif %}
    {% do sync_columns(feed, columns, declared.label) %}
{% endmacro %}
