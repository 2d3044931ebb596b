{% macro refuse_later_addition(relation, partitions) %}
    {#-
        A run that started later has added to a log. What it added, this run would not take, and what this
        one adds, the next runs would not see: they look for what came after.
    -#}
    {% for partition in partitions if partition.version > run_version() %}
        {% do exceptions.raise_compiler_error(
            relation ~ ": a run that started later than this one has added to it, " ~ partition.version ~ " after " ~ run_version()
            ~ ". Nothing was changed. Run the same command again. If no other was at work, the clocks of two machines differ: "
            ~ "wait until this one shows the later time."
        ) %}
    {% endfor %}
{% endmacro %}
