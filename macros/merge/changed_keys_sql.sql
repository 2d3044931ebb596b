{% macro changed_keys_sql(changes, declared, with_rows=true) %}
    {#- The newest change of each key, or every row without a key, and the partition that its row is in. -#}
select
    *
    {{ ", " ~ partition_name_sql(partition_sql(declared)) ~ " as _dms_partition" if declared.partition_date }}
from (
    {% if declared.primary_keys %}
    {{ latest_per_key_sql(changes, declared, with_rows) }}
    {% else %}
    select {{ column_names(declared.columns) }}, _dms_op, _dms_file_seq, _dms_row
    from {{ changes }}
    {% endif %}
)
{% endmacro %}
