{% macro candidate_changes_sql(changes_sql, declared, job) -%}
{% set this_run = job.taken or "_dms_run_date = date'" ~ job.run_date ~ "'" %}
{% set is_merge = job.action == "merge" %}
{#- An operation goes through all that is staged, of which some may have been uploaded again since. -#}
{% set has_full_history = dms_snapshots.merges_with_full_history(declared) or job.taken %}
with changes as (

    {{ changes_sql }}

),

of_generation as (

    select * from changes
    where
        {{ dms_snapshots.of_generations_sql("_dms_generation", job.generations) }}
        {{ "and " ~ this_run if not is_merge and not job.rebuilds }}
    {%- if is_merge and job.replaced_rows %}

    union all

    {{ dms_snapshots.replaced_rows_sql(declared, job) }}
    {%- endif %}

)

{% if declared.primary_keys and (job.is_late or has_full_history) %}
, known as (

    {{ dms_snapshots.current_uploads_sql(declared, job) }}

),

touched as (

    select distinct {{ dms_snapshots.column_names(declared.primary_keys) }}
    from known
    where {{
        this_run ~ " or _dms_is_replaced and " ~ dms_snapshots.has_key_sql(declared) if is_merge
        else ("true" if job.loads_repeat else "not _dms_is_load")
    }}

)

-- NULL is a key here, so that it fails the run and is not passed over.
select known.*
from known
left semi join touched on {{ dms_snapshots.keys_match(declared, "known", "touched", "<=>") }}
{% elif not declared.primary_keys and (has_full_history or job.rebuilds) %}
-- Without a key, a change that is delivered again is known by its change sequence.
, known as (

    {{ dms_snapshots.current_uploads_sql(declared, job) }}

),

numbered as (

    select
        *,
        row_number() over (
            partition by {{ dms_snapshots.change_identity_sql() }}
            order by _dms_run_date, _dms_file_seq, _dms_row
        ) as _dms_delivery
    from known
    where not _dms_is_replaced

)

select * from numbered
where
    (_dms_delivery = 1 or _dms_is_load)
    and {{ this_run if is_merge else ("true" if job.loads_repeat else "not _dms_is_load") }}
{% elif is_merge %}
select * from of_generation
where {{ this_run }}
{% else %}
select * from of_generation
where {{ "true" if job.loads_repeat else "not _dms_is_load" }}
{% endif %}
{% endmacro %}


{% macro replaced_rows_sql(declared, job) -%}
select
    {{ dms_snapshots.column_names(declared.columns) }},
    'D' as _dms_op,
    cast(null as timestamp) as _dms_committed_at,
    cast(null as string) as _dms_change_seq,
    -1 as _dms_generation,
    true as _dms_is_load,
    cast(-1 as bigint) as _dms_file_seq,
    monotonically_increasing_id() as _dms_row,
    false as _dms_is_key_change,
    cast(null as array<string>) as _dms_absent,
    date'{{ job.run_date }}' as _dms_run_date
from {{ job.replaced_rows }}
where {{ dms_snapshots.of_shards_sql(declared, job.replaced_shards) }}
{% endmacro %}


{% macro of_shards_sql(declared, shards) %}
    {% set names = [] %}
    {% for shard in shards %}{% do names.append(dms_snapshots.sql_string(shard)) %}{% endfor %}
    {% do return(dms_snapshots.sql_name(declared.shard_column) ~ " in (" ~ names | join(", ") ~ ")") %}
{% endmacro %}


{% macro current_uploads_sql(declared, job) -%}
select
    {{ dms_snapshots.column_names(declared.columns, "changes") }},
    if(uploads.file_seq is null, changes._dms_op, 'D') as _dms_op,
    if(uploads.file_seq is null, changes._dms_committed_at, null) as _dms_committed_at,
    if(uploads.file_seq is null, changes._dms_change_seq, null) as _dms_change_seq,
    changes._dms_generation,
    changes._dms_is_load or uploads.file_seq is not null as _dms_is_load,
    if(uploads.file_seq is null, changes._dms_file_seq, -1) as _dms_file_seq,
    changes._dms_row,
    changes._dms_is_key_change and uploads.file_seq is null as _dms_is_key_change,
    changes._dms_absent,
    changes._dms_run_date,
    uploads.file_seq is not null as _dms_is_replaced
from of_generation as changes
left join ({{ dms_snapshots.replaced_uploads_sql(
    job.files_sql, dms_snapshots.of_generations_sql("generation", job.generations)
) }}) as uploads
    on
        changes._dms_run_date = uploads.run_date
        and changes._dms_generation = uploads.generation
        and changes._dms_file_seq = uploads.file_seq
{% endmacro %}
