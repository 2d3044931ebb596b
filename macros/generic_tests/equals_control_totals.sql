{% test equals_control_totals(model, totals) -%}
{%- do ref("dms_snapshots", "snapshot_versions") %}
{#- That is asked first, because dbt only finds what is asked for while it parses. -#}
{%- set table = dms_snapshots.tested_table(model) if execute else {} %}
{%- set expected = dms_snapshots._expected_totals(model, totals, table) if execute else [] %}
{%- if expected is none %}{% do return(dms_snapshots._no_totals_sql(totals, table)) %}{% endif %}
{%- if not expected %}{% do return(dms_snapshots.no_failing_rows_sql()) %}{% endif %}
{%- set declared = dms_snapshots.declaration(table.source_name, table.table_name) %}
{#- Dates whose totals are of the same columns are read in one scan. -#}
{%- set scans = {} %}
{%- for date in expected | map(attribute="shown_date") | unique | sort %}
    {%- set rows = expected | selectattr("shown_date", "equalto", date) | list %}
    {%- set columns = dms_snapshots._totalled_columns(declared, rows) %}
    {%- set scan = scans.setdefault(tojson(columns), {"columns": columns, "dates": [], "rows": []}) %}
    {%- do scan.dates.append(date) %}
    {%- do scan.rows.extend(rows) %}
{%- endfor %}
{%- for scan in scans.values() %}
{%- set columns, names = scan.columns, scan.columns | map(attribute="name") | list %}
{%- set date_sql = "cast(snapshot_date as string)" if declared.history else "'" ~ scan.dates[0] ~ "'" %}
{{ "union all" if not loop.first }}
select
    expected.run_date,
    expected.column_name,
    expected.row_count as rows_expected,
    coalesce(found.row_count, expected.without_rows) as rows_found,
    expected.checksum as checksum_expected,
    coalesce(found.checksum, expected.without_rows) as checksum_found
from (
    values
    {%- for row in scan.rows %}
    (
        '{{ row.shown_date }}',
        {{ dms_snapshots.sql_string(row.column_name) }},
        cast({{ row.row_count }} as bigint),
        cast('{{ row.checksum }}' as decimal(38, 0)),
        {#- A date without rows is not in the scan, nor is a column that is not declared. -#}
        {{ "0" if row.column_name == "*" or row.column_name in names else "cast(null as int)" }}
    ){{ "," if not loop.last }}
    {%- endfor %}
) as expected (run_date, column_name, row_count, checksum, without_rows)
left join (
    select run_date, stack(
        {{ columns | length + 1 }},
        '*', rows_0, sum_0
        {%- for column in columns %},
        {{ dms_snapshots.sql_string(column.name) }}, rows_{{ loop.index }}, sum_{{ loop.index }}
        {%- endfor %}
    ) as (column_name, row_count, checksum)
    from (
        select
            {{ date_sql }} as run_date,
            count(*) as rows_0,
            cast(coalesce(sum({{ dms_snapshots.compared_checksum_sql(columns) }}), 0) as decimal(38, 0)) as sum_0
            {%- for column in columns %},
            count({{ dms_snapshots.compared_text_sql(column) }}) as rows_{{ loop.index }},
            cast(coalesce(sum(
                if({{ dms_snapshots.compared_text_sql(column) }} is null, null,
                    {{ dms_snapshots.compared_checksum_sql([column]) }})
            ), 0) as decimal(38, 0)) as sum_{{ loop.index }}
            {%- endfor %}
        from {{ model }}
        {%- if declared.history %}
        where snapshot_date in (
            {%- for date in scan.dates %}date'{{ date }}'{{ ", " if not loop.last }}{% endfor %})
        group by snapshot_date
        {%- endif %}
    )
) as found on expected.run_date = found.run_date and expected.column_name = found.column_name
where
    not (
        expected.row_count <=> coalesce(found.row_count, expected.without_rows)
        and expected.checksum <=> coalesce(found.checksum, expected.without_rows)
    )
{%- endfor %}
{% endtest %}


{% macro _expected_totals(model, totals, table) %}
    {% if not load_relation(totals) %}{% do return([]) %}{% endif %}
    {% set rows = dms_snapshots.query_rows(
        "select cast(run_date as string) as run_date, column_name, form, row_count,"
        ~ " cast(checksum as string) as checksum from " ~ totals ~ " where " ~ dms_snapshots.table_filter(table)
    ) %}
    {% if not rows %}{% do return(none) %}{% endif %}
    {% set tested = dms_snapshots.tested_version(model) %}
    {% if not tested %}{% do return([]) %}{% endif %}
    {% set known = rows | map(attribute="run_date") | unique | list %}
    {% set shown, declared = {}, dms_snapshots.declaration(table.source_name, table.table_name) %}
    {#- Without partitions of dates only the record has the unchanged ones. -#}
    {% set newest = tested.run_date if declared.history else tested.newest_date %}
    {% if declared.history %}
        {% for partition in dms_snapshots.list_partitions(model) if partition.snapshot_date in known %}
            {% do shown.update({partition.snapshot_date: partition.snapshot_date}) %}
        {% endfor %}
    {% endif %}
    {% set last = known | select("le", newest) | max | default("", true) %}
    {% if last and not dms_snapshots._has_changes_between(table, last, newest) %}
        {% do shown.update({newest: last}) %}
    {% endif %}
    {% set expected = [] %}
    {% for date, known_date in shown.items() %}
        {% for row in rows if row.run_date == known_date %}
            {% do expected.append(dict(row, shown_date=date)) %}
        {% endfor %}
    {% endfor %}
    {% do return(expected) %}
{% endmacro %}


{% macro _no_totals_sql(totals, table) %}
    {% set declared = dms_snapshots.read_declaration(
        dms_snapshots.find_source(table.source_name, table.table_name)
    ) %}
    {% if not declared.active %}{% do return(dms_snapshots.no_failing_rows_sql()) %}{% endif %}
    {% set problem = "the seed " ~ totals.identifier ~ " has no row of it" %}
    {% do dms_snapshots.warn_of_table(
        declared,
        problem ~ ". Nothing was compared",
        "Add its totals (docs/how-to/compare.md), or correct source_name and table_name in the seed. Then: dbt seed"
    ) %}
    {% do return(
        "select " ~ dms_snapshots.sql_string(declared.label) ~ " as tested_table, "
        ~ dms_snapshots.sql_string(problem) ~ " as problem"
    ) %}
{% endmacro %}


{% macro _has_changes_between(table, date, later_date) %}
    {% set loads, label = {}, table.source_name ~ "." ~ table.table_name %}
    {% for row in dms_snapshots.versions_of({"label": label}, {"lineage": true}).lineage
        if row.current_version == row.version %}
        {% for day in [date, later_date] if row.run_date <= day | string %}
            {% do loads.update({day: [row.generation, row.shards]}) %}
        {% endfor %}
    {% endfor %}
    {% do return(loads.get(date) != loads.get(later_date) or dms_snapshots.query_rows(
        "select 1 as found from " ~ dms_snapshots.named_relation("dms_files")
        ~ " where " ~ dms_snapshots.table_filter(table)
        ~ " and kind = 'cdc' and file_time >= date_add(date'" ~ date ~ "', 1)"
        ~ " and file_time < date_add(date'" ~ later_date ~ "', 1) limit 1"
    ) | length > 0) %}
{% endmacro %}


{% macro _totalled_columns(declared, rows) %}
    {% set forms, keys, rest = {}, [], [] %}
    {% for row in rows %}{% do forms.update({row.column_name | lower: row.form}) %}{% endfor %}
    {% set key_names = declared.primary_keys | map("lower") | list %}
    {% for name in key_names %}
        {% for column in declared.columns if column.name | lower == name and name in forms %}
            {% do keys.append({"name": column.name, "data_type": column.data_type, "form": forms[name]}) %}
        {% endfor %}
    {% endfor %}
    {% for column in declared.columns if column.name | lower in forms and column.name | lower not in key_names %}
        {% do rest.append({"name": column.name, "data_type": column.data_type, "form": forms[column.name | lower]}) %}
    {% endfor %}
    {% do return(keys + rest) %}
{% endmacro %}
