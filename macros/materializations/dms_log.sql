{% materialization dms_log, adapter='spark' %}
    {#-
        A table that is only ever added to, also by --full-refresh: its columns are those of its
        YAML entry. A model that says `appends: <relation>` adds the rows of its own query, in a
        partition of this run, if that relation has any; to the others the models of the tables
        add theirs.
    -#}
    {% set relation = this.incorporate(type="table") %}
    {{ run_hooks(pre_hooks) }}
    {% if load_relation(this) is none %}
        {% call statement("create") %}
            create table if not exists {{ this }} ({{ column_definitions(model.columns.values() | list) }})
            using parquet
            {{ partition_cols(label="partitioned by") }}
            location {{ sql_string(new_table_location(this)) }}
            {{ comment_clause() }}
        {% endcall %}
    {% endif %}
    {% do sync_columns(relation, model.columns.values() | list, this.identifier) %}
    {% set appends = config.get("meta").get("appends") %}
    {% set has_rows = appends and query_rows("select 1 as found from " ~ appends ~ " limit 1") %}
    {% if has_rows %}
        {% do append_partition(relation, {"run_date": run_date(), "version": run_version()}, sql) %}
    {% endif %}
    {{ store_result("main", "added to" if has_rows else "kept") }}
    {{ run_hooks(post_hooks) }}
    {% do return({"relations": [relation]}) %}
{% endmaterialization %}
