{% macro read_past_versions(tables) %}
    {% set past, places = {}, [] %}
    {% for declared in tables %}
        {% do past.update({declared.label: []}) %}
        {% do places.append("(" ~ dms_snapshots.table_filter(declared) ~ ")") %}
    {% endfor %}
    {% for row in dms_snapshots.query_rows(
        "select source_name, table_name, version, cast(run_date as string) as run_date, action, generation,"
        ~ " current_version, restored_version, base_version, coalesce(files, array()) as files"
        ~ " from " ~ dms_snapshots.named_relation("snapshot_versions") ~ " where " ~ places | join(" or ")
    ) %}
        {% do past[row.source_name ~ "." ~ row.table_name].append(
            dict(row, files=dms_snapshots.file_pairs(row.files))
        ) %}
    {% endfor %}
    {% do return(past) %}
{% endmacro %}
