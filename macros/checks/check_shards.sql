{% macro check_shards(declared, job, version) -%}
    {% if not declared.shards or not declared.declared_keys or declared.shard_column in declared.declared_keys %}
        {% do return(none) %}
    {% endif %}
    {% set rows, keys = declared.table_name ~ "__of_shards", dms_snapshots.column_names(declared.declared_keys) %}
    {% do dms_snapshots.create_rows_view(rows, declared, version.root, version.partitions) %}
    {% set changed = dict(declared, primary_keys=declared.declared_keys) %}
    {% set of_changed %}
        left semi join (
            select {{ "/*+ broadcast(changed) */" if dms_snapshots.has_few_changes(version) }} {{ keys }}
            from parquet.{{ dms_snapshots.sql_name(version.changes) }} as changed
            where _dms_op <> 'D'
        ) as changed on {{ dms_snapshots.keys_match(changed, "new_version", "changed") }}
    {% endset %}
    {% set shard = dms_snapshots.sql_name(declared.shard_column) %}
    {% set found = dms_snapshots.query_rows(
        "select to_json(struct(" ~ keys ~ ")) as found_key, min(" ~ shard ~ ") as first_shard, max(" ~ shard
        ~ ") as last_shard from " ~ dms_snapshots.sql_name(rows) ~ " as new_version "
        ~ (of_changed if job.action == "merge" else "")
        ~ " group by " ~ keys ~ " having count(*) > 1 order by found_key limit 5"
    ) %}
    {% if found %}
        {% set first, folders = found[0], {} %}
        {% for one in declared.shards %}{% do folders.update({one.name: one.path}) %}{% endfor %}
        {% do dms_snapshots.fail(
            "E505",
            declared.label,
            "a key is in two folders: " ~ first.found_key ~ " in " ~ folders[first.first_shard] ~ " and in "
            ~ folders[first.last_shard],
            none,
            "If the folders count keys of their own, add " ~ declared.shard_column
            ~ " to primary_keys; else delete the row in one of them. Then: "
            ~ dms_snapshots.run_command(declared.table_name, dms_snapshots.is_full_refresh(declared.table_name))
        ) %}
    {% endif %}
{% endmacro %}


{% macro has_few_changes(version) %}
    {% do return(dms_snapshots.count_sum(version.counts, "changed_keys") <= dms_snapshots.broadcast_max_keys()) %}
{% endmacro %}
