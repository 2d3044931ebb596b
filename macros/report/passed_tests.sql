{% macro read_passed_tests() %}
    {% set selected, asked = selected_resources | join("\n") if execute else "", [] %}
    {% for name in [
        "every_file_is_staged_once", "order_has_no_inversions", "no_update_of_an_unknown_key", "snapshot_is_whole",
    ] if name in selected %}
        {% do asked.append(name) %}
    {% endfor %}
    {% if invocation_args_dict.which != "test" or not asked or not dms_snapshots.log_exists("passed_tests") %}
        {% do return("") %}
    {% endif %}
    {% set tests, newest, unapplied, untested = {}, dms_snapshots.newest_numbers([]), {}, [] %}
    {% do run_query(dms_snapshots.tested_view_sql()) %}
    {% for row in dms_snapshots.query_rows("select * from dms_tested") %}
        {% set label = row.source_name ~ "." ~ row.table_name %}
        {% if row.version == newest.get(label) %}
            {% do tests.update({
                label: dict(row, passed=[] if var("test_again", false) else row.passed, run={}, not_run=[])
            }) %}
        {% endif %}
        {% set passed = tests.get(label, {}).get("passed", []) | join("\n") %}
        {% if "every_file_is_staged_once" not in passed %}
            {% do untested.append(row) %}
            {% do unapplied.update({label: []}) %}
        {% endif %}
    {% endfor %}
    {% set is_needed = untested and "every_file_is_staged_once" in asked %}
    {% for row in (dms_snapshots.query_rows(dms_snapshots.unapplied_files_sql(untested)) if is_needed else []) %}
        {% do unapplied[row.source_name ~ "." ~ row.table_name].append(row) %}
    {% endfor %}
    {% do dms_snapshots.index_node().update({"tests": tests, "unapplied": unapplied if is_needed else {}}) %}
{% endmacro %}


{% macro tested_view_sql() %}
    {% set job = {} %}
    {% for name, table in [("dates", "snapshot_dates"), ("tests", "passed_tests")] %}
        {% do job.update({
            name: {"root": dms_snapshots.log_location(table), "partitions": dms_snapshots.log_partitions(
                dms_snapshots.named_relation(table)
            )}
        }) %}
    {% endfor %}
create or replace temporary view dms_tested (
    source_name string, table_name string, version int, indexed_at string, passed array<string>
) using dms_tested options (job {{ dms_snapshots.sql_string(tojson(job)) }})
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
    {% do dms_snapshots.record_rows("passed_tests", records) %}
    {% if not_run %}
        {% do log(
            "Not run again: " ~ dms_snapshots.counted(not_run | sum, "test") ~ " of "
            ~ dms_snapshots.counted(not_run | length, "table")
            ~ ". They passed on the version that is published. To run them: dbt test --vars '{test_again: true}'",
            info=true
        ) %}
    {% endif %}
{% endmacro %}
