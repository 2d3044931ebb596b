{% macro describe_logs() %}
    {% set index = dms_snapshots.index_node() %}
    {% if "logs" not in index %}
        {% set relations, logs = {}, {} %}
        {% for name in [
            "dms_files", "dms_staged_files", "dms_rejects", "snapshot_versions", "snapshot_dates"
        ] %}
            {% set relation = load_relation(dms_snapshots.named_relation(name)) %}
            {% if relation %}{% do relations.update({relation.identifier | lower: name}) %}{% endif %}
        {% endfor %}
        {% for row in (run_query(
            "show table extended in " ~ dms_snapshots.named_relation("dms_files").schema
            ~ " like " ~ dms_snapshots.sql_string(relations.keys() | join("|"))
        ).rows if relations else []) if row[1] | lower in relations and not row[2] %}
            {% set location = modules.re.search("(?m)^Location: (.*)$", row[3]) %}
            {% set columns = modules.re.findall("(?m)^ \\|-- ([^:]*):", row[3]) %}
            {% do logs.update({relations[row[1] | lower]: {"location": location[1], "columns": columns}}) %}
        {% endfor %}
        {% do index.update({"logs": logs}) %}
    {% endif %}
    {% do return(index.logs) %}
{% endmacro %}


{% macro log_exists(name) %}
    {% do return(load_relation(dms_snapshots.named_relation(name)) is not none) %}
{% endmacro %}


{% macro log_location(name) %}
    {% set logs = dms_snapshots.describe_logs() %}
    {% if name not in logs %}
        {% set relation = dms_snapshots.named_relation(name) %}
        {% set location = dms_snapshots.table_location(relation) if dms_snapshots.log_exists(name)
            else dms_snapshots.new_table_location(relation) %}
        {% do logs.update({name: {"location": location, "columns": none}}) %}
    {% endif %}
    {% do return(logs[name].location) %}
{% endmacro %}


{% macro log_partitions(relation) %}
    {% set folders = [] %}
    {% if relation and load_relation(relation) %}
        {% for partition in dms_snapshots.list_partitions(relation) %}
            {% do folders.append(partition.values() | join("/")) %}
        {% endfor %}
    {% endif %}
    {% do return(folders) %}
{% endmacro %}


{% macro check_logs() %}
    {% set versions = dms_snapshots.describe_logs().get("snapshot_versions") %}
    {% if versions and versions.columns and "since_command" not in versions.columns %}
        {% set to_new = "publish into a new schema (DMS_SCHEMA=<name> dbt run): the files of DMS are read again, and "
            ~ "the old tables stay readable" %}
        {% do dms_snapshots.fail(
            "E407",
            none,
            "The schema " ~ dms_snapshots.named_relation("snapshot_versions").schema
            ~ " was written by an earlier version of this project",
            "Nothing was run.",
            "Move its versions to the version log: "
            ~ dms_snapshots.operation_command("move_versions", {"dry_run": "false"}) ~ ". Or " ~ to_new
            if dms_snapshots.can_be_moved(versions) else to_new[0] | upper ~ to_new[1:]
        ) %}
    {% endif %}
{% endmacro %}


{% macro can_be_moved(versions) %}
    {% do return(
        "commit_id" not in versions.columns and "shards" in versions.columns and "included_files" in versions.columns
    ) %}
{% endmacro %}
