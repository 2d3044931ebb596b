{% macro _kept_folders(declared, kept) %}
    {#-
        The folders of some versions: their slices, and the changes of every date that the feed has with
        them. What else a run has written, the changed keys and the rows they replaced, was for that run.
    -#}
    {% set ledger = ref("snapshot_versions") %}
    {% set folders_sql %}
        with kept as (
            select version, slices, feed_dates
            from {{ ledger }}
            where {{ versions_filter(declared, kept) }}
        ),
        fed as (
            select version from kept
            union
            select shown.version from (select explode(feed_dates) as shown from kept)
        )
        select slice.location from (select explode(slices) as slice from kept)
        union
        select feed_location as location
        from {{ ledger }} as entries
        left semi join fed on entries.version = fed.version
        where
            {{ table_filter(declared) }}
            and feed_location is not null
    {% endset %}
    {% do return(query_rows(folders_sql) | map(attribute="location") | list) %}
{% endmacro %}
