{{ config(
    materialized="dms_index",
    partition_by=["run_date", "version"],
    pre_hook="{{ dms_index_view() }}",
) }}

{#- Said at once, while dbt parses, and not by each table for itself. -#}
{% do check_variables() %}
{% do run_date() %}

-- What is new since the last run; the rows of the table are written by the data source that makes this view.
select * from dms_index
