{% macro refuse_withheld_load(declared, base, head, staged) %}
    {#- Changes on a full load that was rolled back, taken alone, would be the whole table. -#}
    {% set is_reload = base or head and head.withheld_count and staged.generation > 1 %}
    {% if is_reload and not staged.load_files %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": files of generation " ~ staged.generation ~ " have come, but the full load of that generation is "
            ~ "withheld, because it was rolled back. Nothing of this table was published. Take the full load again with dbt "
            ~ "run-operation reapply, or reload the table in DMS. Then run the same command again."
        ) %}
    {% endif %}
{% endmacro %}
