{% macro differing_folder(root) %}
    {#- Where the runs of this date write what they find that may differ; vacuum knows a folder of digits above that of a run. -#}
    {% do return(root ~ "/differing/" ~ run_date() | replace("-", "")) %}
{% endmacro %}
