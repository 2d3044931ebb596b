"""A row with NULL in its key is refused, wherever it stands and however changes are ordered.

``DMS_NULL_KEY_CASES=all`` asks for each setting in each place; by default every setting and every
place is in some case.
"""

import os
from datetime import date
from typing import Any

import pytest

from tests.conftest import NewProject
from tests.support.project import RunResult, Table

pytestmark = pytest.mark.thorough

COLUMNS = {"id": "int", "day": "date"}
SETTINGS: dict[str, dict[str, Any]] = {
    "by_file": {},
    "by_time": {"timestamp_column": "committed_at", "order_by": "timestamp"},
    "partial": {"image": "partial"},
    "before_image": {"before_image_prefix": "BI_"},
    "dated": {"partition_date": "day"},
}
DAY = date(2020, 11, 12)
# Where the row is. Changes that are weighed against earlier ones go another way than others.
WEIGHED = ("first_load", "first_change", "change", "late_change")
CHANGES = ("first_change", "change", "late_change")
LATE = ("load_behind_changes", "late_change")
ALL_CASES = [
    *(("by_file", place) for place in LATE),
    *(("by_time", place) for place in WEIGHED),
    *(("partial", place) for place in (*WEIGHED, "reload")),
    *(("before_image", place) for place in (*WEIGHED, "reload")),
    *(("dated", place) for place in LATE),
]
CASES = ALL_CASES if os.environ.get("DMS_NULL_KEY_CASES") == "all" else ALL_CASES[::2]


def test_every_setting_and_every_place_is_in_some_case() -> None:
    for part in (0, 1):
        assert {case[part] for case in CASES} == {case[part] for case in ALL_CASES}


def write_changes(table: Table, name: str, op: str, *row: object) -> None:
    if table.name.startswith("before_image"):
        table.write_changes(name, (op, *row, row[0]), columns={**COLUMNS, "BI_id": "int"})
    else:
        table.write_changes(name, (op, *row))


def write_until_published(table: Table, place: str) -> None:
    """The files before the one with the NULL."""
    if not place.startswith("first"):
        table.write_load((1, DAY))
        write_changes(table, "20201113-100000000", "U", 1, DAY)


def write_null(table: Table, place: str) -> None:
    row = (None, DAY)
    if place == "first_load":
        table.write_load((1, DAY), row)
    elif place == "first_change":
        table.write_load((1, DAY))
        write_changes(table, "20201114-100000000", "I", *row)
    elif place == "load_behind_changes":
        table.write_load(row, name="LOAD00000002.parquet")
    elif place == "change":
        write_changes(table, "20201114-100000000", "I", *row)
    elif place == "late_change":
        write_changes(table, "20201113-080000000", "I", *row)
    else:
        table.write_load((2, DAY), row)


def write_mended(table: Table, place: str) -> None:
    name = "20201113-080000000" if place == "late_change" else "20201114-100000000"
    write_changes(table, name, "I", 3, DAY)


@pytest.fixture(scope="module")
def results(new_project: NewProject) -> tuple[RunResult, RunResult]:
    """Of the run that finds the NULLs, and of the next one, when files of changes are mended."""
    project = new_project("null_keys")
    tables = [
        (project.declare(f"{setting}_{place}", COLUMNS, ["id"], **SETTINGS[setting]), place)
        for setting, place in CASES
    ]
    for table, place in tables:
        write_until_published(table, place)
    ran = project.run("2020-11-13")
    assert ran.ok, ran.errors
    for table, place in tables:
        write_null(table, place)
    refused = project.run("2020-11-14")
    for table, place in tables:
        if place in CHANGES:
            write_mended(table, place)
    return refused, project.run("2020-11-15")


@pytest.mark.parametrize(("setting", "place"), CASES)
def test_a_null_in_the_key_is_refused(
    results: tuple[RunResult, RunResult], setting: str, place: str
) -> None:
    result = results[0]
    name = f"{setting}_{place}_snapshot"
    assert result.status(name) == "error", result.message(name)
    assert "have NULL in a key column (id)" in result.message(name)
    assert ".parquet row " in result.message(name)


@pytest.mark.parametrize(
    ("setting", "place"), [(setting, place) for setting, place in CASES if place in CHANGES]
)
def test_once_the_file_is_mended_the_run_of_the_next_date_takes_it(
    results: tuple[RunResult, RunResult], setting: str, place: str
) -> None:
    name = f"{setting}_{place}_snapshot"
    assert results[1].status(name) == "success", results[1].message(name)


def test_a_file_that_was_refused_in_a_published_date_can_be_mended_on_the_next(
    new_project: NewProject,
) -> None:
    project = new_project("mended_on_the_next_date")
    table = project.declare("days", COLUMNS, ["id"])
    table.write_load((1, DAY))
    write_changes(table, "20201113-100000000", "U", 1, DAY)
    assert project.run("2020-11-13").ok
    write_null(table, "late_change")
    assert project.run("2020-11-13").failed == [table.snapshot_model]
    write_mended(table, "late_change")
    result = project.run("2020-11-14")
    assert result.ok, result.errors
    assert table.current() == [(1, DAY), (3, DAY)]
