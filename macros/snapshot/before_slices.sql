{% macro before_slices(plan) %}
    {#- The slices that the changes fall on: the base's, or in a build the folders of the staged full load. -#}
    {% if plan.action == "merge" %}
        {% do return(plan.base.slices) %}
    {% endif %}
    {% if plan.loads_repeat or not plan.staged.load_rows %}
        {% do return([]) %}
    {% endif %}
    {#- That the staging table still shows this folder, is asked before the version is recorded. -#}
    {% do return([{"slice": none, "location": plan.staged.staged_in}]) %}
{% endmacro %}
