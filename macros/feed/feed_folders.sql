{% macro feed_folders(declared, versions) %}
    {#- The folder of the changes of some versions, by version; those without changes are left out. -#}
    {% set folders = {} %}
    {% if versions %}
        {% for row in query_rows(
            "select version, feed_location from " ~ named_relation("snapshot_versions")
            ~ " where " ~ versions_filter(declared, versions) ~ " and feed_location is not null"
        ) %}
            {% do folders.update({row.version: row.feed_location}) %}
        {% endfor %}
    {% endif %}
    {% do return(folders) %}
{% endmacro %}
