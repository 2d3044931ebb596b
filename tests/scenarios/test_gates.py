"""What stops a new version before anyone sees it."""

import re
import shlex
from typing import Any

import pytest

from tests.conftest import NewProject
from tests.support.project import Project, Table
from tests.support.side_by_side import COLUMNS

pytestmark = pytest.mark.thorough

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
        project.declare("whole", DATED_COLUMNS, ["id"]),
        project.declare("sliced", DATED_COLUMNS, ["id"], partition_date="born_on", history=False),
        project.declare("shrinking", DATED_COLUMNS, ["id"], max_delete_fraction=0.5),
        project.declare("operated", DATED_COLUMNS, ["id"]),
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
    shrinking = gated.tables["shrinking"]
    shrinking.write_changes("20201115-100000000", ("D", 2, None, None), ("D", 3, None, None))
    before = shrinking.current()
    error = gated.run_tables("2020-11-15", [shrinking]).message(shrinking.snapshot_model)
    for part in ("2 of 3 rows", "max_delete_fraction 0.5", '"id": 2', "allow_deletes"):
        assert part in error
    assert shrinking.current() == before
    variables = f"{{run_date: 2020-11-15, allow_deletes: {shrinking.label}}}"
    result = gated.dbt("run", "--vars", variables, "--select", "+shrinking_snapshot")
    assert result.ok, result.errors
    assert shrinking.current() == [(1, "Ann", None)]


def test_a_gate_that_stops_an_operation_names_the_operation_again(gated: Project) -> None:
    operated = gated.tables["operated"]
    operated.write_changes("20201116-100000000", ("U", 1, "Bo", None))
    assert gated.run_tables("2020-11-17", [operated]).ok
    gate = {"accepted_values": {"arguments": {"column_name": "name", "values": ["Cy"]}, **GATE}}
    gated.write_properties([{"name": operated.snapshot_model, "data_tests": [gate]}])
    operations: dict[str, dict[str, str]] = {
        "backfill": {"from_date": "2020-11-16", "to_date": "2020-11-16"}, "replay": {},
    }  # fmt: skip
    for operation, arguments in operations.items():
        told = gated.operate_in_vain(operation, select=operated.label, dry_run=False, **arguments)
        found = re.search(f"let it pass once: dbt (run-operation {operation} .*}}')", told)
        assert found, told
        assert operated.versions()[-1]["action"] != operation
        assert gated.dbt(*shlex.split(found[1])).ok
        assert operated.versions()[-1]["action"] == operation


def test_a_gate_that_nobody_scaffolded_or_that_only_warns_is_told(new_project: NewProject) -> None:
    project = new_project("gates_not_made")
    gate = {"not_null": {"column_name": "name"}}
    people = project.declare("people", {"id": "int", "name": "string"}, ["id"], gates=[gate])
    # Nor does a gate look at when dbt test would warn only.
    lenient = project.declare("lenient", {"id": "int", "name": "string"}, ["id"])
    looser = {"severity": "Warn", "error_if": ">10", "limit": 9, **GATE["config"]}
    named = {"not_null": {"arguments": {"column_name": "name"}, "config": looser}}
    project.write_properties([{"name": lenient.snapshot_model, "data_tests": [named]}])
    for table in (people, lenient):
        table.write_load((1, None))
    result = project.run("2020-11-13")
    error = result.message(people.snapshot_model)
    assert "hr.people: the declaration has the gate not_null" in error
    assert "dms-snapshots scaffold" in error
    error = result.message(lenient.snapshot_model)
    assert "hr.lenient: gate not_null_lenient_snapshot_name sets " in error
    assert "sets severity: Warn, error_if: >10; a gate stops a version if it finds a row" in error
    assert people.versions() == lenient.versions() == []
