{% macro loads_repeat(changes_sql, declared, plan) %}
    {#-
        Whether a full load has a key twice: then the last row wins. Files of two loads in one folder
        are so; but so is a load whose key is not the declared one, and then rows are lost. That is told.
    -#}
    {% if not declared.primary_keys or not plan.staged.load_rows %}
        {% do return(false) %}
    {% endif %}
    {% if query_rows(loads_rise_sql(declared, plan))[0].rise %}
        {% do return(false) %}
    {% endif %}
    {% set keys = column_names(declared.primary_keys) %}
    {% set loaded = "(" ~ changes_sql ~ ") where _dms_is_load and _dms_generation = " ~ plan.staged.generation
        ~ " and _dms_run_date = date'" ~ plan.run_date ~ "'" %}
    {#- A NULL in a key is refused later, and is no key that repeats. -#}
    {% set has_key = has_key_sql(declared) %}
    {% set counts = query_rows(
        "select count(*) as row_count, count_if(" ~ has_key ~ ") as with_key, count(distinct " ~ keys ~ ") as key_count from " ~ loaded
    )[0] %}
    {% set repeated = query_rows(
        "select to_json(struct(" ~ keys ~ ")) as some_key from " ~ loaded ~ " and " ~ has_key ~ " group by " ~ keys ~ " having count(*) > 1 limit 1"
    ) if counts.with_key != counts.key_count else [] %}
    {% if repeated %}
        {% do warn_of_table(
            declared,
            "its full load has " ~ counts.with_key ~ " rows and " ~ counts.key_count ~ " keys (" ~ declared.primary_keys | join(", ")
            ~ "), for instance twice " ~ repeated[0].some_key,
            "Of each key the last row in the order of order_by is published. If files of an older load are left in its folder, remove them and let DMS load "
            ~ "the table again. If it is not the key of the source, rows are missing: correct primary_keys and run with --full-refresh."
        ) %}
    {% endif %}
    {% do return(counts.row_count != counts.key_count) %}
{% endmacro %}
