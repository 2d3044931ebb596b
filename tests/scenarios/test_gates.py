"""What stops a new version before anyone sees it, and two runs that want to publish at once."""

import re
import shlex
from typing import Any

import pytest

from tests.conftest import NewProject
from tests.support.project import Project, Table
from tests.support.side_by_side import COLUMNS

DATED_COLUMNS = {**COLUMNS, "born_on": "date"}
GATE = {"config": {"meta": {"gate": True}}}
GATES: list[dict[str, Any]] = [
    {"not_null": {"arguments": {"column_name": "name"}, **GATE}},
    {
        "accepted_values": {
            "arguments": {"column_name": "name", "values": ["Ann", "Bo", "Cy"]},
            "config": {**GATE["config"], "where": "id < 9"},
        }
    },
    # No gate: it does not stop a version.
    {"unique": {"arguments": {"column_name": "name"}}},
]


@pytest.fixture(scope="module")
def gated(new_project: NewProject) -> Project:
    """Tables with gates after a good day."""
    project = new_project("gates")
    tables = [
        project.declare("whole", DATED_COLUMNS, ["id"], max_delete_fraction=0.5),
        project.declare("sliced", DATED_COLUMNS, ["id"], partition_date="born_on", history=False),
    ]
    for table in tables:
        table.write_load((1, "Ann", None), (2, "Bo", None), (3, "Bo", None))
    project.write_properties(
        [{"name": table.snapshot_model, "data_tests": GATES} for table in tables]
    )
    result = project.run("2020-11-13")
    assert result.ok, result.errors
    return project


def unchanged(table: Table) -> None:
    assert table.current() == [(1, "Ann", None), (2, "Bo", None), (3, "Bo", None)]
    assert len(table.versions()) == 1


def test_a_gate_that_fails_names_rows_and_the_command_that_passes_it_once(gated: Project) -> None:
    whole, sliced = gated.tables["whole"], gated.tables["sliced"]
    for table in (whole, sliced):
        table.write_changes("20201114-100000000", ("U", 1, None, None), ("I", 10, "Zoe", None))
    result = gated.run("2020-11-14")
    for table in (whole, sliced):
        error = result.message(table.snapshot_model)
        for part in (table.label, "1 of 2 gates", "not_null", '"id": 1', "allow_gates",
                     "2020-11-14"):  # fmt: skip
            assert part in error
        unchanged(table)
    variables = f"{{run_date: 2020-11-14, allow_gates: [{whole.label}]}}"
    assert not gated.dbt("run", "--vars", variables).ok
    assert whole.current()[0] == (1, None, None)
    unchanged(sliced)


def test_too_many_deletes_name_keys_and_the_command_that_passes_them_once(gated: Project) -> None:
    whole = gated.tables["whole"]
    whole.write_changes(
        "20201115-100000000", ("U", 1, "Ann", None), ("D", 2, None, None), ("D", 3, None, None),
        ("D", 10, None, None),
    )  # fmt: skip
    before = whole.current()
    error = gated.run_tables("2020-11-15", [whole]).message(whole.snapshot_model)
    for part in ("3 of 4 rows", "max_delete_fraction 0.5", '"id": 2', "allow_deletes"):
        assert part in error
    assert whole.current() == before
    variables = f"{{run_date: 2020-11-15, allow_deletes: {whole.label}}}"
    result = gated.dbt("run", "--vars", variables, "--select", "+whole_snapshot")
    assert result.ok, result.errors
    assert whole.current() == [(1, "Ann", None)]


def test_a_gate_that_stops_an_operation_names_the_operation_again(gated: Project) -> None:
    whole = gated.tables["whole"]
    whole.write_changes("20201116-100000000", ("U", 1, "Bo", None))
    assert gated.run_tables("2020-11-17", [whole]).ok
    gate = {"accepted_values": {"arguments": {"column_name": "name", "values": ["Cy"]}, **GATE}}
    gated.write_properties([{"name": whole.snapshot_model, "data_tests": [gate]}])
    operations: dict[str, dict[str, str]] = {
        "backfill": {"from_date": "2020-11-16", "to_date": "2020-11-16"}, "replay": {},
    }  # fmt: skip
    for operation, arguments in operations.items():
        told = gated.operate(operation, select=whole.label, dry_run=False, **arguments)
        found = re.search(f"let it pass once: dbt (run-operation {operation} .*}}')", told)
        assert found, told
        assert whole.versions()[-1]["action"] != operation
        assert gated.dbt(*shlex.split(found[1])).ok
        assert whole.versions()[-1]["action"] == operation


# -------------------------------------------------------------------- two runs at once

# What other runs do while one is at work.
PUBLISHES = """
{% set ledger = ref("snapshot_versions") %}
{% set other = table_location(ledger) ~ "/other" %}
{% set rows = _restored_sql(declared, plan, ledger_entries(declared), plan.newest, "carry") %}
{% do run_query("insert overwrite directory '" ~ other ~ "' using parquet " ~ rows) %}
{% do add_partitions(ledger, [{
    "values": {"source_name": "hr", "table_name": "raced", "version": plan.version},
    "location": other,
}]) %}
"""
STAGES = """
{% do point_partition(ref("stg_hr__restaged"), {"_dms_run_date": run_date()}, "/elsewhere") %}
"""
ROLLS_BACK = """
{% set state = table_state(relation, declared) %}
{% set rows = _restored_sql(declared, state, ledger_entries(declared), 1, "rollback") %}
{% do commit_version(declared, state.version, rows) %}
"""
PUBLISHES_THE_DAY_BEFORE = """
{% do commit_version(declared, 2, "
    select
        date'2020-11-14' as run_date, 2 as head_version, 1 as base_version,
        * except (source_name, table_name, version, run_date, head_version, base_version)
    from " ~ ref("snapshot_versions") ~ " where " ~ version_filter(declared, 1)
) %}
"""


def test_of_two_runs_from_one_version_the_later_says_so_and_changes_nothing(
    new_project: NewProject,
) -> None:
    project = new_project("raced")
    table, restaged = (project.declare(name, COLUMNS, ["id"]) for name in ("raced", "restaged"))
    for one in (table, restaged):
        one.write_load((1, "Ann"))
        one.write_changes("20201114-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-13").ok
    with (
        project.interrupted("record_version", "raced", PUBLISHES),
        project.interrupted("record_version", "restaged", STAGES),
    ):
        result = project.run("2020-11-14")
    assert "another run has published version 2" in result.message(table.snapshot_model)
    assert "another run has staged files" in result.message(restaged.snapshot_model)
    for one in (table, restaged):
        assert "ommand again" in result.message(one.snapshot_model)
        assert one.current() == [(1, "Ann")]
        assert one.dates() == ["2020-11-13"]
    result = project.run("2020-11-14")
    assert result.ok, result.errors
    for one in (table, restaged):
        assert one.current() == one.snapshot("2020-11-14") == [(1, "Anna")]
    assert [v["version"] for v in table.versions()] == [1, 2, 3]


# As a run of the day before drops them, which builds that day anew.
DROPS_WHAT_IS_STAGED = """
{% do drop_unpublished_staging(ref("stg_hr__dropped"), declared, none, [run_date()]) %}
"""


def test_a_run_whose_staged_files_another_one_drops_publishes_nothing(
    new_project: NewProject,
) -> None:
    project = new_project("dropped")
    table = project.declare("dropped", COLUMNS, ["id"])
    table.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    table.write_changes("20201114-100000000", ("U", 1, "Anna"))
    with project.interrupted("plan_snapshot", "dropped", DROPS_WHAT_IS_STAGED):
        result = project.run("2020-11-14")
    assert "dropped those of this one" in result.message(table.snapshot_model)
    assert "20201114-100000000" in result.message(table.snapshot_model)
    assert table.dates() == ["2020-11-13"]
    assert project.run("2020-11-14").ok
    assert table.snapshot("2020-11-14") == [(1, "Anna")]


def test_a_run_that_staged_on_a_version_of_before_publishes_nothing(
    new_project: NewProject,
) -> None:
    project = new_project("overtaken")
    undone, behind = (
        project.declare(name, COLUMNS, ["id"], max_delete_fraction=0.5)
        for name in ("undone", "behind")
    )
    for one in (undone, behind):
        one.write_load((1, "Ann"), (2, "Bo"))
    assert project.run("2020-11-13").ok
    undone.write_changes("20201114-100000000", ("I", 4, "Day 14"))
    behind.write_changes("20201114-100000000", ("D", 1, None), ("D", 2, None))
    first = project.run("2020-11-14")
    assert first.failed == [behind.snapshot_model]
    for one in (undone, behind):
        one.write_changes("20201115-100000000", ("I", 5, "Day 15"))
    with (
        # Between staging and publishing.
        project.interrupted("plan_snapshot", "undone", ROLLS_BACK),
        # Before staging is done.
        project.interrupted("pending_files", "behind", PUBLISHES_THE_DAY_BEFORE),
    ):
        result = project.run("2020-11-15")
    assert "another run has published version 3" in result.message(undone.snapshot_model)
    assert "another run has published version 2" in result.message(behind.staging_model)
    assert "2020-11-15" not in [*undone.dates(), *behind.dates()]
    # What the other run had staged is still there.
    assert {row[0] for row in behind.staged("cast(_dms_run_date as string)")} >= {"2020-11-14"}
    assert project.run_tables("2020-11-15", [undone]).ok
    # The file of the undone version stays withheld.
    assert undone.snapshot("2020-11-15") == [(1, "Ann"), (2, "Bo"), (5, "Day 15")]
