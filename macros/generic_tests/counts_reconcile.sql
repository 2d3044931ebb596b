{% test counts_reconcile(model) %}
{#- Versions whose counts do not add up, or whose newest one differs from the rows that are there. -#}
{%- set table = tested_table(model) if execute else {} %}
with versions as (

    select *
    from {{ ref("snapshot_versions") }}
    where {{ table_filter(table) }}

),

newest as (

    select *
    from versions
    where current_version = version
    order by version desc
    limit 1

),

published as (

    select count(*) as row_count
    from {{ model }}
    where {{ newest_rows_filter(model) }}

)

select
    run_date,
    version,
    rows_before + rows_inserted - rows_deleted as rows_expected,
    rows_after as rows_found,
    'before + inserted - deleted is not after' as what
from versions
where rows_before + rows_inserted - rows_deleted <> rows_after

union all

select
    newest.run_date,
    newest.version,
    newest.rows_after as rows_expected,
    published.row_count as rows_found,
    'the version history and the published rows differ' as what
from newest
cross join published
where newest.rows_after <> published.row_count
{% endtest %}
