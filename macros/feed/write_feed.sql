{% macro write_feed(relation, declared, job, whole, version) -%}
    {% if not declared.change_feed %}{% do return(none) %}{% endif %}
    {% set before, after = relation.identifier ~ "__feed_before", relation.identifier ~ "__feed_after" %}
    {% if job.keeps_replaced %}
        {% do dms_snapshots.create_rows_view(before, declared, job.root, version.replaced) %}
        {% do run_query(
            "create or replace temporary view " ~ dms_snapshots.sql_name(after) ~ " as select "
            ~ dms_snapshots.column_names(declared.columns)
            ~ " from parquet." ~ dms_snapshots.sql_name(version.changes) ~ " where _dms_op <> 'D'"
        ) %}
    {% else %}
        {% set base = whole.feed_base %}
        {#- A view of a folder that an object store does not have any more could not be made. -#}
        {% if base %}{% do dms_snapshots.check_files(declared, base.version, base.partitions) %}{% endif %}
        {% do dms_snapshots.create_rows_view(
            before, declared, job.root, base.partitions if base else [], relation, base
        ) %}
        {% if base %}
            {% set found = dms_snapshots.query_rows(
                "select count(*) as row_count from " ~ dms_snapshots.sql_name(before)
            )[0].row_count %}
            {% do dms_snapshots.check_rows_of_files(declared, base, found) %}
        {% endif %}
        {% do dms_snapshots.create_rows_view(after, declared, job.root, version.partitions) %}
    {% endif %}
    {% set location = version.beside ~ "/feed" %}
    {% call statement("feed") %}
        {{ dms_snapshots.write_folder_sql(location) }}
        {{ dms_snapshots.feed_sql(
            dms_snapshots.sql_name(before), dms_snapshots.sql_name(after), declared, version.version
        ) }}
    {% endcall %}
    {#- A date that changed nothing has no partition, as on a day without files. -#}
    {% do return(
        location if dms_snapshots.query_rows(
            "select 1 as found from parquet." ~ dms_snapshots.sql_name(location) ~ " limit 1"
        ) else none
    ) %}
{% endmacro %}
