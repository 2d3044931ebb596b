{% test every_file_is_staged_once(model) -%}
{%- set table = dms_snapshots.tested_table(model) if execute else {} %}
{%- do ref("dms_snapshots", "dms_files") %}
{%- do ref("dms_snapshots", "snapshot_versions") %}
{%- set statement %}
with reported as (

    select
        path,
        generation,
        file_seq,
        sum(row_count) as row_count
    from {{ ref("dms_snapshots", "dms_staged_files") }}
    where {{ dms_snapshots.table_filter(table) }} and run_date = {{ dms_snapshots.newest_run_date_sql(model) }}
    group by path, generation, file_seq

),

places as (

    select
        _dms_generation,
        _dms_file_seq,
        count(*) as row_count
    from {{ model }}
    where _dms_run_date = {{ dms_snapshots.newest_run_date_sql(model) }}
    group by _dms_generation, _dms_file_seq, _dms_row, _dms_op

),

staged as (

    select
        _dms_generation,
        _dms_file_seq,
        sum(row_count) as row_count,
        max(row_count) as most_of_a_place
    from places
    group by _dms_generation, _dms_file_seq

)

select
    coalesce(
        reported.path,
        concat('_dms_generation ', staged._dms_generation, ', _dms_file_seq ', staged._dms_file_seq)
    ) as path,
    coalesce(reported.row_count, 0) as rows_read,
    coalesce(staged.row_count, 0) as rows_staged,
    case
        when reported.path is null then 'staging has rows of no file that was read'
        when staged.most_of_a_place > 1 then 'rows share a place in the order'
        else 'staging does not have the rows that were read'
    end as what
from reported
full outer join staged
    on reported.generation = staged._dms_generation and reported.file_seq = staged._dms_file_seq
where
    coalesce(reported.row_count, 0) <> coalesce(staged.row_count, 0)
    or reported.path is null
    or staged.most_of_a_place > 1
{%- endset %}
{{ dms_snapshots.unless_passed(model, statement, dms_snapshots._unapplied_rows_sql(table) if execute else "") }}
{% endtest %}


{% macro _unapplied_rows_sql(table) -%}
    {% set start_date = dms_snapshots.declaration(table.source_name, table.table_name).cdc_start_date | string %}
    {% set known = dms_snapshots.index_node().get("unapplied", {}) %}
    {% set label, rows = table.source_name ~ "." ~ table.table_name, [] %}
    {% for row in known.get(label, []) if not (row.file_date and start_date != "None" and row.file_date < start_date) %}
        {% do rows.append("(" ~ dms_snapshots.sql_string(row.path) ~ ")") %}
    {% endfor %}
    {% if label in known and not rows %}{% do return("") %}{% endif %}
union all

select
    path,
    cast(null as bigint) as rows_read,
    cast(null as bigint) as rows_staged,
    'indexed but not staged' as what
    {% if label in known %}
from values {{ rows | join(", ") }} as unapplied (path)
    {% else %}
from ({{ dms_snapshots.unapplied_files_sql([table]) }}) as unapplied
        {% if start_date != "None" %}where file_date is null or file_date >= '{{ start_date }}'{% endif %}
    {% endif %}
{% endmacro %}
