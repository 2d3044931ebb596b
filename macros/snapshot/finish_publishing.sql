{% macro finish_publishing(relation, declared, plan) %}
    {#- A run that died between recording a version and showing it is finished here. -#}
    {% if not plan.newest %}
        {% do return(none) %}
    {% endif %}
    {% for row in run_query("show tblproperties " ~ relation).rows if row[0] == "dms.published_version" %}
        {% if row[1] == plan.newest.version %}{% do return(none) %}{% endif %}
    {% endfor %}
    {% set version = read_version(declared, plan.newest) %}
    {% do version.update({"action": "finish", "is_redo": true}) %}
    {% do publish_version(relation, declared, version) %}
    {% do log(declared.label ~ ": finished publishing version " ~ version.version ~ " of " ~ version.run_date, info=true) %}
{% endmacro %}
