"""Dates that a command has shown and not recorded, and what later commands make of them."""

from datetime import date
from typing import Any

import pytest

from tests.conftest import NewProject
from tests.support.project import Project, Table

pytestmark = pytest.mark.thorough

COLUMNS = {"id": "int", "name": "string", "hired": "date"}
WHOLE: dict[str, Any] = {}
DATED: dict[str, Any] = {"partition_date": "hired"}
EARLY, LATE = date(2001, 1, 1), date(2002, 2, 2)


@pytest.fixture(scope="module")
def tables(new_project: NewProject) -> dict[str, Table]:
    """The 13th; the 15th, unchanged and not recorded; the 14th, and the 15th again.

    Those named late get changes of the 14th meanwhile, those named again some of the 15th.
    """
    project = new_project("unrecorded")
    tables = {
        f"{when}_{name}": project.declare(f"{when}_{name}", COLUMNS, ["id"], **layout)
        for name, layout in (("whole", WHOLE), ("dated", DATED))
        for when in ("late", "again")
    }
    for table in tables.values():
        table.write_load((1, "Ann", EARLY), (2, "Bo", LATE))
    assert project.run("2020-11-13").ok
    with project.interrupted("record_run"):
        assert not project.run("2020-11-15").ok
    for name, table in tables.items():
        day = 14 if name.startswith("late") else 15
        # The partition of before becomes empty.
        table.write_changes(f"202011{day}-100000000", ("U", 1, "Anna", LATE))
    for run_date in ("2020-11-14", "2020-11-15"):
        result = project.run(run_date)
        assert result.ok, result.errors
    return tables


@pytest.mark.parametrize("name", ["late_whole", "late_dated", "again_whole", "again_dated"])
def test_such_a_date_shows_what_the_next_run_of_it_finds(
    tables: dict[str, Table], name: str
) -> None:
    table = tables[name]
    rows = [row[:2] for row in table.snapshot("2020-11-15")]
    assert rows == [row[:2] for row in table.current()] == [(1, "Anna"), (2, "Bo")]
    assert len(table.versions()) == 2


@pytest.mark.parametrize("is_changed", [True, False])
def test_a_run_of_a_later_date_completes_a_date_that_was_shown_half_way(
    new_project: NewProject, is_changed: bool
) -> None:
    project = new_project(f"half_way_{is_changed}")
    table = project.declare("people", COLUMNS, ["id"], **DATED)
    rows = [(1, "Ann", EARLY), (2, "Bo", LATE)]
    table.write_load(*rows)
    assert project.run("2020-11-13").ok
    with project.interrupted("record_run"):
        assert not project.run("2020-11-14").ok
    project.query(
        f"alter table {project.schema}.people_snapshot"
        " drop partition (snapshot_date = '2020-11-14', partition_date = '2001-01-01')"
    )
    if is_changed:
        table.write_changes("20201115-100000000", ("U", 1, "Anna", EARLY))
    assert project.run("2020-11-15").ok
    assert table.snapshot("2020-11-14") == rows
    assert table.snapshot("2020-11-15") == table.current() == [
        (1, "Anna" if is_changed else "Ann", EARLY), rows[1]
    ]  # fmt: skip


def test_an_operation_names_the_dates_that_it_does_not_show_any_more(
    new_project: NewProject,
) -> None:
    project = new_project("not_shown")
    table = project.declare("people", COLUMNS, ["id"])
    table.write_load((1, "Ann", EARLY))
    assert project.run("2020-11-13").ok
    with project.interrupted("record_run"):
        assert not project.run("2020-11-14").ok
    table.write_changes("20201115-100000000", ("U", 1, "Anna", LATE))
    assert project.run("2020-11-15").ok
    said = project.operate("rollback", select="hr.people", dry_run=False)
    assert table.dates() == ["2020-11-13"]
    assert "shown 2020-11-14 and before it recorded that; it is not shown any more" in said
    # Backfill makes no date behind the newest one.
    assert "again: dbt run --select +people_snapshot --vars '{run_date: 2020-11-14}'" in said
    assert project.run_tables("2020-11-14", [table]).ok
    assert table.dates() == ["2020-11-13", "2020-11-14"]


def shown_dates(project: Project, table: Table, version: int) -> set[str]:
    rows = project.query(
        f"select explode(cast(dates as array<string>)) from {project.schema}.snapshot_dates"
        f" where table_name = '{table.name}' and version = {version}"
    )
    return {day for (day,) in rows}


@pytest.fixture(scope="module")
def one_by_one(new_project: NewProject) -> tuple[Project, Table, Table]:
    """Two tables run for three dates, and for the 16th model by model, as a scheduler does."""
    project = new_project("one_by_one")
    columns = {"id": "int", "name": "string"}
    changed = project.declare("changed", columns, ["id"])
    reloaded = project.declare("reloaded", columns, ["id"])
    for table in (changed, reloaded):
        table.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    for table in (changed, reloaded):
        table.write_changes("20201114-100000000", ("U", 1, "14"))
    # The 16th has a plan already, which takes nothing.
    for run_date in ("2020-11-14", "2020-11-15", "2020-11-16"):
        assert project.run(run_date).ok
    changed.write_changes("20201116-100000000", ("I", 2, "16"))
    reloaded.write_load((1, "Cy"))
    models = [model for t in (changed, reloaded) for model in (t.staging_model, t.snapshot_model)]
    # A scheduler that is not sure whether a command came through gives it again.
    for model in ("dms_files", *models, *models):
        result = project.run("2020-11-16", "--select", model)
        assert result.ok, result.errors
    return project, changed, reloaded


def test_a_reload_is_taken_by_commands_of_one_model_each(
    one_by_one: tuple[Project, Table, Table],
) -> None:
    _, _, reloaded = one_by_one
    assert reloaded.snapshot("2020-11-16") == reloaded.current() == [(1, "Cy")]
    assert [version["action"] for version in reloaded.versions()] == ["build", "merge", "build"]


def test_the_command_of_one_model_given_again_records_no_date_of_an_earlier_version(
    one_by_one: tuple[Project, Table, Table],
) -> None:
    project, changed, _ = one_by_one
    assert changed.current() == [(1, "14"), (2, "16")]
    assert changed.snapshot("2020-11-15") == [(1, "14")]
    assert shown_dates(project, changed, 2) >= {"2020-11-15"}
    assert shown_dates(project, changed, 3) == set()
    said = project.operate("rollback_to", select="hr.changed", to="2020-11-15")
    assert "version 2" in said


def test_the_command_of_one_model_for_a_date_before_the_published_one_fails(
    one_by_one: tuple[Project, Table, Table],
) -> None:
    project, changed, _ = one_by_one
    assert project.run("2020-11-17").ok
    result = project.run("2020-11-16", "--select", changed.snapshot_model)
    assert "run_date 2020-11-16 is before the newest published one, 2020-11-17" in result.errors
    assert changed.dates()[-2:] == ["2020-11-16", "2020-11-17"]
