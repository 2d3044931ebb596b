{% macro copy_state(relation, declared, job, changes, staged, location, beside) %}
    {% set view = dms_snapshots.sql_name(relation.identifier ~ "__copy") %}
    {% set copies_load = job.has_load and job.staged and not job.loads_repeat %}
    {% set by_date = job.action == "merge" and declared.partition_date is not none %}
    {#- What the changes fall on: the partitions of the base, or in a build the folder of the staged full load. -#}
    {% set before = job.base.partitions if job.action == "merge" else (
        [{"partition": none, "location": job.staged.folder}] if copies_load else []
    ) %}
    {% set untouched, counts, settings = [], [], dms_snapshots._copy_settings(declared, job, staged) %}
    {% if by_date %}
        {#- Which partitions a changed key is in, only the keys tell. -#}
        {% set counts = dms_snapshots._copied(
            declared, job, view, before, changes, location, dict(settings, act="count")
        ) %}
        {% set touched = [] %}
        {% for count in counts if count.live_keys or count.rows_updated or count.rows_deleted %}
            {% do touched.append(count.partition) %}
        {% endfor %}
        {% set untouched = job.base.partitions | rejectattr("partition", "in", touched) | list %}
        {% do settings.update({
            "incoming": counts | selectattr("live_keys") | map(attribute="partition") | unique | list,
        }) %}
    {% endif %}
    {% set touched = before | reject("in", untouched) | list %}
    {% set written, replaced = [], [] %}
    {% if not by_date or touched or settings.incoming %}
        {% if job.keeps_replaced %}
            {% do settings.update({"replaced": beside ~ "/replaced"}) %}
            {% do replaced.append({"location": settings.replaced}) %}
        {% endif %}
        {% if not by_date and declared.primary_keys and job.get("change_bytes", 1e12) > settings.file_bytes %}
            {#- Many changes, so that it pays to look whether they are all over the table. -#}
            {% set arranged = dms_snapshots._copied(
                declared, job, view, touched, changes, beside ~ "/arranged", dict(settings, act="arrange")
            ) %}
            {% if arranged | selectattr("files") | list %}
                {% do settings.update({"arranged": beside ~ "/arranged"}) %}
            {% endif %}
        {% endif %}
        {% set copied = dms_snapshots._copied(declared, job, view, touched, changes, location, settings) %}
        {% set counts, written = counts or copied, dms_snapshots._written_partitions(copied, location) %}
    {% endif %}
    {% do return({"partitions": untouched + written, "counts": counts, "replaced": replaced}) %}
{% endmacro %}


{% macro copy_dates(declared, job, view, changes, location) %}
    {% set dates = [declared.partition_date, declared.partition_granularity] %}
    {% set before = [{"partition": none, "location": job.staged.folder}] %}
    {% do return(dms_snapshots._written_partitions(dms_snapshots._copied(
        declared, job, dms_snapshots.sql_name(view ~ "__copy"), before, changes, location,
        dict(dms_snapshots._copy_settings(declared, job, none), dates=dates)
    ), location)) %}
{% endmacro %}


{% macro _copy_settings(declared, job, staged) %}
    {% do return({
        "table": declared.label,
        "columns": dms_snapshots.reader_settings(declared).columns,
        "primary_keys": declared.primary_keys,
        "load_generations": job.generations if job.action == "build" else none,
        "staged": staged,
        "file_bytes": var("file_bytes", 67108864),
        "pass_keys": dms_snapshots.broadcast_max_keys(),
    }) %}
{% endmacro %}


{% macro _copied(declared, job, view, before, changes, location, settings) %}
    {% do run_query(
        "create or replace temporary view " ~ view ~ " (partition string, changed_keys bigint, live_keys bigint,"
        ~ " not_inserts bigint, null_keys bigint, rows_found bigint, rows_updated bigint, rows_reinserted bigint,"
        ~ " rows_deleted bigint, rows_written bigint, files array<string>, changed_files string)"
        ~ " using dms_merge options (location " ~ dms_snapshots.sql_string(location) ~ ", before "
        ~ dms_snapshots.sql_string(tojson(before)) ~ ", changes " ~ dms_snapshots.sql_string(changes)
        ~ ", settings " ~ dms_snapshots.sql_string(tojson(settings)) ~ ")"
    ) %}
    {% set counts = dms_snapshots.query_rows("select * from " ~ view) %}
    {% for count in counts if count.changed_files %}
        {% do dms_snapshots.fail_for_files(declared, job.base.version, count.changed_files) %}
    {% endfor %}
    {% do return(counts) %}
{% endmacro %}


{% macro _written_partitions(copied, location) %}
    {% set written, partitions = {}, [] %}
    {% for count in copied if count.files %}
        {% set folder = location ~ ("/partition_date=" ~ count.partition if count.partition else "") %}
        {% set one = written.setdefault(
            count.partition or "", {"partition": count.partition, "location": folder, "rows": 0, "files": []}
        ) %}
        {% do one.update({"rows": one.rows + count.rows_written, "files": one.files + count.files}) %}
    {% endfor %}
    {% for one in written.values() if one.rows or not one.partition %}{% do partitions.append(one) %}{% endfor %}
    {% do return(partitions) %}
{% endmacro %}
