{% macro check_published(declared, newest) %}
    {#- Staging shows the lineage of the newest version only once that is published whole. -#}
    {% if newest and newest not in recorded_dates(declared) %}
        {% do fail(
            declared.label,
            "version " ~ newest ~ " was committed, and the command that made it died before all of it was published",
            "Nothing of " ~ model.name ~ " was changed.",
            "Run dbt run, which finishes it; then dbt snapshot."
        ) %}
    {% endif %}
{% endmacro %}
