"""NULL is NULL, whatever type the file has for it and whatever type is declared."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyspark_dms.reading.columns import ValueProblem, convert, parse_column
from pyspark_dms.reading.indexed_files import FileProblem
from tests.reader.reading import read, read_table

TARGETS = [
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "date", "timestamp",
    "timestamp_ntz", "string", "binary", "decimal(5,2)", "decimal(38,10)",
]  # fmt: skip
MOMENT = datetime(2020, 1, 1, 10)
SOURCES: list[tuple[pa.DataType, Any]] = [
    (pa.null(), None),
    (pa.bool_(), True),
    *((kind, 1) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())),
    *((kind, 1) for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())),
    *((kind, 0.5) for kind in (pa.float16(), pa.float32(), pa.float64())),
    (pa.decimal128(5, 2), Decimal("1.50")),
    (pa.decimal256(50, 2), Decimal("1.50")),
    (pa.date32(), date(2020, 1, 1)),
    (pa.date64(), date(2020, 1, 1)),
    *((pa.time32(unit), time(10)) for unit in ("s", "ms")),
    *((pa.time64(unit), time(10)) for unit in ("us", "ns")),
    *((pa.timestamp(unit), MOMENT) for unit in ("s", "ms", "us", "ns")),
    (pa.timestamp("us", "UTC"), MOMENT),
    (pa.duration("us"), timedelta(1)),
    (pa.string(), "x"),
    (pa.large_string(), "x"),
    (pa.string_view(), "x"),
    (pa.binary(), b"\xff"),
    (pa.large_binary(), b"\xff"),
    (pa.binary_view(), b"\xff"),
    (pa.binary(2), b"\xff\xff"),
    (pa.dictionary(pa.int8(), pa.string()), "x"),
    (pa.list_(pa.int32()), [1]),
    (pa.struct([("x", pa.int32())]), {"x": 1}),
    (pa.map_(pa.string(), pa.int32()), [("x", 1)]),
]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_column_without_a_value_is_null_of_the_declared_type(target: str, count: int) -> None:
    column = parse_column("c", target)
    null = pa.nulls(count, column.arrow_type)
    others = [s for s, _ in SOURCES if not convert(pa.nulls(count, s), column).equals(null)]
    assert others == []


def refused(values: pa.Array, target: str, most: int) -> list[int] | None:
    """The places that are refused; None if all is taken, and NULL where it was."""
    column = parse_column("c", target)
    try:
        taken = convert(values, column, most)
    except ValueProblem as problem:
        return list(problem.reasons)
    is_right = taken.type == column.arrow_type and taken.is_null().equals(values.is_null())
    return None if is_right else []


@pytest.mark.parametrize("target", TARGETS)
def test_where_a_column_is_refused_the_rows_with_a_value_are_and_no_others(target: str) -> None:
    for source, value in SOURCES:
        values = pa.array([None, None, value, None, value], source)
        found = refused(values, target, 9), refused(values, target, 1)
        assert found in [([2, 4], [2]), (None, None)], source


def test_null_in_a_dictionary_is_null() -> None:
    values = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array([None], pa.string()))
    for target in TARGETS:
        column = parse_column("c", target)
        assert convert(values, column).equals(pa.nulls(2, column.arrow_type))


def test_a_refused_column_names_its_first_row_with_a_value(tmp_path: Path) -> None:
    columns = {
        "Op": pa.array(["I"] * 3),
        "id": pa.array([1, 2, 3]),
        "at": pa.array([None, 5, None], pa.int32()),
    }
    declared = {"id": "int", "at": "timestamp"}
    with pytest.raises(FileProblem, match=r"^row 2, column at: the file has type int32"):
        read_table(tmp_path, columns, declared)
    rows, notes = read_table(tmp_path, columns, declared, on_bad_row="quarantine")
    assert [(row["id"], row["at"]) for row in rows] == [(1, None), (3, None)]
    assert [reject.row for reject in notes.rejects] == [2]


def test_a_change_sequence_of_numbers_without_a_value_is_none(tmp_path: Path) -> None:
    columns = {"id": pa.array([1]), "seq": pa.nulls(1, pa.int64())}
    rows, _ = read_table(tmp_path, columns, {"id": "int"}, kind="load", change_seq_column="seq")
    assert [row["_dms_change_seq"] for row in rows] == [None]
    columns["seq"] = pa.array([7])
    with pytest.raises(FileProblem, match="the sequence is ordered as text"):
        read_table(tmp_path, columns, {"id": "int"}, kind="load", change_seq_column="seq")


def test_a_later_part_of_a_file_may_have_the_first_value(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    at = pa.array([None, None, None, 5], pa.int32())
    pq.write_table(pa.table({"id": [1, 2, 3, 4], "at": at}), path, row_group_size=2)
    with pytest.raises(FileProblem, match=r"^row 4, column at"):
        read(path, {"id": "int", "at": "date"}, "load")
