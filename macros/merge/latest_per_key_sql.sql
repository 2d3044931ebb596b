{% macro latest_per_key_sql(changes, declared, with_rows=true) %}
    {#-
        The newest change of each key: its row, or, because a shuffle of wide rows costs much, only where
        that is and its business date. `changes` names a relation or a CTE of staged changes.
    -#}
    {% if declared.image == "partial" %}
        {% do return(_merged_partial_updates_sql(changes, declared)) %}
    {% elif declared.before_image_prefix %}
        {% do return(_merged_key_changes_sql(changes, declared)) %}
    {% endif %}
    {% set business_date = [declared.partition_date] | select | reject("in", declared.primary_keys) | list %}
with ranked as (

    {{ ranked_changes_sql(changes, declared) }}

)

select
    {{ column_names(declared.columns if with_rows else declared.primary_keys + business_date) }},
    _dms_op,
    _dms_generation,
    _dms_file_seq,
    _dms_row
from ranked
where _dms_rank = 1
{% endmacro %}
