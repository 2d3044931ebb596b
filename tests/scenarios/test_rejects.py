"""Rows that cannot be taken, where the declaration says to go on without them."""

import json

import pytest

from tests.conftest import NewProject
from tests.support.dms_files import Row
from tests.support.project import Table
from tests.support.side_by_side import COLUMNS, FailingRun, Run, Steps, scenario

TEXT_ID = {"id": "string", "name": "string"}


def rejects(table: Table) -> list[Row]:
    """Run date, file, row, reason and the row itself of each reject of a table."""
    rows = table.project.query(
        "select cast(run_date as string), path, row_number, reason, row_json"
        f" from {table.project.schema}.dms_rejects where table_name = '{table.name}'"
        " order by run_date, path, row_number"
    )
    return [
        (date, path.rsplit("/", 1)[-1], row, reason, json.loads(content))
        for date, path, row, reason, content in rows
    ]


@scenario(on_bad_row="quarantine")
def test_bad_rows_are_set_aside_and_the_rest_goes_on(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes(
        "20201114-100000000",
        ("U", "1", "Anna"), ("U", "two", "b"), ("X", "2", "c"), ("I", None, "d"), ("I", "5", "Ed"),
        ("U", "99999999999", "f"),
        columns=TEXT_ID,
    )  # fmt: skip
    (people.folder / "20201114-110000000.csv").write_text("U,2,Bob\nU,2\nI,six,Flo\nI,7,Gil\n")
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna"), (2, "Bob"), (5, "Ed"), (7, "Gil")]
    date, parquet, csv = "2020-11-14", "20201114-100000000.parquet", "20201114-110000000.csv"
    unknown = "column Op: unknown operation 'X'; allowed are I, U and D"
    assert rejects(people) == [
        (date, parquet, 2, "column id: value 'two' does not fit int",
         {"Op": "U", "id": "two", "name": "b"}),
        (date, parquet, 3, unknown, {"Op": "X", "id": "2", "name": "c"}),
        (date, parquet, 4, "column id: NULL in a key column", {"Op": "I", "id": None, "name": "d"}),
        (date, parquet, 6, "column id: value '99999999999' does not fit int",
         {"Op": "U", "id": "99999999999", "name": "f"}),
        (date, csv, 2, "it has 2 fields where there must be 3", {"line": "U,2"}),
        (date, csv, 3, "column id: value 'six' does not fit int",
         {"Op": "I", "id": "six", "name": "Flo"}),
    ]  # fmt: skip
    staged = people.staged("_dms_row, id")
    assert (5, 5) in staged
    assert (4, 7) in staged


@scenario(on_bad_row="quarantine")
def test_rejects_are_replayed_by_the_same_run_once_the_file_is_mended(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", "1", "Anna"), ("I", "x", "?"), columns=TEXT_ID)
    yield Run("2020-11-14")
    assert len(rejects(people)) == 1
    people.write_changes("20201114-100000000", ("U", "1", "Anna"), ("I", "2", "!"), columns=TEXT_ID)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna"), (2, "!")]
    assert rejects(people) == []


@pytest.mark.thorough
def test_rejects_of_an_earlier_date_are_replayed_by_a_new_upload(new_project: NewProject) -> None:
    project = new_project("replayed_rejects")
    people = project.declare("people", COLUMNS, ["id"], on_bad_row="quarantine")
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", "1", "Anna"), ("I", "x", "?"), columns=TEXT_ID)
    people.write_changes("20201115-100000000", ("I", 3, "Cy"))
    assert project.run("2020-11-14").ok
    assert project.run("2020-11-15").ok
    assert people.snapshot("2020-11-15") == [(1, "Anna"), (3, "Cy")]
    assert project.dbt("test", "--select", "no_open_rejects").status("no_open_rejects") == "warn"
    people.write_changes("20201114-100000000", ("U", "1", "Anna"), ("I", "2", "!"), columns=TEXT_ID)
    assert project.run("2020-11-16").ok
    assert people.snapshot("2020-11-16") == [(1, "Anna"), (2, "!"), (3, "Cy")]
    assert project.dbt("test", "--select", "no_open_rejects").status("no_open_rejects") == "pass"


@pytest.mark.thorough
def test_a_newer_full_load_closes_the_rejects_of_what_it_replaced(new_project: NewProject) -> None:
    project = new_project("reloaded_rejects")
    people = project.declare("people", COLUMNS, ["id"], on_bad_row="quarantine")
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("I", "x", "?"), columns=TEXT_ID)
    assert project.run("2020-11-14").ok
    assert project.dbt("test", "--select", "no_open_rejects").status("no_open_rejects") == "warn"
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201115-100000000", ("U", "2", "Bob"), ("I", "y", "?"), columns=TEXT_ID)
    assert project.run("2020-11-15").ok
    assert people.snapshot("2020-11-15") == [(1, "Ann"), (2, "Bob")]
    # That of the day before counts no more; that of today does.
    assert (
        project.dbt("test", "--select", "no_open_rejects").message("no_open_rejects")
        == "Got 1 result, configured to warn if != 0"
    )


@pytest.mark.thorough
@scenario(primary_keys=[], on_bad_row="quarantine")
def test_an_update_without_a_key_is_set_aside(people: Table) -> Steps:
    people.write_changes("20201114-100000000", ("I", 1, "Ann"), ("U", 1, "Anna"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Ann")]
    assert [row[2] for row in rejects(people)] == [2]


@pytest.mark.thorough
@scenario(on_bad_row="quarantine")
def test_a_file_of_which_nothing_can_be_read_is_still_refused(people: Table) -> Steps:
    people.write_changes("20201114-100000000").write_bytes(b"PAR1 and no more")
    error = yield FailingRun("2020-11-14")
    assert "20201114-100000000.parquet" in error
    assert people.dates() == []


@pytest.mark.thorough
def test_rejects_that_a_mended_declaration_takes_are_no_longer_open(
    new_project: NewProject,
) -> None:
    project = new_project("mended_declaration")
    ages = {"id": "int", "age": "int"}
    people = project.declare("people", ages, ["id"], on_bad_row="quarantine")
    people.write_load((1, 30))
    (people.folder / "20201114-100000000.csv").write_text("I,2,none\n")
    assert project.run("2020-11-14").ok
    assert [row[2:4] for row in rejects(people)] == [
        (1, "column age: value 'none' does not fit int")
    ]
    people = project.declare("people", ages, ["id"], on_bad_row="fail", csv={"null_value": "none"})
    result = project.run("2020-11-14")
    assert result.ok, result.errors
    assert people.snapshot("2020-11-14") == [(1, 30), (2, None)]
    assert project.dbt("test", "--select", "no_open_rejects").status("no_open_rejects") == "pass"
