{% macro read_manifests(wanted, is_whole=false) %}
    {% set found = {} %}
    {% for declared, version in wanted %}{% do found.setdefault(declared.label, {}) %}{% endfor %}
    {% if not wanted %}{% do return(found) %}{% endif %}
    {% set columns = [
        "source_name", "table_name", "version", "action", "cast(run_date as string) as run_date", "current_version",
        "restored_version", "base_version", "root", "layout", "fingerprint", dms_snapshots._declared_as_sql(wanted),
        "generation", "shards", "last_file_seq", dms_snapshots.run_name_sql("indexed_from"),
        dms_snapshots.run_name_sql("indexed_through"),
        "partitions", "files", "load_files", "excluded_files", "included_files", "rows_before", "rows_inserted",
        "rows_updated", "rows_deleted", "rows_after", "run",
        "cast(array_max(dates.run_date) as string) as last_date",
        "date_format(started_at, 'yyyy-MM-dd HH:mm:ss') as started_at", "current_timezone() as time_zone",
    ] + (["declarations", "dates", "staged", "feed_location", "feed_dates"] if is_whole else []) %}
    {% for row in dms_snapshots.query_rows(
        "select " ~ columns | join(", ") ~ " from " ~ dms_snapshots.named_relation("snapshot_versions")
        ~ " where " ~ dms_snapshots._wanted_filter(wanted)
    ) %}
        {% do dms_snapshots.check_time_zone(row.pop("time_zone")) %}
        {% for name in ["shards", "partitions", "files", "load_files", "excluded_files", "included_files"] %}
            {% if row[name] is none %}{% do row.update({name: []}) %}{% endif %}
        {% endfor %}
        {% do found[row.source_name ~ "." ~ row.table_name].update({row.version: row}) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}


{% macro whole_manifests(declared, versions) %}
    {% set wanted = [] %}
    {% for version in versions %}{% do wanted.append([declared, version]) %}{% endfor %}
    {% do return(dms_snapshots.read_manifests(wanted, is_whole=true).get(declared.label, {})) %}
{% endmacro %}


{% macro whole_manifest(declared, version) %}
    {% do return(dms_snapshots.manifest_of_version(
        declared, dms_snapshots.whole_manifests(declared, [version]), version
    )) %}
{% endmacro %}


{% macro manifest_of_version(declared, manifests, version) %}
    {% if version not in manifests %}
        {% set history = dms_snapshots.named_relation("snapshot_versions") %}
        {% set partition = dms_snapshots.partition_spec(
            dict(dms_snapshots.table_partition(declared), version=version)
        ) %}
        {% do dms_snapshots.fail(
            "E422",
            declared.label,
            "the manifest of version " ~ version ~ " is gone: no file below "
            ~ dms_snapshots.log_location("snapshot_versions") ~ "/" ~ declared.label ~ "/…-" ~ version,
            "Nothing was run.",
            "Bring the file back. If there is none: alter table " ~ history ~ " drop partition (" ~ partition
            ~ "), then: " ~ dms_snapshots.run_command(declared.table_name, full_refresh=true)
        ) %}
    {% endif %}
    {% do return(manifests[version]) %}
{% endmacro %}


{% macro _wanted_filter(wanted) %}
    {% set places, versions = [], [] %}
    {% for declared, version in wanted %}
        {% do versions.append(version) %}
        {% do places.append(
            "(" ~ dms_snapshots.table_filter(declared) ~ " and version = " ~ version ~ ")" if wanted | length <= 5
            else dms_snapshots.sql_string(declared.source_name ~ "/" ~ declared.table_name ~ "/" ~ version)
        ) %}
    {% endfor %}
    {% if wanted | length <= 5 %}{% do return("(" ~ places | join(" or ") ~ ")") %}{% endif %}
    {% do return(
        "version between " ~ versions | min ~ " and " ~ versions | max
        ~ " and concat_ws('/', source_name, table_name, version) in (" ~ places | join(", ") ~ ")"
    ) %}
{% endmacro %}


{% macro _declared_as_sql(wanted) %}
    {% set labels = [] %}
    {% for declared, version in wanted if declared.on_schema_change == "append_new_columns" %}
        {% do labels.append(dms_snapshots.sql_string(declared.label)) %}
    {% endfor %}
    {% if not labels %}{% do return("cast(null as string) as declared_as") %}{% endif %}
    {% do return(
        "if(concat(source_name, '.', table_name) in (" ~ labels | unique | join(", ")
        ~ "), declarations[fingerprint], null) as declared_as"
    ) %}
{% endmacro %}


{% macro run_name_sql(column) %}
    {% do return(
        "date_format(" ~ column ~ ", 'yyyyMMdd') || 'T' || date_format(" ~ column ~ ", 'HHmmssSSSSSS') || 'Z' as "
        ~ column
    ) %}
{% endmacro %}
