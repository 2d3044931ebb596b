{% macro ranked_changes_sql(changes, declared) %}
    {#- Changes with their rank among those of their key, the newest first. -#}
select
    *,
    row_number() over (
        partition by {{ dms_snapshots.column_names(declared.primary_keys) }}
        order by {{ dms_snapshots.change_order(declared) }}
    ) as _dms_rank
from {{ changes }}
{% endmacro %}
