{% macro dms_listing_view() %}
    {#- The pre-hook of dms_files: a view that lists the objects of all active tables in one pass. -#}
    {% set tables = [] %}
    {% if execute %}
        {% set listed_until = _listed_until() %}
        {% for node in graph.sources.values() if node.config.meta.get("dms") %}
            {% set declared = read_declaration(node) %}
            {#- A refused declaration fails in its own staging model, where the reason is told. -#}
            {% if not declared.problems and declared.active %}
                {% do tables.append({
                    "source_name": declared.source_name,
                    "table_name": declared.table_name,
                    "path": absolute_path(declared.path),
                    "timezone": declared.file_timezone,
                    "transaction_path": absolute_path(declared.transaction_path) if declared.transaction_path else none,
                    "after": listed_until.get(declared.label),
                }) %}
            {% endif %}
        {% endfor %}
    {% endif %}
create or replace temporary view dms_listing (
    source_name string,
    table_name string,
    path string,
    kind string,
    file_time timestamp,
    other_time timestamp,
    name_order bigint,
    size bigint,
    etag string,
    modified_at timestamp,
    problem string,
    listed_after string
) using dms_files options (tables {{ sql_string(tojson(tables)) }})
{% endmacro %}
