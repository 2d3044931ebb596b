{% macro check_changes(declared, job, state) %}
    {% set latest = "parquet." ~ dms_snapshots.sql_name(state.changes) %}
    {% if declared.primary_keys and dms_snapshots.count_sum(state.counts, "null_keys") %}
        {% set nulls = [] %}
        {% for key in declared.primary_keys %}
            {% do nulls.append("latest." ~ dms_snapshots.sql_name(key) ~ " is null") %}
        {% endfor %}
        {% do dms_snapshots._fail_for_changes(
            "E301",
            declared,
            job,
            latest,
            nulls | join(" or "),
            "have NULL in a key column (" ~ declared.primary_keys | join(", ") ~ ")",
            "Upload the file again with its key, under its name"
            ~ (", or let DMS load the table again" if job.has_load) ~ "; or declare the key that the source has."
        ) %}
    {% endif %}
    {% if not declared.primary_keys and dms_snapshots.count_sum(state.counts, "not_inserts") %}
        {% do dms_snapshots._fail_for_changes(
            "E302",
            declared,
            job,
            latest,
            "latest._dms_op <> 'I'",
            "are updates or deletes, but primary_keys is []",
            "Without a key only inserts can be kept: declare the key of the table."
        ) %}
    {% endif %}
{% endmacro %}


{% macro _fail_for_changes(number, declared, job, latest, condition, what, fix) %}
    {% set rows = dms_snapshots.query_rows(
        "select distinct files.path || ' row ' || latest._dms_row as place from " ~ latest ~ " as latest"
        ~ " inner join (" ~ job.files_sql ~ ") as files on files.file_seq = latest._dms_file_seq"
        ~ " and files.generation = latest._dms_generation where " ~ condition
        ~ " order by place limit 5"
    ) %}
    {% do dms_snapshots.fail(
        number,
        declared.label,
        "rows " ~ what ~ ":\n  " ~ rows | map(attribute="place") | join("\n  ") ~ "\n",
        none,
        fix ~ " Then run the same command again."
    ) %}
{% endmacro %}
