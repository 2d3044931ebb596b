{% macro _refuse_changes(declared, plan, latest, condition, what, way_out) %}
    {% set rows = query_rows(
        "select distinct files.path || ' row ' || latest._dms_row as place from " ~ latest ~ " as latest"
        ~ " inner join " ~ ref("dms_staged_files") ~ " as files on " ~ table_filter(declared, "files") ~ " and files.file_seq = latest._dms_file_seq"
        ~ " and files.generation = " ~ plan.staged.generation ~ " where " ~ condition ~ " order by place limit 5"
    ) %}
    {% do exceptions.raise_compiler_error(
        declared.label ~ ": rows " ~ what ~ ":\n  " ~ rows | map(attribute="place") | join("\n  ")
        ~ "\nNothing of this table was published. " ~ way_out ~ " Then run the same command again."
    ) %}
{% endmacro %}
