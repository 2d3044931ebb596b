"""Dates that are made later than a full refresh or a reload: of all their files, or not at all."""

import pytest

from tests.conftest import NewProject

COLUMNS = {"id": "int", "name": "string"}
WITH_OLD_KEY = {**COLUMNS, "BI_id": "int"}
WIDE = {**COLUMNS, "size": "int"}

pytestmark = pytest.mark.thorough


def only(run_date: str) -> dict[str, str]:
    return {"from_date": run_date, "to_date": run_date}


def test_a_date_before_a_full_refresh_has_the_rows_of_the_full_load(
    new_project: NewProject,
) -> None:
    project = new_project("refreshed_backfill")
    log = project.declare("log", COLUMNS, [])
    people = project.declare("people", COLUMNS, ["id"])
    partial = project.declare("parts", WIDE, ["id"], image="partial")
    moved = project.declare("moved", COLUMNS, ["id"], before_image_prefix="BI_")
    for table in (log, people, moved):
        table.write_load((1, "Ann"), (2, "Bo"))
    partial.write_load((1, "Ann", 7), (2, "Bo", 8))
    assert project.run("2020-11-13").ok

    for table in (log, people):
        table.write_changes("20201114-100000000", ("I", 3, "Cy"))
        table.write_changes("20201115-100000000", ("I", 4, "Di"))
    partial.write_changes("20201114-100000000", ("U", 1, "Anna"), columns=COLUMNS)
    moved.write_changes(
        "20201114-100000000", ("U", 2, "Ann", 1), ("U", 1, "Bo", 2), columns=WITH_OLD_KEY
    )
    result = project.run("2020-11-16", "--full-refresh")
    assert result.ok, result.errors
    project.operate("backfill", select="*", **only("2020-11-14"), dry_run=False)
    rows = [(1, "Ann"), (2, "Bo"), (3, "Cy")]
    assert {name: table.snapshot("2020-11-14") for name, table in project.tables.items()} == {
        "log": rows,
        "people": rows,
        "parts": [(1, "Anna", 7), (2, "Bo", 8)],
        "moved": [(1, "Bo"), (2, "Ann")],
    }
