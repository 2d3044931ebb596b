{% macro check_reinserts(declared, plan, job, version) %}
    {% set is_asked = job.staged and not job.taken and not plan.is_late and declared.captures_deletes %}
    {% if not is_asked or not dms_snapshots.reinsert_severity(
        dms_snapshots.count_sum(version.counts, "rows_reinserted"),
        dms_snapshots.count_sum(version.counts, "changed_keys")
        - dms_snapshots.count_sum(version.counts, "not_inserts"),
        declared.max_reinserted_fraction
    ) %}
        {% do return(none) %}
    {% endif %}
    {% set before = declared.table_name ~ "__keys_before" %}
    {% do dms_snapshots.create_before_view(
        before, declared, job, job.base.partitions if job.action == "merge" else []
    ) %}
    {% set found = dms_snapshots.query_rows(dms_snapshots._reinserts_sql(declared, job, before, version))[0] %}
    {% set is_allowed = dms_snapshots.passes_once(declared, "allow_reinserts") %}
    {% set severity = dms_snapshots.reinsert_severity(
        found.reinserted, found.inserts, none if is_allowed else declared.max_reinserted_fraction
    ) %}
    {% set what = found.reinserted ~ " of " ~ found.inserts ~ " inserts have a key that is there, for instance "
        ~ found.some_key %}
    {% set advice = "Find rows that the source no longer has: dms-snapshots compare " ~ declared.label
        ~ "; or reload the table in DMS." %}
    {% if severity == "error" %}
        {% do dms_snapshots.fail(
            "E508",
            declared.label,
            what ~ "; max_reinserted_fraction is " ~ declared.max_reinserted_fraction,
            none,
            advice ~ " To let it pass once: " ~ dms_snapshots.pass_command(declared, plan, "allow_reinserts")
        ) %}
    {% elif severity %}
        {% do dms_snapshots.warn_of_table(declared, what ~ ", as after a TRUNCATE that DMS does not write", advice) %}
    {% endif %}
{% endmacro %}


{% macro reinsert_severity(reinserted, inserts, limit) %}
    {% if limit is not none %}{% do return("error" if reinserted > limit * inserts else none) %}{% endif %}
    {% do return("warning" if reinserted >= 10 and 2 * reinserted >= inserts else none) %}
{% endmacro %}


{% macro _reinserts_sql(declared, job, before, version) -%}
    {% set keys = dms_snapshots.column_names(declared.primary_keys) %}
    {% set is_of_run = "not _dms_is_load and " ~ dms_snapshots.of_generations_sql("_dms_generation", job.generations) %}
    {% set place = "coalesce(_dms_change_seq, cast(_dms_committed_at as string))" %}
    {% set knows_repeats = job.action == "merge" and (declared.timestamp_column or declared.change_seq_column) %}
with loads as (

    select generation, unix_micros(max(modified_at + interval 1 day)) * 1000 as overlap_end
    from {{ dms_snapshots.named_relation("dms_files") }}
    where {{ dms_snapshots.table_filter(declared) }} and kind = 'load'
    group by generation

),

changed as (

    select changes.*, _dms_op = 'I' and (overlap_end is null or _dms_file_seq > overlap_end) as is_insert
    from parquet.{{ dms_snapshots.sql_name(job.staged.folder) }} as changes
    left join loads on changes._dms_generation = loads.generation
    where {{ is_of_run }}

),

inserted as (

    select {{ keys }}, max({{ place }}) filter (where is_insert) as change_place
    from changed
    group by {{ keys }}
    having bool_or(is_insert) and not bool_or(_dms_op = 'D')

),

new_inserts as (

    select inserted.*
    from inserted
    {% if knows_repeats %}
    left anti join (
        select {{ keys }}, {{ place }} as change_place
        from {{ dms_snapshots.staging_relation(declared) }}
        where {{ is_of_run }} and _dms_op = 'I' and _dms_run_date < date'{{ job.run_date }}'
    ) as earlier
        on {{ dms_snapshots.keys_match(declared, "inserted", "earlier") }}
        and inserted.change_place = earlier.change_place
    {% endif %}

),

reinserted as (

    select
        {{ "/*+ broadcast(new_inserts) */" if dms_snapshots.has_few_changes(version) }}
        to_json(struct({{ dms_snapshots.column_names(declared.primary_keys, "before") }})) as some_key
    from {{ dms_snapshots.sql_name(before) }} as before
    inner join new_inserts on {{ dms_snapshots.keys_match(declared, "before", "new_inserts") }}

)

select
    (select count(*) from new_inserts) as inserts,
    count(*) as reinserted,
    min(some_key) as some_key
from reinserted
{% endmacro %}
