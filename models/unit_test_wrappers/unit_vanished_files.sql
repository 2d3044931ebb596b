{{ config(materialized="ephemeral") }}

{#- The macro under test: which files are gone, and which of them a full load, later or begun anew, replaced. -#}
select
    path,
    is_vanished,
    is_rewritten,
    is_replaced
from ({{ vanished_files_sql("select * from " ~ ref("dms_files")) }})
