{% macro write_rows(table, location, rows, folded=[]) %}
    {% do run_query(
        "create or replace temporary view dms_written_" ~ local_md5(location)[:12]
        ~ " (location string, row_count bigint) using dms_write options (table " ~ dms_snapshots.sql_string(table)
        ~ ", location " ~ dms_snapshots.sql_string(location) ~ ", rows " ~ dms_snapshots.sql_string(tojson(rows))
        ~ ", folded " ~ dms_snapshots.sql_string(tojson(folded))
        ~ ", release " ~ dms_snapshots.sql_string(dms_snapshots.package_version()) ~ ")"
    ) %}
    {% do run_query("select location, row_count from dms_written_" ~ local_md5(location)[:12]) %}
{% endmacro %}
