{% macro create_before_view(name, declared, job, partitions) %}
    {% if job.action == "merge" %}
        {% do dms_snapshots.create_rows_view(name, declared, job.root, partitions) %}
    {% else %}
        {% do run_query(
            "create or replace temporary view " ~ dms_snapshots.sql_name(name) ~ " as select "
            ~ dms_snapshots.column_names(declared.columns)
            ~ " from (" ~ job.changes_sql ~ ") where _dms_is_load and "
            ~ dms_snapshots.of_generations_sql("_dms_generation", job.generations)
            ~ (" and false" if job.loads_repeat else "")
        ) %}
    {% endif %}
{% endmacro %}
