{% macro publish_newer(made) %}
    {#-
        A command that stood still between commit and publishing may have shown its version over a later one. `made`:
        the versions that this command has published, by table. What is newer by now is shown again.
    -#}
    {% set tables, newest = [], {} %}
    {% for declared in dms_snapshots.declarations().tables.values() if declared.label in made %}
        {% do tables.append(declared) %}
    {% endfor %}
    {% if tables %}{% do newest.update(dms_snapshots.newest_numbers(tables)) %}{% endif %}
    {% for declared in tables if newest[declared.label] > made[declared.label] %}
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
    {% endfor %}
{% endmacro %}
