{% macro feed_folders(declared, versions) %}
    {% set folders = {} %}
    {% if versions %}
        {% for row in dms_snapshots.versions_of(declared, {"lineage": true}).lineage
            if row.version in versions and row.feed_location is not none %}
            {% do folders.update({row.version: row.feed_location}) %}
        {% endfor %}
    {% endif %}
    {% do return(folders) %}
{% endmacro %}
