{% macro refuse_moved_staging(declared, plan) %}
    {#-
        Another run of this table may have staged for the same date, or dropped what this one staged,
        while it was at work; then what was read may not be what the log says. It moves the log first,
        and may have died behind that: see stage_files.
    -#}
    {% if not plan.staged.staged_in %}
        {% do return(none) %}
    {% endif %}
    {% set staging = ref("stg_" ~ declared.source_name ~ "__" ~ declared.table_name) %}
    {% for relation, partition in [
        (staging, {"_dms_run_date": plan.run_date}),
        (ref("dms_staged_files"), table_partition(declared, plan.run_date)),
    ] %}
        {% set is_there = list_partitions(relation, partition) %}
        {% if not is_there or not partition_location(relation, partition).endswith(plan.staged.staged_in.split("/") | last) %}
            {% do exceptions.raise_compiler_error(
                declared.label ~ ": another run has staged files of this table while this one was at work. Nothing of this run was "
                ~ "published. Run the same command again."
            ) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
