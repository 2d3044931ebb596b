{% macro spark__list_relations_without_caching(relation) %}
    {#-
        What dbt asks for once in each run: which relations there are. dbt-spark's own statement,
        `show table extended`, reads every table of the schema, a thousand of them for 300 declared
        tables; only the documentation needs that. All tables of this project are Parquet.
    -#}
    {% if invocation_args_dict.which == "generate" %}
        {#- Without temporary views, which belong to no schema: dbt's catalog fails on them. -#}
        {% do return(
            run_query("show table extended in " ~ relation.schema ~ " like '*'").rows | rejectattr(2) | list
        ) %}
    {% endif %}
    {% set views = run_query("show views in " ~ relation.schema).rows | map(attribute=1) | list %}
    {% set rows = [] %}
    {% for schema, name, is_temporary in run_query("show tables in " ~ relation.schema).rows if not is_temporary %}
        {% do rows.append([schema, name, is_temporary, "Type: VIEW" if name in views else "Provider: parquet"]) %}
    {% endfor %}
    {% do return(rows) %}
{% endmacro %}
