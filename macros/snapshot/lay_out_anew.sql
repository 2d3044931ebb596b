{% macro lay_out_anew(relation, declared, plan) %}
    {#- Partition columns cannot be altered, so the tables are made again; they are external, and files stay. -#}
    {#- Also the names of which the files of earlier versions have values. -#}
    {% set earlier = earlier_columns(declared, relation) %}
    {% do adapter.drop_relation(current_relation(relation)) %}
    {% do adapter.drop_relation(relation) %}
    {% do create_snapshot_table(relation, declared, plan.root) %}
    {% if earlier %}{% do run_query("alter table " ~ relation ~ " add columns (" ~ column_definitions(earlier) ~ ")") %}{% endif %}
    {% do plan.update({"layout": layout(declared)}) %}
{% endmacro %}
