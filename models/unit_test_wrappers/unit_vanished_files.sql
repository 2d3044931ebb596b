{{ config(materialized="ephemeral") }}

{#- The macro under test: which files are gone, and which of them a later full load replaced. -#}
select
    path,
    is_vanished,
    is_replaced
from ({{ vanished_files_sql("select * from " ~ ref("dms_files")) }})
