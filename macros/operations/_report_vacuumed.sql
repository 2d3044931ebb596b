{% macro _report_vacuumed(name, folders, dry_run, kept="") %}
    {#- Says what can go, or is gone, and in which folders. -#}
    {% set lines = [
        name ~ ": " ~ ("would delete " if dry_run else "deleted ") ~ folders | sum(attribute="file_count") ~ " files ("
        ~ folders | sum(attribute="size") ~ " bytes) in " ~ folders | length ~ " folders" ~ kept
    ] %}
    {% for folder in (folders if dry_run else folders[:20]) %}
        {% do lines.append(folder.folder ~ "  " ~ folder.file_count ~ " files") %}
    {% endfor %}
    {% do print(lines | join("\n    ")) %}
{% endmacro %}
