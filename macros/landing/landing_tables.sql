{% macro landing_tables(tables, past={}) %}
    {% set landed = [] %}
    {% for declared in tables %}
        {% set versions = dms_snapshots.known_versions(declared) %}
        {% set newest, current = versions.newest, versions.current %}
        {% set is_rebuilt = dms_snapshots.is_full_refresh(declared.table_name) %}
        {% set is_redone = current and current.run_date == dms_snapshots.run_date() %}
        {#- The same date again starts where it started before. -#}
        {% set base = none if is_rebuilt else (versions.base if is_redone else current) %}
        {% do landed.append({
            "label": declared.label,
            "source_name": declared.source_name,
            "table_name": declared.table_name,
            "path": none if declared.shards else dms_snapshots.absolute_path(declared.path),
            "shards": declared.shards,
            "transaction_path": dms_snapshots.absolute_path(
                declared.transaction_path
            ) if declared.transaction_path else none,
            "timezone": declared.file_timezone,
            "cdc_start_date": declared.cdc_start_date | string if declared.cdc_start_date else none,
            "on_missing_files": declared.on_missing_files,
            "full_refresh": is_rebuilt,
            "run_command": dms_snapshots.run_command(declared.table_name, is_rebuilt),
            "rebuild_command": dms_snapshots.run_command(declared.table_name, full_refresh=true),
            "newest": newest.version if newest else none,
            "current": dms_snapshots._landing_version(current, newest),
            "base": dms_snapshots._landing_version(base),
            "load_files": dms_snapshots.file_pairs(
                current.load_files + dms_snapshots._load_files_of_readded(declared, current) if current else []
            ),
            "excluded": dms_snapshots.file_pairs(newest.excluded_files if newest else []),
            "included": dms_snapshots.file_pairs(newest.included_files if newest else []),
            "history": past.get(declared.label),
            "is_altered": dms_snapshots.is_redeclared(declared, current),
            "has_key": declared.primary_keys | length > 0,
            "format": declared.format,
            "allows_missing": dms_snapshots.passes_once(declared, "allow_missing_files"),
            "allow_missing_command": dms_snapshots.run_command(
                declared.table_name, is_rebuilt, "allow_missing_files: [" ~ declared.label ~ "]"
            ),
        }) %}
    {% endfor %}
    {% do return(landed) %}
{% endmacro %}


{% macro _load_files_of_readded(declared, current) %}
    {% set found, names = [], current.shards | map(attribute="name") | list %}
    {% for shard in declared.shards if names and shard.name not in names %}
        {% set had = [] %}
        {% for row in dms_snapshots.versions_of(declared, {"lineage": true}).lineage
            if shard.name in (row.shards or []) | map(attribute="name") %}
            {% do had.append(row.version) %}
        {% endfor %}
        {% for file in (dms_snapshots.whole_manifest(declared, had[-1]).load_files if had else [])
            if file.path.startswith(shard.path) %}
            {% do found.append(file) %}
        {% endfor %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}


{% macro readable_tables(tables) %}
    {% set known, readable = dms_snapshots.index_node().get("versions", {}), [] %}
    {% for declared in tables if not known.get(declared.label, {}).error %}
        {% do readable.append(declared) %}
    {% endfor %}
    {% do return(readable) %}
{% endmacro %}


{% macro active_tables() %}
    {% do return(dms_snapshots.declarations().tables.values() | selectattr("active") | rejectattr("problems") | list) %}
{% endmacro %}


{% macro is_redeclared(declared, current) %}
    {% if not current %}{% do return(false) %}{% endif %}
    {% set columns, names = declared.columns | list, declared.columns | map(attribute="name") | map("lower") | list %}
    {#- Columns that files have brought are as good as declared, once a version has them. -#}
    {% set appends = declared.on_schema_change == "append_new_columns" and current.declared_as %}
    {% for name, data_type in (fromjson(current.declared_as).columns if appends else [])
        if name | lower not in names %}
        {% do columns.append({"name": name, "data_type": data_type}) %}
    {% endfor %}
    {% do return(
        current.fingerprint != dms_snapshots.fingerprint(dms_snapshots.declared_facts(dict(declared, columns=columns)))
    ) %}
{% endmacro %}


{% macro _landing_version(manifest, newest=none) %}
    {% if not manifest %}{% do return(none) %}{% endif %}
    {% set last_date = [manifest.run_date, newest.last_date or ""] | max if newest else manifest.run_date %}
    {% set version = {"newest_date": last_date} %}
    {% for name in ["files", "load_files"] %}
        {% do version.update({name: dms_snapshots.file_pairs(manifest[name])}) %}
    {% endfor %}
    {% for name in [
        "version", "run_date", "generation", "last_file_seq", "base_version", "rows_after",
        "indexed_from", "indexed_through", "run", "shards",
    ] %}
        {% do version.update({name: manifest[name]}) %}
    {% endfor %}
    {% do return(version) %}
{% endmacro %}
