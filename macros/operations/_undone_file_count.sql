{% macro _undone_file_count(declared, undone, applied) %}
    {#- How many files of some versions are in none of others: those that going from one to the other withholds. -#}
    {% if not undone %}{% do return(0) %}{% endif %}
    {% set files_sql = "select inline(files) as (path, etag) from " ~ ref("snapshot_versions") ~ " where " %}
    {% do return(
        query_rows(
            "select count(*) as file_count from (" ~ files_sql ~ versions_filter(declared, undone)
            ~ " except " ~ files_sql ~ versions_filter(declared, applied) ~ ")"
        )[0].file_count
    ) %}
{% endmacro %}
