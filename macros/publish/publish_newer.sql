{% macro publish_newer(made) %}
    {#-
        A command that stood still between commit and publishing may have shown its version over a later one. `made`:
        the versions that this command has published, by table. What is newer by now is shown again.
    -#}
    {% for one in dms_snapshots.overtaken_tables(made) %}
        {% do dms_snapshots.publish_state(
            dms_snapshots.named_relation(one.declared.table_name ~ "_snapshot"), one.declared, one.now, none
        ) %}
        {% do log(
            one.declared.label ~ ": another command has published version " ~ one.newest
            ~ " while this one was at work; readers see that",
            info=true
        ) %}
        {% do dms_snapshots._keep_hidden_date(one) %}
    {% endfor %}
{% endmacro %}


{% macro overtaken_tables(known) %}
    {#- The tables of which another command has published a newer version than this one knew, with their state now. -#}
    {% set tables, found, newest = [], [], {} %}
    {% for declared in dms_snapshots.declarations().tables.values() if declared.label in known %}
        {% do tables.append(declared) %}
    {% endfor %}
    {% if tables %}{% do newest.update(dms_snapshots.newest_numbers(tables)) %}{% endif %}
    {% for declared in tables if newest[declared.label] > known[declared.label] %}
        {% set declared = dms_snapshots.declaration(declared.source_name, declared.table_name) %}
        {% do found.append({
            "declared": declared,
            "newest": newest[declared.label],
            "now": dms_snapshots.versions_at(
                declared, newest[declared.label], dms_snapshots.recorded_dates(declared)
            ),
        }) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}


{% macro correct_unchanged_dates(known) %}
    {#-
        Another command may have undone a version while this one showed it for an unchanged date. `known`: the newest
        versions that this command knew of the tables of which it has shown the date, by table. The date shows what
        the version history says now, or goes.
    -#}
    {% for one in dms_snapshots.overtaken_tables(known) if one.declared.history %}
        {% set relation = dms_snapshots.named_relation(one.declared.table_name ~ "_snapshot") %}
        {% set values, version = {"snapshot_date": dms_snapshots.run_date()}, one.now.dates.get(
            dms_snapshots.run_date()
        ) %}
        {% if version %}
            {% do dms_snapshots.publish_partitions(
                relation, one.declared, values, dms_snapshots.partitions_of(one.declared, [version])[version], none
            ) %}
        {% else %}
            {% do dms_snapshots.drop_partitions(relation, dms_snapshots.list_partitions(relation, values)) %}
        {% endif %}
        {% do dms_snapshots._keep_hidden_date(one) %}
    {% endfor %}
{% endmacro %}


{% macro _keep_hidden_date(one) %}
    {#- Keeps, for the end of the run, that readers do not see its date of a table. -#}
    {% if one.declared.history and invocation_args_dict.which != "run-operation"
        and dms_snapshots.run_date() not in one.now.dates %}
        {% do dms_snapshots.index_node().setdefault("hidden", []).append(one.declared.label) %}
    {% endif %}
{% endmacro %}


{% macro check_hidden_dates() %}
    {#- After all else that a run does at its end: fails if readers do not see its date of some table. -#}
    {% set labels = dms_snapshots.index_node().get("hidden", []) if execute else [] %}
    {% if labels %}
        {% do dms_snapshots.fail(
            "E401",
            labels | join(", "),
            "another command has published a newer version while this one was at work, and "
            ~ dms_snapshots.run_date() ~ " is not shown",
            "Other tables are not concerned.",
            "Run the date again. If a later date is published, make it with: dbt run-operation backfill"
        ) %}
    {% endif %}
{% endmacro %}
