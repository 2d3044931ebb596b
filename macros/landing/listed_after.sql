{% macro listed_after() %}
    {#-
        Per table the path behind which to list. By default none: everything is listed, so that no
        file is too late to be seen. The variable late_file_days trades that for a shorter listing.
    -#}
    {% if var("late_file_days", none) is none or load_relation(named_relation("dms_files")) is none %}
        {% do return({}) %}
    {% endif %}
    {% set index = index_node() %}
    {% if "listed_after" not in index %}
        {% set paths = {} %}
        {% for row in query_rows(_listed_after_sql(ref("dms_files") if model.name != "dms_files" else this)) %}
            {% do paths.update({row.source_name ~ "." ~ row.table_name: row.path}) %}
        {% endfor %}
        {% do index.update({"listed_after": paths}) %}
    {% endif %}
    {% do return(index.listed_after) %}
{% endmacro %}


{% macro _listed_after_sql(relation) %}
with newest as (

    select
        source_name,
        table_name,
        max(file_time) as file_time
    from {{ relation }}
    where kind = 'cdc'
    group by source_name, table_name

)

select
    files.source_name,
    files.table_name,
    max(files.path) as path
from {{ relation }} as files
inner join newest
    on files.source_name = newest.source_name and files.table_name = newest.table_name
where
    files.kind = 'cdc'
    and files.file_time < newest.file_time - interval {{ var("late_file_days") }} days
group by files.source_name, files.table_name
{% endmacro %}
