{% materialization dms_log, adapter='spark' %}
    {% set relation = this.incorporate(type="table") %}
    {% set is_new = load_relation(this) is none %}
    {{ run_hooks(pre_hooks) }}
    {% if is_new %}
        {% do dms_snapshots.create_log_table(
            relation, model, dms_snapshots.new_table_location(relation)
        ) %}
    {% endif %}
    {{ store_result("main", "created" if is_new else "kept") }}
    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [relation]}) %}
{% endmaterialization %}
