{% macro note_differing_files() %}
    {#-
        The second pre-hook of dms_files: writes what differs to a folder of this run, because it is
        read several times, and listing is what costs; and notes whether that is anything. A run that
        dies leaves the folder; nothing refers to it. That there is one for a date tells that somebody
        has looked.
    -#}
    {% if execute %}
        {% set location = differing_folder(log_location(model.name)) ~ "/" ~ run_version() %}
        {% call statement("differing") %}
            insert overwrite directory {{ sql_string(location) }} using parquet
            {{ differing_files_sql(load_relation(this)) }}
        {% endcall %}
        {% call statement("differing_view") %}
            create or replace temporary view dms_differing_files (
                source_name string,
                table_name string,
                path string,
                difference string,
                file_time timestamp,
                name_order bigint,
                size bigint,
                upload_etag string,
                modified_at timestamp,
                problem string,
                is_written_anew boolean,
                noted_file_time timestamp,
                noted_etag string,
                noted_generation int,
                noted_file_seq bigint
            ) using parquet options (path {{ sql_string(location) }})
        {% endcall %}
        {% set found = query_rows("select 1 as found from dms_differing_files limit 1") %}
        {% do log_node(model.name).update({"has_additions": found | length > 0}) %}
    {% endif %}
{% endmacro %}
