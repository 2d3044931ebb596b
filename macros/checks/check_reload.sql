{% macro check_reload(relation, declared, plan, version) %}
    {% set shards = plan.reloaded_shards %}
    {% if not shards or not declared.primary_keys or not plan.current.rows_after or not version.rows_after %}
        {% do return(none) %}
    {% endif %}
    {% set current = dms_snapshots.whole_versions(declared, plan).current %}
    {#- Rows under another key have none in common. -#}
    {% if dms_snapshots.declaration_changes(
        fromjson(current.declarations[current.fingerprint]), dms_snapshots.declared_facts(declared), "history"
    ) %}
        {% do return(none) %}
    {% endif %}
    {% set old, new = declared.table_name ~ "__replaced", declared.table_name ~ "__loaded" %}
    {% do dms_snapshots.create_rows_view(old, declared, current.root, current.partitions, relation, current) %}
    {% do dms_snapshots.create_rows_view(new, declared, version.root, version.partitions) %}
    {% for shard in shards %}
        {% set where = " where " ~ dms_snapshots.of_shards_sql(declared, [shard]) if shard is not none else "" %}
        {% set found = dms_snapshots._shared_key(
            declared, dms_snapshots.sql_name(old), dms_snapshots.sql_name(new), where
        ) %}
        {% if found.old_key and not found.new_key %}
            {% do dms_snapshots._warn_of_empty_load(declared, "shard " ~ shard) %}
        {% elif found.old_key and not found.is_shared %}
            {% set what = "its new full load" ~ (" of shard " ~ shard if shard is not none else "")
                ~ " has no key of the rows it replaces (they have " ~ found.old_key ~ ", it has "
                ~ found.new_key ~ ")" %}
            {% set advice = "If two DMS tasks write into the folder, give each its own, and list both in path. " %}
            {% if dms_snapshots.passes_once(declared, "allow_reloads") %}
                {% do dms_snapshots.warn_of_table(declared, what, advice) %}
            {% else %}
                {% do dms_snapshots.fail(
                    "E502", declared.label, what, none,
                    advice ~ "Else let it pass once: " ~ dms_snapshots.pass_command(declared, plan, "allow_reloads")
                ) %}
            {% endif %}
        {% endif %}
    {% endfor %}
{% endmacro %}


{% macro _warn_of_empty_load(declared, emptied) %}
    {% do dms_snapshots.warn_of_table(
        declared,
        "a full load without rows leaves none of " ~ emptied,
        "If it is empty at the source, nothing is to be done. Else reload it in DMS; until then: "
        ~ "dbt run-operation rollback."
    ) %}
{% endmacro %}


{% macro _shared_key(declared, old, new, where) %}
    {% set keys, result = dms_snapshots.column_names(declared.primary_keys), {"is_shared": false} %}
    {% for hint, limit in [("/*+ broadcast(loaded) */", " limit 1000"), ("", "")] if not result.is_shared %}
        {% if dms_snapshots.query_rows(
            "select " ~ hint ~ " 1 as found from (select " ~ keys ~ " from " ~ old ~ where ~ ") as replaced"
            ~ " left semi join (select " ~ keys ~ " from " ~ new ~ where ~ limit ~ ") as loaded"
            ~ " on " ~ dms_snapshots.keys_match(declared, "replaced", "loaded") ~ " limit 1"
        ) %}
            {% do result.update({"is_shared": true}) %}
        {% endif %}
    {% endfor %}
    {% for name, rows in ({} if result.is_shared else {"old_key": old, "new_key": new}).items() %}
        {% for row in dms_snapshots.query_rows(
            "select to_json(struct(" ~ keys ~ ")) as some_key from " ~ rows ~ where ~ " limit 1"
        ) %}
            {% do result.update({name: row.some_key}) %}
        {% endfor %}
    {% endfor %}
    {% do return(result) %}
{% endmacro %}
