{% macro list_partitions(relation, fixed={}) %}
    {#- From the metastore alone: no file is opened, however many partitions there are. -#}
    {% set clause = "partition (" ~ partition_spec(fixed) ~ ")" if fixed else "" %}
    {% set partitions = [] %}
    {% for row in run_query("show partitions " ~ relation ~ " " ~ clause).rows %}
        {% set spec = {} %}
        {% for part in row[0].split("/") %}
            {% do spec.update({part.split("=")[0]: part.split("=")[1]}) %}
        {% endfor %}
        {% do partitions.append(spec) %}
    {% endfor %}
    {% do return(partitions) %}
{% endmacro %}
