{% macro read_passed_tests() %}
    {% set selected, asked = selected_resources | join("\n") if execute else "", [] %}
    {% for name in [
        "every_file_is_staged_once", "order_has_no_inversions", "no_update_of_an_unknown_key", "snapshot_is_whole",
    ] if name in selected %}
        {% do asked.append(name) %}
    {% endfor %}
    {% if invocation_args_dict.which != "test" or not asked or not dms_snapshots.log_exists("snapshot_dates") %}
        {% do return("") %}
    {% endif %}
    {% set tests, unapplied, untested = {}, {}, [] %}
    {% set tested = dms_snapshots.ask_versions("tested", {"tables": none}) %}
    {% for label, said in tested.items() if said.published %}
        {% set table = {
            "source_name": label.split(".")[0], "table_name": label.split(".")[1:] | join("."),
            "version": said.newest, "indexed_at": said.indexed_at,
        } %}
        {% set passed = said.passed if said.published == said.newest and not var("test_again", false) else [] %}
        {% if said.published == said.newest and said.indexed_at %}
            {% do tests.update({label: dict(table, passed=passed, run={}, not_run=[])}) %}
        {% endif %}
        {% if "every_file_is_staged_once" not in passed | join("\n") %}
            {% do untested.append(table) %}
            {% do unapplied.update({label: []}) %}
        {% endif %}
    {% endfor %}
    {% set is_needed = untested and "every_file_is_staged_once" in asked %}
    {% for row in (dms_snapshots.query_rows(dms_snapshots.unapplied_files_sql(untested)) if is_needed else []) %}
        {% do unapplied[row.source_name ~ "." ~ row.table_name].append(row) %}
    {% endfor %}
    {% do dms_snapshots.index_node().update({
        "tests": tests, "tested": tested, "unapplied": unapplied if is_needed else {},
    }) %}
{% endmacro %}


{% macro record_passed_tests(results) %}
    {% if not execute %}{% do return("") %}{% endif %}
    {% set passed, records, not_run = [], [], [] %}
    {% for result in results if result.status == "pass" %}
        {% do passed.append(result.node.unique_id) %}
    {% endfor %}
    {% for table in dms_snapshots.index_node().get("tests", {}).values() %}
        {% for unique_id, test in table.run.items() if unique_id in passed %}
            {% do records.append({
                "source_name": table.source_name,
                "table_name": table.table_name,
                "version": table.version,
                "indexed_at": table.indexed_at,
                "test": test,
            }) %}
        {% endfor %}
        {% do not_run.append(table.not_run | length) if table.not_run %}
    {% endfor %}
    {% do dms_snapshots.record_command([], records) %}
    {% if not_run %}
        {% do log(
            "Not run again: " ~ dms_snapshots.counted(not_run | sum, "test") ~ " of "
            ~ dms_snapshots.counted(not_run | length, "table")
            ~ ". They passed on the version that is published. To run them: dbt test --vars '{test_again: true}'",
            info=true
        ) %}
    {% endif %}
{% endmacro %}
