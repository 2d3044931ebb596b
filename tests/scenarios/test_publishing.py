"""What is published and how: versions beside each other, their history, comments, other engines."""

import os
import re
import time
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from tests.conftest import NewProject
from tests.support.dms_files import Row, written_later
from tests.support.project import Table, local_path, sort_by_value
from tests.support.side_by_side import COLUMNS, Run, Steps, scenario

DATES = ("2020-11-13", "2020-11-14", "2020-11-15")


def write_three_days(people: Table) -> None:
    """Rows before and after are 3, 3 and 3; then nothing is new."""
    people.write_load((1, "Ann"), (2, "Bo"), (3, None))
    people.write_changes(
        "20201114-100000000", ("U", 1, "Anna"), ("D", 2, "Bo"), ("I", 4, "Di"), ("D", 7, "?"),
        ("I", 8, "brief"), ("D", 8, "brief"),
    )  # fmt: skip


@scenario()
def test_before_plus_inserted_less_deleted_is_after_in_every_version(people: Table) -> Steps:
    write_three_days(people)
    for run_date in DATES:
        yield Run(run_date)
    people.write_changes("20201116-100000000", ("D", 1, None), ("D", 3, None), ("U", 4, "Dee"))
    yield Run("2020-11-16")
    written = [
        (v["action"], v["rows_before"], v["rows_inserted"], v["rows_updated"], v["rows_deleted"],
         v["rows_after"])
        for v in people.versions()
    ]  # fmt: skip
    assert written == [
        ("build", 0, 3, 0, 0, 3),
        ("merge", 3, 1, 1, 1, 3),
        ("merge", 3, 0, 1, 2, 1),
    ]
    for version, run_date in zip(people.versions(), [*DATES[:2], "2020-11-16"], strict=True):
        assert version["rows_after"] == len(people.snapshot(run_date))


@pytest.mark.thorough
@scenario(change_feed=True)
def test_tables_beside_the_snapshot_that_were_dropped_come_back_with_all_they_had(
    people: Table,
) -> Steps:
    write_three_days(people)
    for run_date in DATES[:2]:
        yield Run(run_date)
    feed = people.feed()
    # A late change of a date before, for which all staged changes of its key are read.
    people.write_changes("20201113-230000000", ("U", 1, "earlier than Anna"), ("U", 3, "Cy"))
    for table in (people.staging_model, f"{people.name}_changes"):
        people.project.query(f"drop table {people.project.schema}.{table}")
    yield Run(DATES[2])
    assert people.snapshot(DATES[2]) == people.current() == [(1, "Anna"), (3, "Cy"), (4, "Di")]
    assert {date: people.feed()[date] for date in feed} == feed
    assert list(people.feed()) == [*feed, DATES[2]]


@pytest.mark.thorough
def test_the_current_table_is_whole_if_the_first_run_died_before_it_was_there(
    new_project: NewProject,
) -> None:
    project = new_project("died_before_current")
    columns = {"id": "int", "name": "string", "hired": "date"}
    table = project.declare("dated", columns, ["id"], partition_date="hired")
    hired = date(2001, 1, 1), date(2002, 2, 2)
    table.write_load((1, "Ann", hired[0]), (2, "Bo", hired[1]))
    with project.interrupted("publish_current"):
        assert not project.run(DATES[0]).ok
    table.write_changes("20201114-100000000", ("U", 1, "Anna", hired[0]))
    assert project.run(DATES[1]).ok
    rows = [(1, "Anna", hired[0]), (2, "Bo", hired[1])]
    assert table.snapshot(DATES[1]) == table.current() == rows


@pytest.mark.thorough
@scenario()
def test_a_snapshot_table_that_was_dropped_comes_back_with_all_its_dates(people: Table) -> Steps:
    write_three_days(people)
    for run_date in DATES[:2]:
        yield Run(run_date)
    people.project.query(f"drop table {people.project.schema}.{people.snapshot_model}")
    yield Run(DATES[2])
    assert people.dates() == list(DATES)
    assert people.snapshot(DATES[0]) == [(1, "Ann"), (2, "Bo"), (3, None)]
    assert people.snapshot(DATES[1]) == people.snapshot(DATES[2])


@pytest.mark.thorough
def test_a_reload_is_seen_also_where_the_log_of_staged_files_was_dropped(
    new_project: NewProject,
) -> None:
    project = new_project("log_dropped")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"), (2, "Bo"))
    assert project.run(DATES[0]).ok
    project.query(f"drop table {project.schema}.dms_staged_files")
    written_later(people.write_load((1, "reloaded")))
    # A whole run would make it again beside the index, and perhaps before that asks for it.
    assert project.run(DATES[1], "--select", "dms_files").ok
    assert project.run(DATES[1]).ok
    assert people.current() == [(1, "reloaded")]


@scenario()
def test_the_version_history_says_from_what_and_where_each_version_was_made(people: Table) -> Steps:
    write_three_days(people)
    for run_date in DATES:
        yield Run(run_date)
    # A date without changes shows the version of before.
    first, second = people.versions()
    assert [v["run_date"] for v in (first, second)] == list(DATES[:2])
    assert [v["base_version"] for v in (first, second)] == [None, first["version"]]
    assert first["files"] == ["LOAD00000001.parquet"]
    assert second["files"] == ["20201114-100000000.parquet"]
    assert people.location(DATES[2]) == people.location(DATES[1])
    for version in (first, second):
        (location,) = version["locations"]
        assert local_path(location) == people.location(version["run_date"])


@pytest.mark.thorough
@scenario()
def test_a_date_run_again_is_a_new_version_and_the_old_files_stay(people: Table) -> Steps:
    write_three_days(people)
    yield Run("2020-11-14")
    (first,) = people.versions()
    people.write_changes("20201114-110000000", ("I", 9, "Ida"))
    yield Run("2020-11-14")
    second = people.versions()[-1]
    assert people.location("2020-11-14") != local_path(first["locations"][0])
    assert rows_at(people, first["locations"][0]) == [(1, "Anna"), (3, None), (4, "Di")]
    assert rows_at(people, second["locations"][0]) == people.snapshot("2020-11-14")
    assert (9, "Ida") in people.snapshot("2020-11-14")


@scenario()
def test_a_full_refresh_gives_the_same_state_as_a_new_version_beside_the_old(
    people: Table,
) -> Steps:
    write_three_days(people)
    for run_date in DATES:
        yield Run(run_date)
    before = {run_date: people.snapshot(run_date) for run_date in DATES}
    old = people.location("2020-11-15")
    yield Run("2020-11-15", full_refresh=True)
    assert {run_date: people.snapshot(run_date) for run_date in DATES} == before
    assert people.current() == before["2020-11-15"]
    new = people.location("2020-11-15")
    assert new != old
    assert new == people.current_location()
    assert rows_at(people, str(old)) == before["2020-11-15"]
    assert people.versions()[-1]["action"] == "build"
    # And the days go on from there.
    people.write_changes("20201116-100000000", ("U", 3, "Cy"))
    yield Run("2020-11-16")
    assert people.snapshot("2020-11-16") == [(1, "Anna"), (3, "Cy"), (4, "Di")]


@pytest.mark.thorough
@scenario()
def test_a_full_refresh_of_an_empty_table_is_empty(people: Table) -> Steps:
    yield Run("2020-11-13")
    yield Run("2020-11-13", full_refresh=True)
    assert people.snapshot("2020-11-13") == people.current() == []


@pytest.mark.thorough
@scenario()
def test_a_full_refresh_after_a_reload_has_the_reload_only(people: Table) -> Steps:
    write_three_days(people)
    yield Run("2020-11-14")
    reload = people.write_load((1, "reloaded"))
    os.utime(reload, (time.time() + 300, time.time() + 300))
    yield Run("2020-11-15")
    yield Run("2020-11-15", full_refresh=True)
    assert people.snapshot("2020-11-15") == [(1, "reloaded")]


@scenario(columns={"id": "int", "name": "string", "price": "decimal(12,3)", "at": "timestamp",
                   "born_on": "date", "body": "binary", "is_open": "boolean"})  # fmt: skip
def test_duckdb_and_pyarrow_read_what_the_catalog_points_to(people: Table) -> Steps:
    people.write_load(
        (1, "it's\n🐑", Decimal("1.500"), datetime(1899, 1, 1), date(1, 1, 1), b"\0\xff", True),
        (2, None, None, None, None, None, None),
    )
    people.write_changes(
        "20201114-100000000",
        ("I", 3, "", Decimal("-999999999.999"), datetime(9999, 12, 31, 23, 59, 59, 999999),
         date(9999, 12, 31), b"", False),
        ("D", 2, None, None, None, None, None, None),
    )  # fmt: skip
    for run_date in DATES:
        yield Run(run_date)
    for run_date in DATES:
        assert rows_in_duckdb(people, people.location(run_date)) == people.snapshot(run_date)
        assert rows_in_pyarrow(people, people.location(run_date)) == people.snapshot(run_date)
    assert rows_in_duckdb(people, people.current_location()) == people.current()
    assert rows_in_pyarrow(people, people.current_location()) == people.current()


@scenario(change_feed=True)
def test_who_reads_all_files_of_a_version_gets_its_rows_only(people: Table) -> Steps:
    write_three_days(people)
    for run_date in DATES[:2]:
        yield Run(run_date)
        location = people.location(run_date)
        assert location.name == "rows"
        for folder in (location, location.parent):
            assert rows_in_duckdb(people, folder, "**/*.parquet") == people.snapshot(run_date)
            assert rows_in_pyarrow(people, folder) == people.snapshot(run_date)


@scenario(columns={**COLUMNS, "born": "date"}, partition_date="born", partition_granularity="year")
def test_the_files_that_a_query_names_are_the_rows_of_a_date(people: Table) -> Steps:
    people.write_load((1, "Ann", date(1990, 1, 1)), (2, "Bo", date(1991, 1, 1)), (3, "Cy", None))
    people.write_changes(
        "20201114-100000000", ("U", 1, "Anna", date(1990, 1, 1)), ("D", 3, None, None)
    )
    for run_date in DATES[:2]:
        yield Run(run_date)
        # As docs/how-to/query.md has it.
        found = people.project.query(
            "select distinct _metadata.file_path"
            f" from {people.project.schema}.{people.snapshot_model}"
            f" where snapshot_date = date'{run_date}'"
        )
        files = [f"file://{local_path(row[0])}" for row in found]
        with duckdb.connect() as connection:
            read = connection.sql(
                f"select * from read_parquet({files}, union_by_name = true,"
                " hive_partitioning = false)"
            )
            assert read.columns == list(people.columns)
            assert sort_by_value(read.fetchall()) == people.snapshot(run_date)
        tables = [pq.read_table(file, partitioning=None) for file in files]
        rows = pa.concat_tables(tables, promote_options="default").to_pylist()
        assert sort_by_value([tuple(row.values()) for row in rows]) == people.snapshot(run_date)


def test_descriptions_are_comments_in_the_metastore(new_project: NewProject) -> None:
    project = new_project("comments")
    texts = {"id": 'Number; it\'s the "key".', "name": "Her name, 1\\2 🐑"}
    # AWS Glue takes a line of 255 bytes.
    long = {"note": "Two\nlines. " + "é" * 200}
    people = project.declare(
        "people", {**COLUMNS, "note": "string"}, ["id"], descriptions={**texts, **long}
    )
    texts["note"] = "Two lines. " + "é" * 120 + "…"
    people.write_load((1, "Ann", None))
    assert project.run("2020-11-13").ok
    assert project.run("2020-11-14").ok
    assert "alter column" not in (project.folder / "logs/dbt.log").read_text()
    for relation in (people.staging_model, people.snapshot_model, f"{people.name}_current"):
        comments = {
            name: comment
            for name, _, comment in project.query(f"describe {project.schema}.{relation}")
            if comment
        }
        assert {name: comments.get(name) for name in texts} == texts, relation
    snapshot = project.query(f"describe {project.schema}.{people.snapshot_model}")
    assert any(name == "snapshot_date" and comment for name, _, comment in snapshot)


# ------------------------------------------------------------------ what readers see


def rows_at(people: Table, location: str) -> list[Row]:
    return rows_in_pyarrow(people, local_path(location))


def rows_in_pyarrow(people: Table, folder: Path) -> list[Row]:
    table = ds.dataset(folder, format="parquet").to_table(columns=list(people.columns))
    return sort_by_value([_plain(row.values()) for row in table.to_pylist()])


def rows_in_duckdb(people: Table, folder: Path, files: str = "*.parquet") -> list[Row]:
    columns = ", ".join(f'"{column}"' for column in people.columns)
    with duckdb.connect() as connection:
        connection.execute("set timezone = 'UTC'")
        found = connection.execute(f"select {columns} from read_parquet('{folder}/{files}')")
        return sort_by_value([_plain(row) for row in found.fetchall()])


def _plain(row: Any) -> Row:
    """Moments without their zone, which is UTC."""
    return tuple(v.replace(tzinfo=None) if hasattr(v, "tzinfo") else v for v in row)


@pytest.mark.thorough
def test_a_version_whose_object_was_lost_stops_its_table_only_and_can_be_given_up(
    new_project: NewProject,
) -> None:
    project = new_project("lost_object")
    people, cities = (project.declare(name, COLUMNS, ["id"]) for name in ("people", "cities"))
    for table in (people, cities):
        table.write_load((1, "Ann"))
    for run_date, name in (("2020-11-13", "Ann"), ("2020-11-14", "Anna"), ("2020-11-15", "Anne")):
        people.write_changes(f"{run_date.replace('-', '')}-100000000", ("U", 1, name))
        assert project.run(run_date).ok
    (lost,) = people.root().parent.glob("version_log/hr.people/*-v2.json")
    lost.unlink()
    failed = project.run("2020-11-16")
    message = failed.message(people.staging_model)
    assert f"hr.people: {lost} is gone" in message
    assert cities.dates()[-1] == "2020-11-16"
    given_up = re.search(r"touch (\S+\.lost)", message)
    assert given_up
    Path(given_up[1]).touch()
    assert project.run("2020-11-16").ok
    assert people.snapshot("2020-11-16") == people.current() == [(1, "Anne")]
