"""Dates and times outside the years 1 to 9999: the same in Parquet and in CSV."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from pyspark_dms.reading.columns import ValueProblem, convert, parse_column
from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.indexed_files import FileProblem
from pyspark_dms.reading.times import are_far, as_text
from tests.reader.reading import read, read_table

FIRST, LAST = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999_999)
TEXTS = [
    ("infinity", True),
    ("-infinity", True),
    ("Infinity", True),
    ("294276-12-31 23:59:59.999999", True),
    ("10000-01-01 00:00:00", True),
    ("4714-11-24 00:00:00 BC", True),
    ("0001-12-31 BC", True),
    ("0000-00-00 00:00:00", True),
    ("0000-01-01", True),
    ("-0001-01-01", True),
    ("+12000-01-01T00:00:00Z", True),
    ("0001-01-01", False),
    ("9999-12-31 23:59:59.999999", False),
    ("12000-01", False),
    ("BC", False),
    ("soon", False),
    ("", False),
    (None, False),
]


def moments(unit: str, *numbers: int) -> pa.Array:
    return pa.array(numbers, pa.int64()).cast(pa.timestamp(unit))


def test_far_times_are_recognised_by_their_text() -> None:
    assert are_far(pa.array([text for text, _ in TEXTS])).to_pylist() == [far for _, far in TEXTS]


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_the_years_1_to_9999_are_taken_to_their_last_moment(unit: str) -> None:
    step = {"s": 1, "ms": 1000, "us": 1_000_000}[unit]
    first, end = -62_135_596_800 * step, 253_402_300_800 * step
    far = are_far(moments(unit, first - 1, first, end - 1, end))
    assert far.to_pylist() == [True, False, False, True]
    for zone in (None, "UTC"):
        assert are_far(pa.array([FIRST, LAST], pa.timestamp("us", zone))).to_pylist() == [False] * 2
    days = pa.array([-719_163, -719_162, 2_932_896, 2_932_897], pa.int32()).cast(pa.date32())
    assert are_far(days).to_pylist() == [True, False, False, True]
    assert are_far(days.cast(pa.date64())).to_pylist() == [True, False, False, True]
    # Nanoseconds have no year beyond 2262.
    assert are_far(moments("ns", -(2**63), 0, 2**63 - 1)).to_pylist() == [False] * 3


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (moments("us", 9223371331199999999)[0], "294247-01-01"),
        (moments("ms", 9224318015999999)[0], "294276-12-31"),
        (moments("us", 316516204800000000)[0], "12000-01-01 00:00:00.000000"),
        (pa.scalar(2145031948, pa.int32()).cast(pa.date32()), "5874868-01-01"),
        (pa.scalar(-(2**31), pa.int32()).cast(pa.date32()), "-5877641-06-23"),
        (pa.scalar(date(2020, 2, 29)), "2020-02-29"),
    ],
)
def test_every_moment_has_a_text(value: pa.Scalar, text: str) -> None:
    assert as_text(value) == text


FAR = moments("us", 0, 9223371331199999999, 316516204800000000, -65000000000000000)
DAYS = pa.array([0, 2145031948, 3000000, -800000], pa.int32()).cast(pa.date32())
SOURCES = [
    (FAR, "timestamp"),
    (FAR, "timestamp_ntz"),
    (FAR.cast(pa.timestamp("us", "UTC")), "timestamp"),
    (FAR.cast(pa.timestamp("ms"), safe=False), "timestamp"),
    (FAR.cast(pa.timestamp("s"), safe=False), "timestamp"),
    (moments("ms", 0, 9224318015999999, 2**62, -(2**62)), "timestamp"),
    (DAYS, "date"),
    (DAYS.cast(pa.date64()), "date"),
    (DAYS, "timestamp"),
    (pa.array(["1970-01-01", "infinity", "12000-01-01", "0001-01-01 BC"]), "timestamp"),
    (pa.array(["1970-01-01", "infinity", "12000-01-01", "0000-01-01"]), "date"),
    # Only in UTC it is of the year 10000, or of the year 0.
    (pa.array(["1970-01-01", "9999-12-31 23:00:00-02:00", "0001-01-01 01:00:00+02:00",
               "0001-01-01 00:59:59+01:00"]), "timestamp"),
]  # fmt: skip


@pytest.mark.parametrize(("values", "declared"), SOURCES, ids=str)
def test_a_far_time_is_refused_or_null_as_declared(values: pa.Array, declared: str) -> None:
    column = parse_column("c", declared)
    with pytest.raises(ValueProblem) as problem:
        convert(values, column, most=9)
    assert list(problem.value.reasons) == [1, 2, 3]
    reason = problem.value.reasons[3]
    assert reason.endswith(" is outside the years 1 to 9999")
    taken = convert(values, column, far_is_null=True)
    assert taken.is_null().to_pylist() == [False, True, True, True]


@pytest.mark.parametrize("text", ["soon", "2020-13-01", "0001-99-99"])
def test_what_is_no_time_is_refused_also_where_far_times_are_null(text: str) -> None:
    with pytest.raises(ValueProblem, match="does not fit timestamp"):
        convert(pa.array([text]), parse_column("c", "timestamp"), far_is_null=True)


def test_other_types_keep_what_looks_like_a_far_time() -> None:
    values = pa.array(["infinity", "12000-01-01"])
    assert convert(values, parse_column("c", "string"), far_is_null=True).equals(values)
    floats = convert(pa.array(["infinity"]), parse_column("c", "double"), far_is_null=True)
    assert floats.to_pylist() == [float("inf")]


def test_csv_and_parquet_refuse_the_same_years(tmp_path: Path) -> None:
    declared = {"id": "int", "at": "timestamp", "day": "date"}
    columns = {
        "Op": pa.array(["I"] * 3),
        "id": pa.array([1, 2, 3]),
        "at": moments("us", 0, 316516204800000000, 0),
        "day": pa.array([0, 0, -719_163], pa.int32()).cast(pa.date32()),
    }
    path = tmp_path / "rows.csv"
    path.write_text(
        "I,1,1970-01-01,1970-01-01\nI,2,12000-01-01 00:00:00,1970-01-01\n"
        "I,3,1970-01-01,0000-12-31\n"
    )

    def both(**settings: Any) -> list[tuple[Any, Any]]:
        read_both = [
            read_table(tmp_path, columns, declared, **settings), read(path, declared, **settings)
        ]  # fmt: skip
        return [
            ([(row["id"], row["at"], row["day"]) for row in rows], [n.row for n in notes.rejects])
            for rows, notes in read_both
        ]

    epoch, day = datetime(1970, 1, 1, tzinfo=UTC), date(1970, 1, 1)
    assert both(on_bad_row="quarantine") == [([(1, epoch, day)], [2, 3])] * 2
    assert (
        both(on_time_out_of_range="set_null")
        == [([(1, epoch, day), (2, None, day), (3, epoch, None)], [])] * 2
    )
    with pytest.raises(FileProblem, match=r"^row 2, column at: value 12000-01-01 .* 1 to 9999"):
        read_table(tmp_path, columns, declared)
    with pytest.raises(FileProblem, match=r"^row 2, column at: value '12000-01-01 .* 1 to 9999"):
        read(path, declared)


def test_a_far_key_stays_refused_where_far_times_are_null(tmp_path: Path) -> None:
    columns = {"Op": pa.array(["I"] * 4), "at": FAR}
    settings: dict[str, Any] = {"on_time_out_of_range": "set_null", "on_bad_row": "quarantine"}
    rows, notes = read_table(tmp_path, columns, {"at": "timestamp"}, **settings)
    assert [row["_dms_row"] for row in rows] == [1]
    assert {reject.reason for reject in notes.rejects} == {"column at: NULL in a key column"}


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_a_far_commit_time_is_refused_or_null(tmp_path: Path, zone: str) -> None:
    last = pa.array([LAST], pa.timestamp("us")).cast(pa.int64())[0].as_py()
    # In New York the last hours of 9999 are of the year 10000 in UTC.
    number = last + 1 if zone == "UTC" else last
    columns = {"Op": pa.array(["I"]), "ts": moments("us", number), "id": pa.array([1])}
    settings: dict[str, Any] = {"timestamp_column": "ts", "timestamp_timezone": zone}
    with pytest.raises(FileProblem, match=r"row 1, column ts: .* outside the years 1 to 9999"):
        read_table(tmp_path, columns, {"id": "int"}, **settings)
    rows, _ = read_table(
        tmp_path, columns, {"id": "int"}, on_time_out_of_range="set_null", **settings
    )
    assert [row["_dms_committed_at"] for row in rows] == [None]
    with pytest.raises(FileProblem, match="it is empty, but order_by is timestamp"):
        read_table(
            tmp_path, columns, {"id": "int"}, on_time_out_of_range="set_null",
            order_by="timestamp", **settings,
        )  # fmt: skip


def test_the_null_of_csv_is_not_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("I,1,infinity\n")
    rows, _ = read(path, {"id": "int", "at": "timestamp"}, csv=CsvFormat(null_value="infinity"))
    assert [row["at"] for row in rows] == [None]
