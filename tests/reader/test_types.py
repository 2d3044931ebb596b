"""What a value of a Parquet file becomes: the same value of the declared type, or a problem."""

from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyspark_dms.discovery.found import find_tables
from pyspark_dms.discovery.shape import look_at
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading import change_files, indexed_files
from pyspark_dms.reading import columns as columns_module
from pyspark_dms.reading.columns import ValueProblem, convert, parse, parse_column
from pyspark_dms.reading.file_rows import ParquetRows
from pyspark_dms.reading.indexed_files import FileProblem, FileSpan
from tests.reader.reading import read_table

NAN = float("nan")


def converted(values: pa.Array, data_type: str) -> list[Any]:
    return convert(values, parse_column("c", data_type)).to_pylist()


@pytest.mark.parametrize(
    ("values", "data_type"),
    [
        (pa.array([datetime(2020, 1, 1)], pa.timestamp("ms")), "bigint"),
        (pa.array([datetime(2020, 1, 1)], pa.timestamp("us", "UTC")), "bigint"),
        (pa.array([date(2020, 1, 1)]), "int"),
        (pa.array([date(2020, 1, 1)], pa.date64()), "bigint"),
        (pa.array([time(10)], pa.time32("ms")), "int"),
        (pa.array([time(10)], pa.time64("us")), "bigint"),
        (pa.array([5], pa.duration("us")), "bigint"),
        (pa.array([18000], pa.int32()), "date"),
        (pa.array([18000], pa.int64()), "timestamp"),
    ],
)
def test_a_moment_does_not_become_a_number_nor_a_number_a_moment(
    values: pa.Array, data_type: str
) -> None:
    with pytest.raises(ValueProblem) as problem:
        converted(values, data_type)
    reason = f"the file has type {values.type}, which cannot become {data_type}"
    assert problem.value.reasons == {0: reason}


@pytest.mark.parametrize(
    "values",
    [pa.array([2**62], pa.timestamp("ms")), pa.array([2**30], pa.int32()).cast(pa.date32())],
)
def test_a_moment_that_has_no_text_does_not_become_one(values: pa.Array, tmp_path: Path) -> None:
    with pytest.raises(ValueProblem, match="does not fit string"):
        converted(values, "string")
    columns = {"Op": pa.array(["I"]), "id": pa.array([1]), "c": values}
    rows, notes = read_table(
        tmp_path, columns, {"id": "int", "c": "string"}, on_bad_row="quarantine"
    )
    assert rows == []
    assert [reject.row for reject in notes.rejects] == [1]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([True]),
        *(
            pa.array([0, 127], integer)
            for integer in (pa.int8(), pa.int16(), pa.int32(), pa.int64())
        ),
        pa.array([255], pa.uint8()),
        pa.array([2**16 - 1], pa.uint16()),
        pa.array([2**32 - 1], pa.uint32()),
        pa.array([2**64 - 1], pa.uint64()),
        pa.array([0.5], pa.float64()).cast(pa.float32()).cast(pa.float16()),
        pa.array([0.5], pa.float32()),
        pa.array([0.1], pa.float64()),
        pa.array([date(2020, 1, 1)], pa.date32()),
        pa.array([date(2020, 1, 1)], pa.date64()),
        pa.array([time(10)], pa.time32("ms")),
        pa.array([time(10)], pa.time64("us")),
        pa.array([datetime(2020, 1, 1)], pa.timestamp("ms")),
        pa.array([datetime(2020, 1, 1)], pa.timestamp("us", "UTC")),
        pa.array([Decimal("1.50")], pa.decimal128(5, 2)),
        pa.array(["a"]),
        pa.array(["a"], pa.large_string()),
        pa.array(["a"]).dictionary_encode(),
        pa.array([b"\0a"]),
        pa.array([b"\0a"], pa.large_binary()),
        pa.array([b"\0a"], pa.binary(2)),
    ],
    ids=lambda values: str(values.type),
)
def test_a_column_is_discovered_and_appended_as_one_type_that_takes_its_values(
    values: pa.Array, tmp_path: Path
) -> None:
    folder = tmp_path / "hr" / "people"
    folder.mkdir(parents=True)
    path = folder / "LOAD00000001.parquet"
    numbers = pa.array(range(len(values)))
    pq.write_table(pa.table({"Op": ["I"] * len(values), "id": numbers, "c": values}), path)
    (found,) = find_tables(str(tmp_path)).tables
    discovered = look_at(found).columns["c"]
    file = IndexedFile(str(path), path.stat().st_size, "load", "", 1, 1, "")
    rows = ParquetRows(FileSpan(file))
    assert rows.declarable_type("c") == discovered
    (batch,) = rows.batches(["c"])
    assert None not in converted(batch.columns["c"], discovered)


def test_a_small_decimal_as_text_has_no_exponent() -> None:
    small = pa.array([Decimal("0"), Decimal("1E-10"), None, Decimal("1.5")], pa.decimal128(38, 10))
    assert converted(small, "string") == ["0.0000000000", "0.0000000001", None, "1.5000000000"]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_a_commit_time_with_a_zone_is_taken_as_it_is(tmp_path: Path, zone: str) -> None:
    noon = pa.array([datetime(2020, 11, 14, 12)], pa.timestamp("us", "UTC"))
    columns = {"Op": pa.array(["I"]), "ts": noon, "id": pa.array([1])}
    rows, _ = read_table(
        tmp_path, columns, {"id": "int"}, timestamp_column="ts", timestamp_timezone=zone
    )
    assert rows[0]["_dms_committed_at"].isoformat() == "2020-11-14T12:00:00+00:00"


@pytest.mark.parametrize("data_type", ["string", "date", "int", "decimal(10,2)", "timestamp"])
@pytest.mark.parametrize(
    "values",
    [
        pa.array([[1], None]),
        pa.array([{"x": 1}, None]),
        pa.array([[("x", 1)], None], pa.map_(pa.string(), pa.int32())),
    ],
)
def test_a_column_of_lists_or_structs_is_refused_with_file_column_and_type(
    tmp_path: Path, values: pa.Array, data_type: str
) -> None:
    columns = {"Op": pa.array(["I", "I"]), "id": pa.array([1, 2]), "c": values}
    declared = {"id": "int", "c": data_type}
    kind = str(values.type).split("<")[0]
    reason = rf"column c: the file has type {kind}<.*>, which cannot become"
    with pytest.raises(FileProblem, match=f"row 1, {reason}"):
        read_table(tmp_path, columns, declared)
    rows, notes = read_table(tmp_path, columns, declared, on_bad_row="quarantine")
    assert [(row["id"], row["c"]) for row in rows] == [(2, None)]
    assert [reject.row for reject in notes.rejects] == [1]


def test_a_new_column_of_lists_is_not_appended_but_refused(tmp_path: Path) -> None:
    columns = {"Op": pa.array(["I"]), "id": pa.array([1]), "c": pa.array([[1]])}
    with pytest.raises(FileProblem, match=r"new column c has type list<.*>, which .*ignore"):
        read_table(tmp_path, columns, {"id": "int"}, on_schema_change="append_new_columns")


def test_how_a_moment_is_written_does_not_change_what_its_neighbours_are() -> None:
    texts = ["2020-01-01", "2020-01-01 10:00:00.120000000", "2020-01-01 10:00:00 +02:00", None]
    expected = [datetime(2020, 1, 1), datetime(2020, 1, 1, 10, 0, 0, 120_000),
                datetime(2020, 1, 1, 8), None]  # fmt: skip
    moments = convert(pa.array(texts), parse_column("c", "timestamp"))
    assert moments.cast(pa.timestamp("us")).to_pylist() == expected
    with pytest.raises(ValueProblem) as problem:
        convert(pa.array([*texts, "then"]), parse_column("c", "timestamp"), most=9)
    assert problem.value.reasons == {4: "value 'then' does not fit timestamp"}


@pytest.mark.parametrize("text", ["deadbeef", "DEADBEEF", "0xdeadbeef", r"\xdeadbeef"])
def test_binary_is_hexadecimal_as_databases_write_it(text: str) -> None:
    values = parse(pa.array([text.encode()]), parse_column("c", "binary"))
    assert values.to_pylist() == [b"\xde\xad\xbe\xef"]


@pytest.mark.parametrize("text", [" ", "ab cd", "abc", "0x\n", r"0x\xab"])
def test_what_is_not_hexadecimal_throughout_is_not_binary(text: str) -> None:
    with pytest.raises(ValueProblem, match="is not binary data in hexadecimal"):
        parse(pa.array([b"ab", text.encode()]), parse_column("c", "binary"))


def test_of_values_that_do_not_fit_the_first_ones_are_told_up_to_a_limit() -> None:
    texts = pa.array([str(n) if n % 3 else f"no {n}" for n in range(100)])
    column = parse_column("c", "int")
    for most, places in ((1, [0]), (3, [0, 3, 6]), (1000, list(range(0, 100, 3)))):
        with pytest.raises(ValueProblem) as problem:
            convert(texts, column, most)
        assert list(problem.value.reasons) == places
    assert problem.value.reasons[99] == "value 'no 99' does not fit int"


def test_more_bad_values_than_may_be_set_aside_are_told_without_trying_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_files, "MOST_REJECTS", 10)
    monkeypatch.setattr(indexed_files, "MOST_REJECTS", 10)
    count = 60_000
    columns = {"Op": pa.array(["I"] * count), "id": pa.array(["x"] * count)}
    tried: list[int] = []
    cast = columns_module._parse_integers

    def counted(values: pa.Array, target: pa.DataType) -> pa.Array:
        tried.append(len(values))
        return cast(values, target)

    monkeypatch.setattr(columns_module, "_parse_integers", counted)
    with pytest.raises(FileProblem, match=r"more than 10 of its rows .* the first is row 1"):
        read_table(tmp_path, columns, {"id": "int"}, on_bad_row="quarantine")
    assert sum(tried) < 3 * count


@pytest.mark.parametrize(
    "text", ["9" * 39, "-" + "1" * 50 + ".0", "1" * 60 + ".5", "1e-60", "1e50"]
)
@pytest.mark.parametrize(
    "data_type", ["decimal(38,0)", "decimal(38,1)", "decimal(38,18)", "bigint"]
)
def test_a_number_as_text_that_a_type_cannot_hold_never_becomes_another(
    text: str, data_type: str
) -> None:
    # Arrow would make -26596012780397245730.2… of 39 nines.
    with pytest.raises(ValueProblem, match="does not fit"):
        converted(pa.array(["1", text]), data_type)


def test_a_number_as_text_may_be_long_and_have_an_exponent() -> None:
    texts = pa.array(["0" * 40 + "7.5", "12e-1", "+1.5E2", None])
    assert converted(texts, "decimal(10,2)") == [
        Decimal("7.50"), Decimal("1.20"), Decimal("150.00"), None,
    ]  # fmt: skip


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.int64(), pa.uint64()])
def test_a_whole_number_becomes_every_decimal_that_can_hold_it(kind: pa.DataType) -> None:
    values = pa.array([123, None], kind)
    assert converted(values, "decimal(5,2)") == [Decimal("123.00"), None]
    assert converted(values, "decimal(38,35)") == [Decimal(123), None]
    with pytest.raises(ValueProblem, match=r"value 123 does not fit decimal\(4,2\)"):
        converted(values, "decimal(4,2)")


def test_what_is_no_number_stays_so_in_a_float() -> None:
    values = pa.array([NAN, 0.5, None])
    assert str(converted(values, "float")) == "[nan, 0.5, None]"
    with pytest.raises(ValueProblem, match=r"value 0\.1 does not fit float"):
        converted(pa.array([NAN, 0.1]), "float")
