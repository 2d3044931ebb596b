{% macro publish_version(relation, declared, version) %}
    {#- By metadata alone: readers see the old state or the new one, nothing between. -#}
    {% set current = current_relation(relation) %}
    {% for slice in version.slices %}
        {% do point_partition(relation, {"snapshot_date": version.run_date or run_date()}, slice.location) %}
        {% if version.action != "carry" or version.is_redo %}
            {% do run_query(
                "create table if not exists " ~ current ~ " (" ~ column_definitions(declared.columns) ~ ") using parquet location "
                ~ sql_string(slice.location)
            ) %}
            {% do sync_columns(current, declared.columns, declared.label) %}
            {% do run_query("alter table " ~ current ~ " set location " ~ sql_string(slice.location)) %}
        {% endif %}
    {% endfor %}
    {#- Last, so that it tells whether all of the above was done. -#}
    {% do run_query("alter table " ~ relation ~ " set tblproperties ('dms.published_version' = " ~ sql_string(version.version) ~ ")") %}
{% endmacro %}
