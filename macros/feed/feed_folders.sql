{% macro feed_folders(declared, versions) %}
    {% set folders = {} %}
    {% if versions %}
        {% for row in dms_snapshots.query_rows(
            "select version, feed_location from " ~ dms_snapshots.named_relation("snapshot_versions")
            ~ " where " ~ dms_snapshots.versions_filter(declared, versions) ~ " and feed_location is not null"
        ) %}
            {% do folders.update({row.version: row.feed_location}) %}
        {% endfor %}
    {% endif %}
    {% do return(folders) %}
{% endmacro %}
