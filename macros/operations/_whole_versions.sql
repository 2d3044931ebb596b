{% macro _whole_versions(declared, kept) %}
    {#- The versions of which every file is also one of a kept version: with them, those that share all their slices. -#}
    {% set ledger = ref("snapshot_versions") %}
    {% set of_table = table_filter(declared) %}
    {% set whole_sql %}
        select version from {{ ledger }} where {{ of_table }}
        except
        select needing.version
        from (select version, inline(slices) as (slice, location, rows) from {{ ledger }} where {{ of_table }}) as needing
        left anti join (
            select inline(slices) as (slice, location, rows) from {{ ledger }} where {{ versions_filter(declared, kept) }}
        ) as there
            on needing.location = there.location
        where needing.rows > 0
    {% endset %}
    {% do return(query_rows(whole_sql) | map(attribute="version") | list) %}
{% endmacro %}
