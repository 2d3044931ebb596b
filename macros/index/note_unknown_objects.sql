{% macro note_unknown_objects() %}
    {#-
        Notes in the node of dms_files, by table, how many objects below its folder are no files of DMS by their
        names, and the first: once, when the index notes them. Staging tells it.
    -#}
    {% set unknown = {} %}
    {% for table in query_rows(
        "select source_name || '.' || table_name as label, count(*) as object_count, min(path) as first_path from dms_compared_files"
        ~ " where difference = 'unknown' group by source_name, table_name"
    ) %}
        {% do unknown.update({table.label: table}) %}
    {% endfor %}
    {% do log_node("dms_files").update({"unknown_objects": unknown}) %}
{% endmacro %}
