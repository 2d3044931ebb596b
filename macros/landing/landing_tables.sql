{% macro landing_tables(tables) %}
    {% set landed, known = [], dms_snapshots.index_node().setdefault("versions", {}) %}
    {% do known.update(dms_snapshots.read_known_versions(tables | rejectattr("label", "in", known) | list)) %}
    {% for declared in tables %}
        {% set versions = dms_snapshots.known_versions(declared) %}
        {% set is_rebuilt = dms_snapshots.is_full_refresh(declared.table_name) %}
        {% do landed.append(dict(versions.index, **{
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
            "is_altered": dms_snapshots.is_redeclared(declared, versions.current),
            "has_key": declared.primary_keys | length > 0,
            "format": declared.format,
            "allows_missing": dms_snapshots.passes_once(declared, "allow_missing_files"),
            "allow_missing_command": dms_snapshots.run_command(
                declared.table_name, is_rebuilt, "allow_missing_files: [" ~ declared.label ~ "]"
            ),
        })) %}
    {% endfor %}
    {% do return(landed) %}
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
