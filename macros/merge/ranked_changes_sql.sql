{% macro ranked_changes_sql(changes, declared) -%}
select
    *,
    row_number() over (
        partition by {{ dms_snapshots.column_names(declared.primary_keys) }}
        order by {{ dms_snapshots.change_order(declared) }}
    ) as _dms_rank
from {{ changes }}
{% endmacro %}
