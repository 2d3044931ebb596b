"""Inserts of keys that are there: what remains after a TRUNCATE that DMS did not write."""

import re
import shlex

import pytest

from tests.conftest import NewProject
from tests.support.dms_files import Row, written_at
from tests.support.project import Project, Table

COLUMNS = {"id": "int", "name": "string"}
WARNING = "inserts have a key that is there"


def old(first: int = 0, count: int = 30) -> list[Row]:
    return [(i, f"old {i}") for i in range(first, first + count)]


def new(op: str = "I", count: int = 20) -> list[Row]:
    return [(op, i, f"new {i}") for i in range(count)]


@pytest.fixture(scope="module")
def filled(new_project: NewProject) -> Project:
    """Tables of 30 rows each; the full load was written on the 13th at 08:00."""
    project = new_project("reinserts")
    dated = {**COLUMNS, "born_on": "date"}
    tables = [
        *(project.declare(name, COLUMNS, ["id"]) for name in ("refilled", "replaced", "loading")),
        project.declare("limited", COLUMNS, ["id"], max_reinserted_fraction=0.1),
        project.declare("repeated", COLUMNS, ["id"], timestamp_column="ts"),
        project.declare("sliced", dated, ["id"], partition_date="born_on"),
    ]
    for table in tables:
        rows = [(*row, None) for row in old()] if table.name == "sliced" else old()
        written_at(table.write_load(*rows), 13, 8)
    result = project.run("2020-11-13")
    assert result.ok, result.errors
    return project


def said(project: Project, run_date: str, *tables: Table) -> str:
    result = project.run_tables(run_date, list(tables))
    assert result.ok, result.errors
    return "\n".join(result.message(table.snapshot_model) for table in tables)


def test_a_table_that_is_filled_again_is_warned_of(filled: Project) -> None:
    refilled, sliced = filled.tables["refilled"], filled.tables["sliced"]
    found = f'20 of 20 {WARNING}, for instance {{"id":0}}, as after a TRUNCATE that DMS does not'
    refilled.write_changes("20201114-100000000", *new())
    sliced.write_changes("20201114-100000000", *((*row, None) for row in new()))
    chosen = ["--select", "dms_files", "+refilled_snapshot", "+sliced_snapshot"]
    result = filled.run("2020-11-14", *chosen)
    assert result.ok, result.errors
    for table in (refilled, sliced):
        assert found in result.message(table.snapshot_model)
    # What the files say is published: ten rows of before are there.
    assert [row for row in refilled.current() if row[1].startswith("old")] == old(20, 10)


def test_what_a_source_may_well_do_is_not_warned_of(filled: Project) -> None:
    replaced, loading = filled.tables["replaced"], filled.tables["loading"]
    replaced.write_changes("20201114-100000000", *new("D"))
    replaced.write_changes("20201114-100001000", *new())
    # Written within a day of the load, which has read the same rows.
    loading.write_changes("20201114-070000000", *new())
    assert WARNING not in said(filled, "2020-11-14", replaced, loading)


def test_inserts_that_are_delivered_again_are_not_warned_of(filled: Project) -> None:
    repeated = filled.tables["repeated"]
    rows = [("I", i, "late") for i in range(100, 120)]
    repeated.write_changes("20201115-100000000", *rows, at="2020-11-15 09:59:00.000000")
    said(filled, "2020-11-15", repeated)
    repeated.write_changes("20201116-100000000", *rows, at="2020-11-15 09:59:00.000000")
    assert WARNING not in said(filled, "2020-11-16", repeated)
    repeated.write_changes("20201117-100000000", *rows, at="2020-11-17 09:59:00.000000")
    assert f"20 of 20 {WARNING}" in said(filled, "2020-11-17", repeated)


def test_a_declared_limit_publishes_nothing_until_it_is_passed_once(filled: Project) -> None:
    limited = filled.tables["limited"]
    limited.write_changes("20201114-100000000", *new(count=2), ("I", 100, "born"))
    error = filled.run_tables("2020-11-14", [limited]).message(limited.snapshot_model)
    assert f"2 of 3 {WARNING}" in error
    assert "max_reinserted_fraction is 0.1" in error
    assert limited.current() == old()
    command = re.search(r"To let it pass once: dbt (.*}')", error)
    assert command, error
    result = filled.dbt(*shlex.split(command[1]))
    assert result.ok, result.errors
    # Two are no sign of a TRUNCATE.
    assert WARNING not in result.message(limited.snapshot_model)
    assert limited.current()[:3] == [(0, "new 0"), (1, "new 1"), (2, "old 2")]
