{% materialization dms_log, adapter='spark' %}
    {#- A table that other models add to: made once, then left alone, also by --full-refresh. -#}
    {% set existing = load_relation(this) %}
    {{ run_hooks(pre_hooks) }}
    {% if existing is none %}
        {% call statement("main") %}
            create table {{ this }}
            using parquet
            {{ partition_cols(label="partitioned by") }}
            location {{ sql_string(new_table_location(this)) }}
            {{ comment_clause() }}
            as {{ compiled_code }}
        {% endcall %}
        {% do persist_docs(this, model) %}
    {% else %}
        {{ store_result("main", "kept") }}
    {% endif %}
    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [this]}) %}
{% endmaterialization %}
