{% macro publish_newer(published, of_date={}) %}
    {% for one in dms_snapshots.overtaken_tables(dict(of_date, **published)) %}
        {% set newest = one.state.newest.version %}
        {% if one.declared.history and invocation_args_dict.which != "run-operation" %}
            {% do dms_snapshots.index_node().setdefault("hidden", {}).update({
                one.declared.label: dms_snapshots.run_date() not in one.state.dates
            }) %}
        {% endif %}
        {% if one.declared.label in published %}
            {% do dms_snapshots.publish_state(
                dms_snapshots.named_relation(one.declared.table_name ~ "_snapshot"), one.declared, one.state
            ) %}
            {% do log(
                one.declared.label ~ ": another command has published version " ~ newest
                ~ " while this one was at work; readers see that",
                info=true
            ) %}
            {#- Until no newer one has come while that was published. -#}
            {% do dms_snapshots.publish_newer({one.declared.label: newest}) %}
        {% elif one.declared.history %}
            {% do dms_snapshots.correct_date(one.declared, one.state) %}
        {% endif %}
    {% endfor %}
{% endmacro %}


{% macro overtaken_tables(known) %}
    {% set tables, found, newest = [], [], {} %}
    {% for declared in dms_snapshots.declarations().tables.values() if declared.label in known %}
        {% do tables.append(declared) %}
    {% endfor %}
    {% if tables %}{% do newest.update(dms_snapshots.newest_numbers(tables)) %}{% endif %}
    {% for declared in tables if newest[declared.label] > known[declared.label] %}
        {% set declared = dms_snapshots.declaration(declared.source_name, declared.table_name) %}
        {% do found.append({
            "declared": declared,
            "state": dms_snapshots.version_state(declared, {"publishes": true}),
        }) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}


{% macro correct_date(declared, state) %}
    {% set relation = dms_snapshots.named_relation(declared.table_name ~ "_snapshot") %}
    {% set values = {"snapshot_date": dms_snapshots.run_date()} %}
    {% set version = state.dates.get(dms_snapshots.run_date()) %}
    {% if version %}
        {% do dms_snapshots.publish_partitions(
            relation, declared, values, state.partitions[version | string], none
        ) %}
    {% else %}
        {% do dms_snapshots.drop_partitions(relation, dms_snapshots.list_partitions(relation, values)) %}
    {% endif %}
{% endmacro %}


{% macro hidden_labels() %}
    {% set labels = [] %}
    {% for label, is_hidden in (dms_snapshots.index_node().get("hidden", {}) if execute else {}).items() %}
        {% if is_hidden %}{% do labels.append(label) %}{% endif %}
    {% endfor %}
    {% do return(labels) %}
{% endmacro %}


{% macro check_hidden_dates() %}
    {% set labels, date = dms_snapshots.hidden_labels(), dms_snapshots.run_date() %}
    {% if labels %}
        {% do return("begin select raise_error(" ~ dms_snapshots.sql_string(dms_snapshots.error_text(
            "E401",
            labels | join(", "),
            "another command has published a newer version while this one was at work, and readers do not see " ~ date,
            "Other tables are published.",
            "Run the date again (dbt retry does not): " ~ dms_snapshots.run_command(none)
            ~ ". If a later date is published: " ~ dms_snapshots.operation_command("backfill", {
                "select": labels | join(" "), "from_date": date, "to_date": date, "dry_run": "false"
            })
        )) ~ "); end") %}
    {% endif %}
{% endmacro %}
