{% macro _log_areas(declared, folders) %}
    {% set areas, manifests = [], [] %}
    {% for row in dms_snapshots.query_rows(
        "select distinct _metadata.file_path as path from " ~ ref("dms_snapshots", "snapshot_versions")
        ~ " where " ~ dms_snapshots.table_filter(declared)
    ) %}
        {% do manifests.append(row.path.rsplit("/", 1)[0]) %}
    {% endfor %}
    {% for name, needed in [
        ("snapshot_versions", manifests), ("dms_staged_files", folders.reports), ("dms_rejects", folders.rejects),
    ] %}
        {% do areas.append(dms_snapshots._area(dms_snapshots.log_location(name) ~ "/" ~ declared.label, needed, 1)) %}
    {% endfor %}
    {% do areas.append(dms_snapshots._area(dms_snapshots.staging_root(declared), folders.staged, 1)) %}
    {% do return(areas) %}
{% endmacro %}


{% macro _area(root, needed, depth) %}
    {% set folders = [] %}
    {% for folder in needed | unique %}
        {% do folders.append(root ~ "/" ~ folder.split("/")[-depth:] | join("/")) %}
    {% endfor %}
    {% do return({"root": root, "needed": folders}) %}
{% endmacro %}
