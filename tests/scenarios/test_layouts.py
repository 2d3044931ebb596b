"""The layouts: with or without history, whole or in slices by a business date."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from tests.conftest import NewProject
from tests.support.dms_files import Row
from tests.support.project import Project, Table, local_path, sort_by_value

COLUMNS = {"id": "int", "name": "string", "born_on": "date"}
LAYOUTS: dict[str, dict[str, Any]] = {
    "dated_whole": {"history": True},
    "dated_day": {"history": True, "partition_date": "born_on"},
    "dated_month": {
        "history": True, "partition_date": "born_on", "partition_granularity": "month",
    },
    "newest_whole": {"history": False},
    "newest_month": {
        "history": False, "partition_date": "born_on", "partition_granularity": "month",
    },
    "newest_year": {
        "history": False, "partition_date": "born_on", "partition_granularity": "year",
    },
}  # fmt: skip
SLICED = [name for name in LAYOUTS if not name.endswith("whole")]
DATES = ("2020-11-13", "2020-11-14", "2020-11-15", "2020-11-16")

JANUARY, FEBRUARY, MARCH = date(2020, 1, 9), date(2020, 2, 9), date(2020, 3, 9)
NEXT_YEAR, LONG_AGO = date(2021, 3, 9), date(1, 1, 1)


def write_files(table: Table) -> None:
    table.write_load(
        (1, "stays", JANUARY), (2, "moves", JANUARY), (3, "the only one", FEBRUARY),
        (4, "has no date", None), (5, "gets a date", None), (6, "loses its date", MARCH),
        (7, "long ago", LONG_AGO), (8, "next year", NEXT_YEAR),
    )  # fmt: skip
    # Deletes carry the key only; nobody knows 99.
    table.write_changes(
        "20201114-100000000",
        ("U", 2, "moved", MARCH), ("D", 3, None, None), ("U", 5, "got a date", FEBRUARY),
        ("D", 99, None, None), ("U", 9, "unknown before", date(2020, 4, 1)),
    )  # fmt: skip
    table.write_changes("20201116-100000000", ("U", 6, "lost its date", None), ("D", 9, None, None))


STATES: Mapping[str, list[Row]] = {
    "2020-11-13": [
        (1, "stays", JANUARY), (2, "moves", JANUARY), (3, "the only one", FEBRUARY),
        (4, "has no date", None), (5, "gets a date", None), (6, "loses its date", MARCH),
        (7, "long ago", LONG_AGO), (8, "next year", NEXT_YEAR),
    ],
    "2020-11-14": [
        (1, "stays", JANUARY), (2, "moved", MARCH), (4, "has no date", None),
        (5, "got a date", FEBRUARY), (6, "loses its date", MARCH), (7, "long ago", LONG_AGO),
        (8, "next year", NEXT_YEAR), (9, "unknown before", date(2020, 4, 1)),
    ],
    "2020-11-16": [
        (1, "stays", JANUARY), (2, "moved", MARCH), (4, "has no date", None),
        (5, "got a date", FEBRUARY), (6, "lost its date", None), (7, "long ago", LONG_AGO),
        (8, "next year", NEXT_YEAR),
    ],
}  # fmt: skip


def state(run_date: str) -> list[Row]:
    """Nothing comes on the 15th."""
    return STATES["2020-11-14" if run_date == "2020-11-15" else run_date]


def first_day(value: date | None, granularity: str) -> date | None:
    if value is None or granularity == "day":
        return value
    return value.replace(day=1, month=1 if granularity == "year" else value.month)


@pytest.fixture(scope="module")
def laid_out(new_project: NewProject) -> Project:
    """All layouts after four dates, the second of them run twice."""
    project = new_project("layouts")
    for name, keys in LAYOUTS.items():
        write_files(project.declare(name, COLUMNS, ["id"], **keys))
    for run_date in (DATES[0], DATES[1], DATES[1], DATES[2], DATES[3]):
        result = project.run(run_date)
        assert result.ok, result.errors
        for table in project.tables.values():
            assert table.current() == state(run_date), (table.name, run_date)
    return project


@pytest.mark.parametrize("name", [name for name in LAYOUTS if name.startswith("dated")])
def test_with_history_every_date_keeps_its_state(laid_out: Project, name: str) -> None:
    table = laid_out.tables[name]
    assert table.dates() == list(DATES)
    for run_date in DATES:
        assert table.snapshot(run_date) == state(run_date)


@pytest.mark.parametrize("name", [name for name in LAYOUTS if name.startswith("newest")])
def test_without_history_the_snapshot_is_the_newest_state(laid_out: Project, name: str) -> None:
    rows = laid_out.query(f"select id, name, born_on from {laid_out.schema}.{name}_snapshot")
    assert sort_by_value(rows) == state(DATES[-1])


@pytest.mark.parametrize("name", SLICED)
def test_a_row_stands_in_the_partition_of_its_date(laid_out: Project, name: str) -> None:
    for relation in ("snapshot", "current"):
        rows = laid_out.query(
            f"select born_on, partition_date from {laid_out.schema}.{name}_{relation}"
        )
        assert rows
        assert all(part == first_day(born, name.split("_")[1]) for born, part in rows)


def test_the_partitions_come_last(laid_out: Project) -> None:
    for name, added in {
        "dated_whole": ["snapshot_date"],
        "dated_day": ["snapshot_date", "partition_date"],
        "newest_whole": [],
        "newest_year": ["partition_date"],
    }.items():
        described = laid_out.query(f"describe {laid_out.schema}.{name}_snapshot")
        columns = [row[0] for row in described if row[0] and not row[0].startswith("#")]
        # Spark tells the partition columns a second time.
        assert columns == [*COLUMNS, *added, *added]


def folders(table: Table, version: int) -> dict[str, str]:
    rows = table.project.query(
        "select partition, location from (select inline(partitions) from"
        f" {table.project.schema}.snapshot_versions"
        f" where table_name = '{table.name}' and version = {version})"
    )
    return {slice_: location for slice_, location, *_ in rows}


@pytest.mark.parametrize("kind", ["dated", "newest"])
def test_only_touched_slices_are_written(laid_out: Project, kind: str) -> None:
    table = laid_out.tables[f"{kind}_month"]
    # The second run of the second date and the date without changes have made no version.
    first, second, last = (folders(table, number) for number in (1, 2, 3))
    null = "__HIVE_DEFAULT_PARTITION__"
    assert set(first) == {
        "0001-01-01", "2020-01-01", "2020-02-01", "2020-03-01", "2021-03-01", null,
    }  # fmt: skip
    assert set(second) == {*first, "2020-04-01"}
    assert {name for name in first if second[name] == first[name]} == {"0001-01-01", "2021-03-01"}
    # April is empty and gone, March and the rows without a date are written again.
    assert set(last) == set(first)
    assert {name for name in last if last[name] != second[name]} == {"2020-03-01", null}
    for location in last.values():
        assert list(local_path(location).glob("*.parquet"))


def test_without_history_only_the_newest_partitions_are_shown(laid_out: Project) -> None:
    for relation in ("newest_month_snapshot", "newest_month_current"):
        assert laid_out.partitions(relation) == [
            "0001-01-01", "2020-01-01", "2020-02-01", "2020-03-01", "2021-03-01",
            "__HIVE_DEFAULT_PARTITION__",
        ]  # fmt: skip


def test_dbt_test_passes_on_every_layout(laid_out: Project) -> None:
    models = [
        {
            "name": table.snapshot_model,
            "data_tests": [
                {"snapshot_is_whole": {"arguments": {"keys": ["id"]}}},
            ],
        }
        for table in laid_out.tables.values()
    ]
    laid_out.write_properties(models)
    result = laid_out.dbt("test", "--select", "test_type:generic,resource_type:test")
    assert result.ok, result.errors


@pytest.mark.thorough
def test_very_many_partitions_are_warned_of_and_a_rollback_moves_those_that_differ(
    new_project: NewProject,
) -> None:
    project = new_project("many_days")
    table = project.declare("people", COLUMNS, ["id"], **LAYOUTS["dated_day"])
    table.write_load(
        *((number, "born", date.fromordinal(JANUARY.toordinal() + number)) for number in range(280))
    )
    result = project.run(DATES[0])
    assert result.ok, result.errors
    warned = "a date has 280 partitions, so people_snapshot gets 102200 a year"
    assert warned in (project.folder / "logs/dbt.log").read_text()

    table.write_changes("20201114-100000000", ("U", 7, "changed", date(2020, 1, 16)))
    assert project.run(DATES[1]).ok
    before = len((project.folder / "logs/dbt.log").read_text())
    project.operate("rollback", select=table.label, dry_run=False)
    log = (project.folder / "logs/dbt.log").read_text()[before:]
    moved = [line for line in log.splitlines() if "set location" in line and "_current" in line]
    assert len(moved) == 1
    assert len(table.current()) == 280
    assert (7, "born", date(2020, 1, 16)) in table.current()


# ------------------------------------------------------------------ changing the layout


@pytest.fixture(scope="module")
def relaid(new_project: NewProject) -> tuple[Project, Table]:
    project = new_project("relaid")
    table = project.declare("people", COLUMNS, ["id"])
    write_files(table)
    assert project.run(DATES[0]).ok
    assert project.run(DATES[1]).ok
    return project, project.declare("people", COLUMNS, ["id"], **LAYOUTS["newest_month"])


@pytest.mark.thorough
def test_another_layout_is_refused_until_a_full_refresh(relaid: tuple[Project, Table]) -> None:
    project, table = relaid
    result = project.run(DATES[2])
    assert not result.ok
    for part in (table.label, "current state only, by month of born_on", "one snapshot per date",
                 "--full-refresh"):  # fmt: skip
        assert part in result.errors
    assert table.dates() == [DATES[0], DATES[1]]
    assert table.current() == state(DATES[1])
    assert project.run(DATES[2], "--full-refresh").ok
    assert table.current() == state(DATES[2])
    assert "2020-01-01" in project.partitions(table.snapshot_model)
    assert project.run(DATES[3]).ok
    assert table.current() == state(DATES[3])


@pytest.mark.thorough
def test_an_empty_table_has_its_current_state_in_another_layout_too(
    new_project: NewProject,
) -> None:
    project = new_project("relaid_empty")
    project.declare("people", COLUMNS, ["id"], **LAYOUTS["newest_month"])
    assert project.run(DATES[0]).ok
    people = project.declare("people", COLUMNS, ["id"], **LAYOUTS["newest_year"])
    assert project.run(DATES[1], "--full-refresh").ok
    assert people.current() == people.rows() == []
