{% macro lay_out_anew(relation, declared, plan) %}
    {#- Partition columns cannot be altered, so the tables are made again; they are external, and files stay. -#}
    {% do run_query("drop table if exists " ~ current_relation(relation)) %}
    {% do run_query("drop table if exists " ~ relation) %}
    {% do create_snapshot_table(relation, declared, plan.root) %}
    {% do plan.update({"layout": layout(declared)}) %}
{% endmacro %}
