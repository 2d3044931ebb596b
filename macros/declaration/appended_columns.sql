{% macro appended_columns(declared) %}
    {#- What on_schema_change: append_new_columns has added to staging: as good as declared. -#}
    {% set name = "stg_" ~ declared.source_name ~ "__" ~ declared.table_name %}
    {% set staging = adapter.get_relation(database=none, schema=target.schema, identifier=name) %}
    {% set appended = [] %}
    {% if staging %}
        {#- A column that was renamed stays under its earlier name too. -#}
        {% set known = (declared.columns | map(attribute="name") | list + renamed_columns(declared).values() | sum(start=[])) | map("lower") | list %}
        {% for row in run_query("describe " ~ staging).rows if row[0] and not row[0].startswith(("#", "_dms_")) %}
            {% if row[0] | lower not in known and row[0] not in appended | map(attribute="name") %}
                {% do appended.append({"name": row[0], "data_type": row[1], "description": ""}) %}
            {% endif %}
        {% endfor %}
    {% endif %}
    {% do return(appended) %}
{% endmacro %}
