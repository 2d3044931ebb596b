{% macro check_files(declared, version, partitions) %}
    {% if not partitions %}{% do return(none) %}{% endif %}
    {% set view = "dms_checked_files_" ~ local_md5(tojson(partitions))[:12] %}
    {% do run_query(
        "create or replace temporary view " ~ view ~ " (folder string, changed_files string) using dms_folders"
        ~ " options (by_name true, folders " ~ dms_snapshots.sql_string(tojson(partitions)) ~ ")"
    ) %}
    {% for row in dms_snapshots.query_rows("select * from " ~ view ~ " order by folder limit 1") %}
        {% do dms_snapshots.fail_for_files(declared, version, row.changed_files) %}
    {% endfor %}
{% endmacro %}


{% macro fail_for_files(declared, version, changed_files, not_done=none) %}
    {% do dms_snapshots.fail(
        "E405",
        declared.label,
        "files of version " ~ version ~ " were changed by hand: " ~ changed_files,
        not_done,
        "See what would be restored: " ~ dms_snapshots.operation_command("repair", {"select": declared.label})
    ) %}
{% endmacro %}


{% macro check_rows_of_files(declared, version, found) %}
    {% if found != version.rows_after %}
        {% do dms_snapshots.fail_for_files(
            declared, version.version, "they had " ~ version.rows_after ~ " rows when it was written, and have " ~ found
        ) %}
    {% endif %}
{% endmacro %}
