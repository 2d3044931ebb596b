{% macro read_passed_tests() %}
    {#-
        For `dbt test`: which tests passed on the version of each table that is published now. A table is left out,
        so that all of its tests run, if a version of it was committed and not published whole.
    -#}
    {% if not execute or invocation_args_dict.which != "test" or not log_exists("passed_tests") %}
        {% do return("") %}
    {% endif %}
    {% set tests, newest = {}, newest_numbers([]) %}
    {% for row in query_rows(passed_tests_sql()) %}
        {% set label = row.source_name ~ "." ~ row.table_name %}
        {% if row.version == newest.get(label) %}
            {% set passed = [] if var("test_again", false) else row.passed %}
            {% do tests.update({label: dict(row, passed=passed, run={}, not_run=[])}) %}
        {% endif %}
    {% endfor %}
    {% do index_node().update({"tests": tests}) %}
{% endmacro %}


{% macro passed_tests_sql() %}
    {#- One row per table: its newest published version, its last indexing, and the tests that passed with both. -#}
    with published as (
        select source_name, table_name, max(version) as version
        from {{ named_relation("snapshot_dates") }}
        group by source_name, table_name
    ),

    indexed as (
        select source_name, table_name, cast(max(indexed_at) as string) as indexed_at
        from {{ named_relation("dms_files") }}
        group by source_name, table_name
    ),

    passed as (
        select source_name, table_name, version, cast(indexed_at as string) as indexed_at, collect_set(test) as tests
        from {{ named_relation("passed_tests") }}
        group by source_name, table_name, version, indexed_at
    )

    select
        source_name,
        table_name,
        version,
        indexed_at,
        coalesce(passed.tests, array()) as passed
    from published
    inner join indexed using (source_name, table_name)
    left join passed using (source_name, table_name, version, indexed_at)
{% endmacro %}


{% macro record_passed_tests(results) %}
    {#- The end of `dbt test`: what passed now is not run again while its table has that version; says what was not. -#}
    {% if not execute %}{% do return("") %}{% endif %}
    {% set passed, records, not_run = [], [], [] %}
    {% for result in results if result.status == "pass" %}
        {% do passed.append(result.node.unique_id) %}
    {% endfor %}
    {% for table in index_node().get("tests", {}).values() %}
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
    {% do record_rows("passed_tests", records) %}
    {% if not_run %}
        {% do log(
            not_run | sum ~ " tests of " ~ not_run | length ~ " tables were not run again: they passed on the version "
            ~ "that is published. To run them: dbt test --vars '{test_again: true}'",
            info=true
        ) %}
    {% endif %}
{% endmacro %}
