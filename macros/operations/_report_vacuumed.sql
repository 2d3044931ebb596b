{% macro _report_vacuumed(name, folders, dry_run, kept="") %}
    {% set lines = [
        name ~ ": " ~ ("would delete " if dry_run else "deleted ")
        ~ dms_snapshots.counted(folders | sum(attribute="file_count"), "file")
        ~ " (" ~ folders | sum(attribute="size") ~ " bytes) in "
        ~ dms_snapshots.counted(folders | length, "folder") ~ kept
    ] %}
    {% for folder in (folders if dry_run else folders[:20]) %}
        {% do lines.append(folder.folder ~ "  " ~ dms_snapshots.counted(folder.file_count, "file")) %}
    {% endfor %}
    {% do print(lines | join("\n    ")) %}
{% endmacro %}
