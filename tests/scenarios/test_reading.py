"""What a file lacks or holds too much of, from the file to the published rows."""

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.project import Table
from tests.support.side_by_side import FailingRun, Run, Steps, scenario

LARGE = {"id": "bigint", "small": "string", "big": "string"}
FAR = pa.array([0, 9223371331199999999, 316516204800000000, -65000000000000000], pa.int64()).cast(
    pa.timestamp("us")
)
EPOCH = datetime(1970, 1, 1)


def write(table: Table, name: str, **columns: Any) -> Path:
    path = table.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def write_large(table: Table) -> None:
    """A load, an update that carries the large column, and one that lacks it."""
    table.write_load((1, "a", "B1"), (2, "b", "B2"), (3, "c", "B3"))
    table.write_changes("20201114-100000000", ("U", 3, "c2", "B3new"))
    columns = {"id": "bigint", "small": "string"}
    table.write_changes("20201114-110000000", ("U", 2, "b2"), columns=columns)


@pytest.mark.thorough
@scenario(columns=LARGE)
def test_a_large_column_that_an_update_lacks_keeps_its_value_after_the_advice(
    people: Table,
) -> Steps:
    write_large(people)
    error = yield FailingRun("2020-11-14")
    assert "set image: partial, which keeps earlier values" in error
    assert "set on_schema_change: ignore: earlier values become NULL" in error
    people.project.declare(people.name, LARGE, ["id"], image="partial")
    yield Run("2020-11-14")
    assert people.current() == [(1, "a", "B1"), (2, "b2", "B2"), (3, "c2", "B3new")]


@pytest.mark.thorough
@scenario(columns=LARGE, on_schema_change="ignore")
def test_a_run_warns_of_values_that_an_absent_column_has_lost(people: Table) -> Steps:
    write_large(people)
    said = yield Run("2020-11-14")
    assert people.current() == [(1, "a", "B1"), (2, "b2", None), (3, "c2", "B3new")]
    assert "1 files lack columns, so that earlier values became NULL" in said
    assert "20201114-110000000.parquet (big)" in said


DAYS = {"id": "bigint", "day": "date", "n": "int"}


@scenario(columns=DAYS, partition_date="day", change_feed=True)
def test_deletes_with_the_key_alone_delete_in_every_partition(people: Table) -> Steps:
    people.write_load(
        (1, date(2026, 1, 1), 1), (2, date(2026, 2, 1), 2), (3, None, 3), (4, None, 4)
    )
    people.write_changes("20201114-100000000", ("D", 1), ("D", 3), columns={"id": "bigint"})
    people.write_changes("20201114-110000000", ("D", 2, None, None))
    yield Run("2020-11-13")
    yield Run("2020-11-14")
    assert people.current() == [(4, None, 4)]
    deleted = [row[:2] for row in people.feed()["2020-11-14"]]
    assert deleted == [("delete", 1), ("delete", 2), ("delete", 3)]


TIMED = {"id": "bigint", "ts": "timestamp"}


@pytest.mark.thorough
@scenario(
    columns=TIMED, partition_date="ts", partition_granularity="year",
    on_time_out_of_range="set_null",
)  # fmt: skip
def test_far_times_are_null_where_that_is_declared_also_as_partition(people: Table) -> Steps:
    write(people, "LOAD00000001.parquet", id=[1, 2, 3, 4], ts=FAR)
    yield Run("2020-11-14")
    assert [(key, ts and ts.replace(tzinfo=None)) for key, ts in people.current()] == [
        (1, EPOCH), (2, None), (3, None), (4, None),
    ]  # fmt: skip


@pytest.mark.thorough
@scenario(columns=TIMED, on_bad_row="quarantine")
def test_far_times_of_parquet_are_set_aside_as_those_of_csv(people: Table) -> Steps:
    write(people, "LOAD00000001.parquet", id=[1, 2, 3, 4], ts=FAR)
    yield Run("2020-11-14")
    assert [key for key, _ in people.current()] == [1]
    reasons = people.project.query(
        f"select row_number, reason from {people.project.schema}.dms_rejects"
        f" where table_name = '{people.name}' order by row_number"
    )
    assert reasons == [
        (2, "column ts: value 294247-01-01 is outside the years 1 to 9999"),
        (3, "column ts: value 12000-01-01 00:00:00.000000 is outside the years 1 to 9999"),
        (4, "column ts: value -0090-03-27 04:26:40.000000 is outside the years 1 to 9999"),
    ]


@pytest.mark.thorough
@scenario(columns={"ts": "timestamp", "v": "bigint"}, primary_keys=["ts"])
def test_a_far_key_is_refused_with_its_row(people: Table) -> Steps:
    write(people, "LOAD00000001.parquet", ts=FAR, v=[1, 2, 3, 4])
    error = yield FailingRun("2020-11-14")
    assert "row 2, column ts: value 294247-01-01 is outside the years 1 to 9999" in error
    assert "set_null" not in error
    assert people.dates() == []


NOTES = {"id": "bigint", "name": "string", "note": "string"}
UNQUOTED: dict[str, Any] = {"header": True, "rfc4180": False}


@pytest.mark.thorough
@scenario(columns=NOTES, csv=UNQUOTED, on_schema_change="ignore")
def test_a_row_delimiter_of_two_characters_is_named_as_yaml_has_it(people: Table) -> Steps:
    path = people.folder / "LOAD00000001.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(r"id,name,note\n1,Ann,ok\n2,Bob,hi\n")
    error = yield FailingRun("2020-11-14")
    assert r"Set csv: {header: true, row_delimiter: '\\n', rfc4180: false}" in error
    assert people.dates() == []
    csv = {**UNQUOTED, "row_delimiter": r"\\n"}
    people.project.declare(people.name, NOTES, ["id"], csv=csv)
    yield Run("2020-11-14")
    assert people.current() == [(1, "Ann", "ok"), (2, "Bob", "hi")]
