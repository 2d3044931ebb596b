{% macro lay_out_anew(relation, declared, plan) %}
    {#- Partition columns cannot be altered, so the tables are made again; they are external, and files stay. -#}
    {% do adapter.drop_relation(current_relation(relation)) %}
    {% do adapter.drop_relation(relation) %}
    {% do create_snapshot_table(relation, declared, plan.root) %}
    {% do plan.update({"layout": layout(declared)}) %}
{% endmacro %}
