{% materialization dms_feed, adapter='spark' %}
    {% set declared = dms_snapshots.declaration(
        config.get("meta").dms.source_name, config.get("meta").dms.table_name
    ) %}
    {% set relation = this.incorporate(type="table") %}
    {{ run_hooks(pre_hooks) }}
    {% if declared.active and declared.change_feed %}
        {% do apply_grants(relation, config.get("grants"), should_revoke=false) %}
    {% endif %}
    {% if not declared.active %}
        {{ store_result("main", "not active") }}
    {% else %}
        {{ store_result("main", "published with the snapshot" if declared.change_feed else "change_feed is not true") }}
    {% endif %}
    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [relation] if declared.active and declared.change_feed else []}) %}
{% endmaterialization %}
