{% macro note_differing_files() %}
    {#-
        The second pre-hook of dms_files: writes what may differ to a folder of this run, because it is
        read several times, and listing is what costs; makes a view of what does differ, and notes
        whether that is anything: if not, it makes no view. A run that dies leaves the folder.
        Which tables somebody has listed for a date, it tells too; see last_listings.
    -#}
    {% if execute %}
        {% set location = differing_folder(log_location(model.name)) ~ "/" ~ run_version() %}
        {% call statement("compared") %}
            insert overwrite directory {{ sql_string(location) }} using parquet
            {{ compared_files_sql(load_relation(this)) }}
        {% endcall %}
        {% set has_additions = look_for_differing_files(location) %}
        {% if has_additions %}
            {% do run_query("create or replace temporary view dms_differing_files as " ~ differing_files_sql()) %}
        {% endif %}
        {% do log_node(model.name).update({"has_additions": has_additions}) %}
    {% endif %}
{% endmacro %}
