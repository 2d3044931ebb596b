{% macro _restored_manifest(declared, state, target, action, included=[]) %}
    {% set whole = state.whole if target == state.newest else dms_snapshots.versions_at(
        declared, target, state.recorded
    ) %}
    {% set entries, newest = state.entries, state.whole.newest %}
    {% set now, then = dms_snapshots.applied_versions(
        entries, state.newest
    ), dms_snapshots.applied_versions(entries, target) %}
    {% set excluded, again = {}, {} %}
    {% for file in newest.excluded_files %}{% do excluded.update({file.path ~ "\n" ~ file.etag: file}) %}{% endfor %}
    {% for file in newest.included_files %}{% do again.update({file.path ~ "\n" ~ file.etag: file}) %}{% endfor %}
    {% for version in now if version not in then %}
        {% for path, etag in entries[version].files %}
            {% do excluded.update({path ~ "\n" ~ etag: {"path": path, "etag": etag}}) %}
        {% endfor %}
    {% endfor %}
    {% for version in included %}
        {% for path, etag in entries[version].files if path ~ "\n" ~ etag in excluded %}
            {% do again.update({path ~ "\n" ~ etag: excluded.pop(path ~ "\n" ~ etag)}) %}
        {% endfor %}
    {% endfor %}
    {% for version in then %}
        {% for path, etag in entries[version].files %}{% do excluded.pop(path ~ "\n" ~ etag, none) %}{% endfor %}
    {% endfor %}
    {% do return(dict(
        whole.current,
        version=state.version,
        action=action,
        current_version=state.version,
        restored_version=target,
        dates=dms_snapshots.date_list(whole.dates),
        feed_dates=whole.newest.feed_dates,
        excluded_files=excluded.values() | list,
        included_files=again.values() | list,
        run=dms_snapshots.run_name(),
        started_at=run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f"),
    )) %}
{% endmacro %}
