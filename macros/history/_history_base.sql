{% macro _history_base(relation, dates, line) %}
    {#- The newest partition that still counts. After a full refresh all before its date does. -#}
    {% for date in dates %}
        {% set partition = closed_partition(relation, date) %}
        {% for version in line if version.version == partition.version %}
            {% do partition.update({"generation": version.generation, "last_file_seq": version.last_file_seq}) %}
            {% do return(partition) %}
        {% endfor %}
        {% if line and line[0].base_version is none and date < line[0].run_date %}
            {% do return(partition) %}
        {% endif %}
    {% endfor %}
    {% do return(none) %}
{% endmacro %}
