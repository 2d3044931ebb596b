{{ config(
    materialized="dms_index",
    partition_by=["run_date", "version"],
    pre_hook="{{ dms_snapshots.dms_index_view() }}",
) }}

{#- Said at once, while dbt parses, and not by each table for itself. -#}
{% do dms_snapshots.check_variables() %}
{% do dms_snapshots.run_date() %}

-- What is new since the last run; the rows of the table are written by the data source that makes this view.
select * from dms_index
