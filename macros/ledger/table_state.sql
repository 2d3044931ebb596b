{% macro table_state(relation, declared) %}
    {#- Where a published table stands: its newest version, the current one, and what readers were shown last. -#}
    {% set properties = table_properties(relation) %}
    {% set newest = table_versions(declared) | last | default(none) %}
    {% do return({
        "newest": newest,
        "version": (newest or 0) + 1,
        "head": head_version(declared, newest),
        "root": properties["dms.root"],
        "layout": properties["dms.layout"],
        "published_version": properties.get("dms.published_version"),
    }) %}
{% endmacro %}
