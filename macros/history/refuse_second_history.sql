{% macro refuse_second_history(relation, declared, plan) %}
    {#- Another dbt snapshot may have closed rows meanwhile, or another run staged one of the dates again. -#}
    {% set dates = closed_dates(relation) %}
    {% if (closed_partition(relation, dates[0]).closed if dates else none) != plan.newest_closed %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": another dbt snapshot has written " ~ model.name ~ " while this one was at work. Nothing of this one "
            ~ "was published. Run the same command again."
        ) %}
    {% endif %}
    {% if plan.runs %}{% do refuse_other_staging(declared, plan, read_version(declared, plan.newest)) %}{% endif %}
{% endmacro %}
