{% macro weighing_way_out(declared) %}
    {#- What to do where weighing_problems_sql finds something: a full refresh reads all files as they are declared now. -#}
    {% do return(
        "Declare that as it was then. Or, if all files of DMS are as it is declared now, and only it was declared wrongly, stage and build the table "
        ~ "anew from them: " ~ run_command(declared.table_name, full_refresh=true) ~ ". Or, if the files were other ones then, let DMS load the table again."
    ) %}
{% endmacro %}
