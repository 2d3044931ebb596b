{% macro versions(select="*", limit=20) %}
    {% if limit is not integer or limit < 1 %}
        {% do dms_snapshots.fail(
            "E412",
            none,
            "limit is " ~ limit,
            "Nothing was printed.",
            "Allowed is how many versions to print of each table: 1 or more."
        ) %}
    {% endif %}
    {% if not dms_snapshots.log_exists("snapshot_versions") %}
        {% do print("Nothing was ever published. Publish with dbt run.") %}
        {% do return(none) %}
    {% endif %}
    {% do dms_snapshots._planned("versions", select, true, {"limit": limit}) %}
{% endmacro %}
