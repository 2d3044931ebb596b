{% macro refuse_lost_feed_base(relation, declared, plan, base, before) %}
    {#- Files that someone deleted by hand would be taken for rows that were not there. -#}
    {% if not base %}
        {% do return(none) %}
    {% endif %}
    {% set found = query_rows("select count(*) as row_count from " ~ sql_name(before))[0].row_count %}
    {% if found != base.rows_after %}
        {% do exceptions.raise_compiler_error(
            declared.label ~ ": version " ~ base.version ~ " had " ~ base.rows_after ~ " rows when it was written, but its files have " ~ found
            ~ " now, so the changes of " ~ plan.run_date ~ " since then cannot be told: files below " ~ plan.root ~ " were deleted or changed by "
            ~ "hand. Nothing of this table was published. Bring them back; or declare change_feed: false, give the command again, and declare "
            ~ "it true after: then " ~ feed_relation(relation) ~ " has nothing of " ~ plan.run_date ~ "."
        ) %}
    {% endif %}
{% endmacro %}
