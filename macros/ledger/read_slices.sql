{% macro read_slices(declared, versions) %}
    {#- The slices of some versions, by version. -#}
    {% set slices = {} %}
    {% if versions %}
        {% for row in query_rows(
            "select version, slices from " ~ ref("snapshot_versions") ~ " where " ~ versions_filter(declared, versions)
        ) %}
            {% do slices.update({row.version: row.slices}) %}
        {% endfor %}
    {% endif %}
    {% do return(slices) %}
{% endmacro %}
