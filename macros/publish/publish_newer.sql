{% macro publish_newer(shown) %}
    {#-
        A command that stood still between commit and publishing may have shown its version over a later one, and one
        of an unchanged date a version that was undone meanwhile. `shown`: the newest versions that this command knew,
        by table. What is newer by now is shown again.
    -#}
    {% set tables, newest, hidden = [], {}, [] %}
    {% for declared in dms_snapshots.declarations().tables.values() if declared.label in shown %}
        {% do tables.append(declared) %}
    {% endfor %}
    {% if tables %}{% do newest.update(dms_snapshots.newest_numbers(tables)) %}{% endif %}
    {% for declared in tables if newest[declared.label] > shown[declared.label] %}
        {% set declared = dms_snapshots.declaration(declared.source_name, declared.table_name) %}
        {% set now = dms_snapshots.versions_at(
            declared, newest[declared.label], dms_snapshots.recorded_dates(declared)
        ) %}
        {% do dms_snapshots.publish_state(
            dms_snapshots.named_relation(declared.table_name ~ "_snapshot"), declared, now, none
        ) %}
        {% do log(
            declared.label ~ ": another command has published version " ~ newest[declared.label]
            ~ " while this one was at work; readers see that",
            info=true
        ) %}
        {% if declared.history and invocation_args_dict.which != "run-operation"
            and dms_snapshots.run_date() not in now.dates %}{% do hidden.append(declared) %}{% endif %}
    {% endfor %}
    {% if hidden %}
        {% do dms_snapshots.fail(
            "E401",
            hidden | map(attribute="label") | join(", "),
            "another command has published a newer version while this one was at work, and "
            ~ dms_snapshots.run_date() ~ " is not shown",
            "Other tables were published.",
            "Run the date again. If a later date is published, make it with: dbt run-operation backfill"
        ) %}
    {% endif %}
{% endmacro %}
