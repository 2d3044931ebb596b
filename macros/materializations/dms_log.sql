{% materialization dms_log, adapter='spark' %}
    {% set relation = this.incorporate(type="table") %}
    {% set is_new = load_relation(this) is none %}
    {{ run_hooks(pre_hooks) }}
    {% if is_new %}
        {% do dms_snapshots.create_log_table(relation) %}
    {% endif %}
    {{ store_result("main", "created" if is_new else "kept") }}
    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [relation]}) %}
{% endmaterialization %}


{% macro create_log_table(relation) %}
    {% do dms_snapshots.create_table(
        relation,
        model.columns.values() | list,
        config.get("partition_by"),
        dms_snapshots.new_table_location(relation),
        comment_clause()
    ) %}
    {% do adapter.cache_added(relation) %}
{% endmacro %}
