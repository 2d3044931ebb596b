{% macro plan_snapshot(declared) %}
    {#-
        What this run has to do, from the ledger and the log of staged files alone:
        carry (nothing new: the base's slices again), merge (changes on the base), or
        build (a new full load, the first version, or --full-refresh).
    -#}
    {% set versions = table_versions(declared) %}
    {% set base_name = base_version(declared, versions) %}
    {% set base = read_version(declared, base_name) if base_name else none %}
    {% do refuse_unstaged_files(declared, base) %}
    {% set staged = query_rows(staged_files_sql(declared, base)) | last %}
    {% if not staged %}
        {% set action = "carry" if base else "build" %}
    {% else %}
        {% set action = "merge" if base and base.generation == staged.generation else "build" %}
    {% endif %}
    {% do return({
        "action": action,
        "base": base,
        "staged": staged or {"generation": 1, "file_count": 0, "load_rows": 0, "change_rows": 0, "last_file_seq": 0},
        "is_late": action == "merge" and (
            declared.order_by != "file" or staged.first_file_seq <= base.last_file_seq
        ),
        "newest": versions | last,
    }) %}
{% endmacro %}
