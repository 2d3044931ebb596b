{% macro checked_version(relation, declared, plan, job, whole, earlier) %}
    {% do dms_snapshots.prepare_earlier_changes(declared, job, earlier) %}
    {% set state = dms_snapshots.write_state(relation, declared, job) %}
    {% do dms_snapshots.check_changes(declared, job, state) %}
    {% set version = dms_snapshots.new_version(declared, plan, job, whole, state) %}
    {% do dms_snapshots.check_version(relation, declared, plan, job, version) %}
    {% do return(version) %}
{% endmacro %}


{% macro new_version(declared, plan, job, whole, state) %}
    {% set is_merge = job.action == "merge" %}
    {% set live_keys = dms_snapshots.count_sum(state.counts, "live_keys") %}
    {% set updated, deleted = dms_snapshots.count_sum(
        state.counts, "rows_updated"
    ), dms_snapshots.count_sum(state.counts, "rows_deleted") %}
    {% set rows_before = job.base.rows_after if job.base else 0 %}
    {% set matched = rows_before if is_merge else (0 if job.loads_repeat else job.load_rows) %}
    {% set expected = matched - updated - deleted + live_keys %}
    {% set counted = {
        "partitions": state.partitions,
        "last_file_seq": [
            plan.last_file_seq,
            job.base.last_file_seq if job.base and (is_merge or job.rebuilds) else 0,
        ] | max,
        "rows_before": rows_before,
        "rows_inserted": live_keys - updated if is_merge else expected,
        "rows_updated": updated if is_merge else 0,
        "rows_deleted": deleted if is_merge else rows_before,
        "rows_after": expected,
    } %}
    {% do return(dict(dms_snapshots.manifest_of(declared, plan, whole, job.action), **dict(state, **counted))) %}
{% endmacro %}


{% macro altered_version(declared, plan, whole) %}
    {% set base = whole.base or whole.current %}
    {% do return(dict(
        dms_snapshots.manifest_of(declared, plan, whole, "alter"),
        partitions=base.partitions, last_file_seq=base.last_file_seq, generation=base.generation, shards=base.shards,
        load_files=base.load_files,
        rows_before=base.rows_after, rows_inserted=0, rows_updated=0, rows_deleted=0, rows_after=base.rows_after,
    )) %}
{% endmacro %}


{% macro manifest_of(declared, plan, whole, action) %}
    {% set base, facts = whole.base, dms_snapshots.declared_facts(declared) %}
    {% set files, load_files = [], [] %}
    {% for file in plan.files %}
        {% do files.append({"path": file.path, "etag": file.etag}) %}
        {% if file.kind == "load" %}{% do load_files.append(files | last) %}{% endif %}
    {% endfor %}
    {% set staged = (base.staged if base else []) + (
        [dms_snapshots.staged_folder(declared, plan)] if plan.files else []
    ) %}
    {% set declarations = {dms_snapshots.fingerprint(facts): tojson(facts)} %}
    {% for folder in staged if base and folder.fingerprint in (base.declarations or {}) %}
        {% do declarations.update({folder.fingerprint: base.declarations[folder.fingerprint]}) %}
    {% endfor %}
    {% set is_same_load = base and (plan.action == "merge" if plan.shards else base.generation == plan.generation) %}
    {% do return(dict(whole.next, **{
        "version": plan.version,
        "action": action,
        "run_date": plan.run_date,
        "current_version": plan.version,
        "base_version": base.version if base else none,
        "root": whole.current.root if whole.current else dms_snapshots.new_table_location(this),
        "layout": dms_snapshots.layout(declared),
        "fingerprint": dms_snapshots.fingerprint(facts),
        "declarations": declarations,
        "generation": plan.generation,
        "shards": plan.shards,
        "indexed_from": plan.indexed_from,
        "indexed_through": plan.indexed_through,
        "staged": staged,
        "files": files,
        "load_files": (base.load_files if is_same_load else []) + load_files,
        "run": plan.run,
        "started_at": run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f"),
    })) %}
{% endmacro %}
