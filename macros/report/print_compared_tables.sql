{% macro print_compared_tables(tables) %}
    {% set found, declared_tables = [], [] %}
    {% for source_name, table_name in tables %}
        {% set declared = dms_snapshots.declaration(source_name, table_name) %}
        {% do declared_tables.append(declared) %}
        {% do found.append({
            "label": declared.label,
            "settings": dms_snapshots.reader_settings(declared),
            "staging_model": "stg_" ~ source_name ~ "__" ~ table_name,
            "keys": declared.declared_keys or [],
            "shards": declared.shards | map(attribute="name") | list,
        }) %}
    {% endfor %}
    {% set landed = dms_snapshots.landing_tables(declared_tables) %}
    {% set job = dms_snapshots.index_job(dms_snapshots.named_relation("dms_files"), landed) %}
    {% do print(tojson({"tables": found, "job": job})) %}
{% endmacro %}
