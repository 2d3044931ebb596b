{% macro latest_per_key_sql(changes, declared, with_rows=true) -%}
    {% if declared.image == "partial" %}
        {% do return(dms_snapshots._merged_partial_updates_sql(changes, declared)) %}
    {% elif declared.before_image_prefix %}
        {% do return(dms_snapshots._merged_key_changes_sql(changes, declared)) %}
    {% endif %}
    {% set business_date = [declared.partition_date] | select | reject("in", declared.primary_keys) | list %}
with ranked as (

    {{ dms_snapshots.ranked_changes_sql(changes, declared) }}

)

select
    {{ dms_snapshots.column_names(declared.columns if with_rows else declared.primary_keys + business_date) }},
    _dms_op,
    _dms_generation,
    _dms_file_seq,
    _dms_row
from ranked
where _dms_rank = 1
{% endmacro %}


{% macro _merged_partial_updates_sql(changes, declared) -%}
with ranked as (

    {{ dms_snapshots.ranked_changes_sql(changes, declared) }}

),

since_delete as (

    select
        *,
        min(if(_dms_op = 'D', _dms_rank, null))
            over (partition by {{ dms_snapshots.column_names(declared.primary_keys) }}) as _dms_delete_rank
    from ranked

)

select
    {% set renamed = dms_snapshots.renamed_columns(declared) %}
    {% for column in declared.columns %}
        {% set name = dms_snapshots.sql_name(column.name) %}
        {#- As it was called, and spelled, when the change was staged. -#}
        {% set names = [] %}
        {% for one in [column.name] + renamed.get(column.name, []) | list -%}
            {% do names.append(dms_snapshots.sql_string(one | lower)) %}
        {%- endfor %}
        {% if column.name in declared.primary_keys %}
            {{ name }},
        {% else %}
            (min_by(struct({{ name }}), _dms_rank) filter (
                where
                    _dms_op <> 'D'
                    and not exists(coalesce(_dms_absent, array()),
                        absent -> lower(absent) in ({{ names | join(", ") }}))
            )).{{ name }} as {{ name }},
        {% endif %}
    {% endfor %}
    min_by(_dms_op, _dms_rank) as _dms_op,
    min_by(_dms_generation, _dms_rank) as _dms_generation,
    min_by(_dms_file_seq, _dms_rank) as _dms_file_seq,
    min_by(_dms_row, _dms_rank) as _dms_row
from since_delete
where _dms_delete_rank is null or _dms_rank <= _dms_delete_rank
group by {{ dms_snapshots.column_names(declared.primary_keys) }}
{% endmacro %}
