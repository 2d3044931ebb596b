{% macro write_history(relation, history, plan) -%}
    {% set declared = history.declared %}
    {% set name = relation.identifier %}
    {% set location = dms_snapshots.table_location(relation) ~ "/" ~ (plan.runs | last).manifest.version ~ "/"
        ~ dms_snapshots.run_name() %}
    {% set written = {"closed": location ~ "/closed", "open": location ~ "/open", "rows": location ~ "/rows"} %}
    {% do plan.update(dms_snapshots.history_extent(declared, plan)) %}
    {% set staging = dms_snapshots.staging_relation(declared) %}
    {% do dms_snapshots.sync_columns(staging, declared.columns, declared.label) %}
    {% do dms_snapshots.check_replaced_uploads(staging, declared, plan) %}
    {% call statement("changes") %}
        create or replace temporary view {{ dms_snapshots.sql_name(name ~ "__changes") }} as
        {{ dms_snapshots.history_changes_sql("select * from " ~ staging, declared, plan) }}
    {% endcall %}
    {#- The rows that were open after the run before, from its files. -#}
    {% set columns, view = declared.columns + history.columns, name ~ "__open" %}
    {% if plan.base %}
        {% do dms_snapshots.create_files_view(
            view, columns, plan.base.open, declared, relation, plan.base.manifest
        ) %}
    {% else %}
        {% do run_query(
            "create or replace temporary view " ~ dms_snapshots.sql_name(view) ~ " as "
            ~ dms_snapshots.no_rows_sql(columns)
        ) %}
    {% endif %}
    {% call statement("events") %}
        create or replace temporary view {{ dms_snapshots.sql_name(name ~ "__events") }} as
        {{ dms_snapshots.history_events_sql(
            dms_snapshots.sql_name(name ~ "__changes"), dms_snapshots.sql_name(view), history, plan
        ) }}
    {% endcall %}
    {% call statement("rows") %}
        {{ dms_snapshots.write_folder_sql(written.rows) }}
        {{ dms_snapshots.history_rows_sql(dms_snapshots.sql_name(name ~ "__events"), history) }}
    {% endcall %}
    {% set valid_to = dms_snapshots.sql_name(history.names.dbt_valid_to) %}
    {% do written.update(dms_snapshots.query_rows(
        "select count(distinct " ~ dms_snapshots.column_names(declared.primary_keys) ~ ") as changed_keys, count_if("
        ~ valid_to
        ~ " is not null) as closed_rows, count_if(" ~ valid_to ~ " is null) as open_rows from parquet."
        ~ dms_snapshots.sql_name(written.rows)
    )[0]) %}
    {% call statement("closed") %}
        {{ dms_snapshots.write_folder_sql(written.closed) }}
        select * from parquet.{{ dms_snapshots.sql_name(written.rows) }} where {{ valid_to }} is not null
    {% endcall %}
    {% call statement("open") %}
        {{ dms_snapshots.write_folder_sql(written.open) }}
        {{ dms_snapshots.open_rows_sql(dms_snapshots.sql_name(view), written, history) }}
    {% endcall %}
    {% do return(written) %}
{% endmacro %}


{% macro check_replaced_uploads(staging, declared, plan) -%}
    {% set of_runs = [] %}
    {% for run in plan.runs %}
        {#- What a full load has replaced since counts no more: see history_changes_sql. -#}
        {% do of_runs.append("replaced_on = date'" ~ run.run_date ~ "' and generation >= " ~ run.oldest_generation) %}
    {% endfor %}
    {% set replaced_sql %}
        select * from ({{ dms_snapshots.replaced_uploads_sql(
            dms_snapshots.named_relation("dms_staged_files"), dms_snapshots.table_filter(declared)
        ) }})
        where {{ of_runs | join(" or ") }}
    {% endset %}
    {% if not dms_snapshots.query_rows(replaced_sql ~ " limit 1") %}
        {% do return(none) %}
    {% endif %}
    {% set changed -%}
        replaced.path, replaced.run_date, replaced.replaced_on,
        struct({{ dms_snapshots.column_names(declared.columns, "changes") }},
            changes._dms_op, changes._dms_committed_at, changes._dms_change_seq) as changed
    {%- endset %}
    {% set lacking_sql %}
        with replaced as ({{ replaced_sql }}),
        lacking as (
            select {{ changed }}
            from {{ staging }} as changes
            inner join replaced
                on
                    changes._dms_run_date = replaced.run_date
                    and changes._dms_generation = replaced.generation
                    and changes._dms_file_seq = replaced.file_seq
            except all
            select {{ changed }}
            from {{ staging }} as changes
            inner join replaced
                on
                    changes._dms_run_date = replaced.replaced_on
                    and changes._dms_generation = replaced.generation
                    and changes._dms_file_seq = replaced.replaced_by
        )
        select
            path,
            cast(run_date as string) as run_date,
            cast(replaced_on as string) as replaced_on,
            to_json(struct({{ dms_snapshots.column_names(declared.primary_keys, "changed") }})) as changed_key
        from lacking
        order by path, changed_key
        limit 1
    {% endset %}
    {% for change in dms_snapshots.query_rows(lacking_sql) %}
        {% do dms_snapshots.fail(
            "E303",
            declared.label,
            change.path ~ ", applied on " ~ change.run_date ~ ", was uploaded again and applied on "
            ~ change.replaced_on ~ " without a change that it had, for instance of " ~ change.changed_key ~ "; "
            ~ model.name ~ " cannot take that change out",
            "Nothing of it was changed.",
            "Stage all files again, which keeps the history of earlier dates: "
            ~ dms_snapshots.run_command(declared.table_name, full_refresh=true) ~ ", then dbt snapshot."
        ) %}
    {% endfor %}
{% endmacro %}


{% macro history_extent(declared, plan) %}
    {% set known = plan.base.generations if plan.base else [] %}
    {% set staged = dms_snapshots.query_rows(
        "select min(file_seq) filter (where "
        ~ dms_snapshots.of_generations_sql("generation", known or [0])
        ~ ") as first_file_seq, coalesce(sum(row_count), 0) as row_count from "
        ~ dms_snapshots.named_relation("dms_staged_files")
        ~ " where " ~ dms_snapshots.table_filter(declared)
        ~ " and run_date in (date'" ~ plan.runs | map(attribute="run_date") | join("', date'") ~ "')"
    )[0] %}
    {% do return({
        "is_late": known and (
            declared.order_by != "file"
            or staged.first_file_seq is not none and staged.first_file_seq <= plan.base.last_file_seq
        ),
        "broadcast": staged.row_count <= dms_snapshots.broadcast_max_keys(),
    }) %}
{% endmacro %}


{% macro open_rows_sql(open_rows, written, history) %}
{%- set declared = history.declared %}
{%- set valid_to = history.names.dbt_valid_to %}
{%- set columns = dms_snapshots.column_names(declared.columns + history.columns) %}
with touched as (

    select * from parquet.{{ dms_snapshots.sql_name(written.rows) }}

),

all_open as (

    select {{ columns }}
    from {{ open_rows }} as before
    left anti join (
        select
            {{ "/*+ broadcast(keys) */" if written.changed_keys <= dms_snapshots.broadcast_max_keys() }}
            {{ dms_snapshots.column_names(declared.primary_keys) }}
        from touched as keys
    ) as touched
        on {{ dms_snapshots.keys_match(declared, "before", "touched") }}

    union all

    select {{ columns }}
    from touched
    where {{ dms_snapshots.sql_name(valid_to) }} is null

)

select
    {% for column in declared.columns + history.columns -%}
        {{
            "cast(" ~ history.valid_to_current ~ " as timestamp) as " ~ dms_snapshots.sql_name(valid_to)
            if column.name == valid_to else dms_snapshots.sql_name(column.name)
        }}
        {{- ", " if not loop.last }}
    {% endfor -%}
from all_open
{% endmacro %}
