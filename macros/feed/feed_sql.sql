{% macro feed_sql(before, after, declared, version) -%}
{% if declared.primary_keys %}
{% set key = dms_snapshots.sql_name(declared.primary_keys[0]) %}
select
    case
        when before.{{ key }} is null then 'insert'
        when after.{{ key }} is null then 'delete'
        else 'update'
    end as kind,
    {{ version }} as version
    {% for column in declared.columns %}
    {% set name = dms_snapshots.sql_name(column.name) %}
    {% if column.name in declared.primary_keys %}
    , coalesce(after.{{ name }}, before.{{ name }}) as {{ name }}
    {% else %}
    , before.{{ name }} as {{ dms_snapshots.sql_name(column.name ~ "_before") }}
    , after.{{ name }} as {{ dms_snapshots.sql_name(column.name ~ "_after") }}
    {% endif %}
    {% endfor %}
from {{ before }} as before
full outer join {{ after }} as after on {{ dms_snapshots.keys_match(declared, "before", "after") }}
where
    not struct({{ dms_snapshots.column_names(declared.columns, "before") }})
    <=> struct({{ dms_snapshots.column_names(declared.columns, "after") }})
{% else %}
{% set columns = dms_snapshots.column_names(declared.columns) %}
{% for kind, there, other in [("delete", before, after), ("insert", after, before)] %}
select
    '{{ kind }}' as kind,
    {{ version }} as version
    {% for column in declared.columns %}
    , {{ dms_snapshots.sql_name(column.name) if kind == "delete" else "null" }} as {{ dms_snapshots.sql_name(
        column.name ~ "_before"
    ) }}
    , {{ dms_snapshots.sql_name(column.name) if kind == "insert" else "null" }} as {{ dms_snapshots.sql_name(
        column.name ~ "_after"
    ) }}
    {% endfor %}
from (
    select {{ columns }} from {{ there }}
    except all
    select {{ columns }} from {{ other }}
)
{{ "union all" if not loop.last }}
{% endfor %}
{% endif %}
{% endmacro %}
