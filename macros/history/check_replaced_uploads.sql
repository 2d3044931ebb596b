{% macro check_replaced_uploads(staging, declared, plan) %}
    {#-
        A state no longer has the changes that a file lacks when it is uploaded again. A history has
        them with their times, and they are not taken out of it.
    -#}
    {% set of_runs = [] %}
    {% for run in plan.runs %}
        {#- What a full load has replaced since counts no more: see history_changes_sql. -#}
        {% do of_runs.append("run_date = date'" ~ run.run_date ~ "' and generation >= " ~ run.oldest_generation) %}
    {% endfor %}
    {% set replaced_sql %}
        select *
        from (
            select
                path, generation, run_date, file_seq,
                lag(run_date) over uploads as earlier_date, lag(file_seq) over uploads as earlier_seq
            from {{ named_relation("dms_staged_files") }}
            where {{ table_filter(declared) }} and kind = 'cdc'
            group by path, generation, run_date, file_seq
            window uploads as (partition by path, generation order by run_date)
        )
        where earlier_date is not null and ({{ of_runs | join(" or ") }})
    {% endset %}
    {% if not query_rows(replaced_sql ~ " limit 1") %}
        {% do return(none) %}
    {% endif %}
    {% set changed -%}
        replaced.path, replaced.earlier_date, replaced.run_date,
        struct({{ column_names(declared.columns, "changes") }}, changes._dms_op, changes._dms_committed_at, changes._dms_change_seq) as changed
    {%- endset %}
    {% set lacking_sql %}
        with replaced as ({{ replaced_sql }}),
        lacking as (
            select {{ changed }}
            from {{ staging }} as changes
            inner join replaced
                on
                    changes._dms_run_date = replaced.earlier_date
                    and changes._dms_generation = replaced.generation
                    and changes._dms_file_seq = replaced.earlier_seq
            except all
            select {{ changed }}
            from {{ staging }} as changes
            inner join replaced
                on
                    changes._dms_run_date = replaced.run_date
                    and changes._dms_generation = replaced.generation
                    and changes._dms_file_seq = replaced.file_seq
        )
        select
            path,
            cast(earlier_date as string) as earlier_date,
            cast(run_date as string) as run_date,
            to_json(struct({{ column_names(declared.primary_keys, "changed") }})) as changed_key
        from lacking
        order by path, changed_key
        limit 1
    {% endset %}
    {% for change in query_rows(lacking_sql) %}
        {% do fail(
            declared.label,
            change.path ~ ", applied on " ~ change.earlier_date ~ ", was uploaded again and applied on " ~ change.run_date
            ~ " without a change that it had, for instance of " ~ change.changed_key ~ "; " ~ model.name ~ " cannot take that change out",
            "Nothing of it was changed.",
            "Stage all files again, which keeps the history of earlier dates: " ~ run_command(declared.table_name, full_refresh=true)
            ~ ", then dbt snapshot."
        ) %}
    {% endfor %}
{% endmacro %}
