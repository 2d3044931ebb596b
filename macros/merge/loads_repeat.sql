{% macro loads_repeat(declared, job, parts) %}
    {% set last = namespace(key="", rises=not parts | rejectattr("first_key") | list) %}
    {#-
        If the keys rise within each file and no two files overlap, as staging has seen, no key is there twice, and
        ten million need not be compared.
    -#}
    {% for part in (parts | sort(attribute="first_key") if last.rises else []) %}
        {% if last.key and part.first_key <= last.key %}{% set last.rises = false %}{% endif %}
        {% set last.key = part.last_key %}
    {% endfor %}
    {% if not declared.primary_keys or last.rises %}{% do return(false) %}{% endif %}
    {% set keys = dms_snapshots.column_names(declared.primary_keys) %}
    {% set loaded = "(" ~ job.changes_sql ~ ") where _dms_is_load and "
        ~ dms_snapshots.of_generations_sql("_dms_generation", job.generations) %}
    {#- A NULL in a key fails the run later, and is no key that repeats. -#}
    {% set has_key = dms_snapshots.has_key_sql(declared) %}
    {% set counts = dms_snapshots.query_rows(
        "select count(*) as row_count, count_if(" ~ has_key ~ ") as with_key,"
        ~ " count(distinct " ~ keys ~ ") as key_count from " ~ loaded
    )[0] %}
    {% set repeated = dms_snapshots.query_rows(
        "select to_json(struct(" ~ keys ~ ")) as some_key from " ~ loaded ~ " and " ~ has_key
        ~ " group by " ~ keys ~ " having count(*) > 1 limit 1"
    ) if counts.with_key != counts.key_count else [] %}
    {% if repeated %}
        {% do dms_snapshots.warn_of_table(
            declared,
            "its full load has " ~ counts.with_key ~ " rows and " ~ counts.key_count ~ " keys ("
            ~ declared.primary_keys | join(", ") ~ "), for instance twice " ~ repeated[0].some_key,
            "The last row of each key, in the order of order_by, is published. "
            ~ "If files of an older load are left in its folder, remove them and let DMS load the table again. "
            ~ "If it is not the key of the source, rows are missing: "
            ~ "correct primary_keys and run with --full-refresh."
        ) %}
    {% endif %}
    {% do return(counts.row_count != counts.key_count) %}
{% endmacro %}
