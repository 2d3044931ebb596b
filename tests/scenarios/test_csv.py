"""Tables that DMS writes as CSV: its defaults, every setting of the endpoint, and damaged files."""

import gzip
import os
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.project import Table
from tests.support.side_by_side import FailingRun, Run, Steps, scenario

LOAD = "LOAD00000001.csv"
CHANGES = "20201114-100000000.csv"


def write(table: Table, name: str, text: str | bytes, encoding: str = "utf-8") -> Path:
    path = table.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    content = text if isinstance(text, bytes) else text.encode(encoding)
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


def says(error: str, *parts: str) -> None:
    missing = [part for part in parts if part not in error]
    assert not missing, f"{missing} not in: {error}"


def refused(table: Table, files: Mapping[str, tuple[str | bytes, Sequence[str]]]) -> Steps:
    """Files that are refused, each with its name and what else is told; nothing is published."""
    for name, (text, _) in files.items():
        write(table, name, text)
    error = yield FailingRun("2020-11-14")
    lines = error.splitlines()
    for name, (_, parts) in files.items():
        says(next((line for line in lines if f"/{name}: " in line), error), name, *parts)
    says(error, table.label)
    assert table.dates() == []


# ------------------------------------------------------------------- what is read


@scenario()
def test_csv_is_read_with_the_defaults_of_dms(people: Table) -> Steps:
    write(people, LOAD, "1,Ann\n2,NULL\n3,Cy")
    write(people, CHANGES, "U,1,Anna\nD,2,NULL\nI,4,Di\nU,4,Dina\n")
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna"), (3, "Cy"), (4, "Dina")]


@pytest.mark.thorough
@scenario()
def test_an_unquoted_null_marker_is_null_and_a_quoted_one_is_text(people: Table) -> Steps:
    write(people, LOAD, '1,NULL\n2,"NULL"\n3,\n4,""\n5,null\n6,NULLS\n')
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [
        (1, None), (2, "NULL"), (3, ""), (4, ""), (5, "null"), (6, "NULLS"),
    ]  # fmt: skip


@pytest.mark.thorough
@scenario()
def test_quoted_fields_keep_quotes_delimiters_and_line_ends(people: Table) -> Steps:
    write(people, LOAD, '1,"a ""b"", c"\n2,"one\ntwo\r\n\n\nthree"\n3,a\rb\n4,"""\n"\n5,"\r"\n')
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [
        (1, 'a "b", c'), (2, "one\ntwo\r\n\n\nthree"), (3, "a\rb"), (4, '"\n'), (5, "\r"),
    ]  # fmt: skip


@pytest.mark.thorough
@scenario()
def test_rows_of_a_csv_file_keep_their_order_over_many_blocks(people: Table) -> Steps:
    rows = [f'U,{number % 700},"line\n{number}, {"x" * 90}"\n' for number in range(70_000)]
    write(people, LOAD, "".join(f"{number},loaded\n" for number in range(700)))
    write(people, CHANGES, "".join(rows))
    yield Run("2020-11-14")
    names = [f"line\n{69_300 + number}, {'x' * 90}" for number in range(700)]
    assert people.snapshot("2020-11-14") == list(enumerate(names))
    assert people.project.query(
        "select count(*), count(distinct _dms_row), max(_dms_row)"
        f" from {people.project.schema}.{people.staging_model} where not _dms_is_load"
    ) == [(70_000, 70_000, 70_000)]


@pytest.mark.thorough
@scenario()
def test_gzip_is_read_by_its_content(people: Table) -> Steps:
    write(people, f"{LOAD}.gz", "1,Ann\n")
    content = gzip.compress(b"I,2,Bo\n") + gzip.compress(b"I,3,Cy\n")
    write(people, CHANGES, content)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Ann"), (2, "Bo"), (3, "Cy")]


@pytest.mark.thorough
@scenario(timestamp_column="committed_at", change_seq_column="seq", order_by="change_seq")
def test_added_columns_are_found_by_their_places(people: Table) -> Steps:
    write(people, LOAD, "2020-11-13 06:00:00.000000,1,Ann,NULL\n")
    write(people, CHANGES, "U,2020-11-14 09:00:00.123456,1,b,0002\n"
                           "U,2020-11-14 09:00:00.123456,1,a,0001\n")  # fmt: skip
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "b")]
    assert people.staged("_dms_op, _dms_committed_at, _dms_change_seq") == [
        ("I", datetime(2020, 11, 13, 6), None),
        ("U", datetime(2020, 11, 14, 9, 0, 0, 123456), "0002"),
        ("U", datetime(2020, 11, 14, 9, 0, 0, 123456), "0001"),
    ]


@pytest.mark.thorough
@scenario(csv={"header": True})
def test_columns_are_found_by_the_header(people: Table) -> Steps:
    write(people, LOAD, 'name,"ID"\nAnn,1\n')
    write(people, CHANGES, "Op,id,NAME\nU,1,Anna\nI,2,Bo\n")
    write(people, "20201114-110000000.csv", "Op,id,name\n")
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna"), (2, "Bo")]


@pytest.mark.thorough
@scenario(csv={"columns": ["name", "note", "id"]})
def test_columns_may_stand_elsewhere_in_a_file_without_header(people: Table) -> Steps:
    people.project.declare(
        people.name, people.columns, ["id"],
        on_schema_change="ignore", csv={"columns": ["name", "note", "id"]},
    )  # fmt: skip
    write(people, LOAD, "Ann,?,1\n")
    write(people, CHANGES, "U,Anna,?,1\n")
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@pytest.mark.thorough
@scenario(csv={"delimiter": "||", "row_delimiter": r"\u001e", "null_value": ""})
def test_delimiters_may_be_anything(people: Table) -> Steps:
    write(people, LOAD, '1||a|b\n\r\u001f\u001e2||\u001e3||"c||d\u001ee""|"\u001e')
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "a|b\n\r\x1f"), (2, None), (3, 'c||d\x1ee"|')]


@pytest.mark.thorough
@scenario(csv={"delimiter": r"\t", "row_delimiter": r"\r\n", "rfc4180": False, "null_value": "\\N"})
def test_without_quoting_quotes_are_plain_characters(people: Table) -> Steps:
    write(people, LOAD, '1\t"a, b\r\n2\t\\N\r\n3\tone\ntwo "\r\n')
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, '"a, b'), (2, None), (3, 'one\ntwo "')]


@pytest.mark.thorough
@scenario(csv={"encoding": "cp1252"})
def test_text_may_be_encoded_otherwise(people: Table) -> Steps:
    write(people, LOAD, "1,€ä\n", encoding="cp1252")
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "€ä")]


@pytest.mark.thorough
@scenario()
def test_a_field_may_have_ten_megabytes(people: Table) -> Steps:
    write(people, CHANGES, f'I,1,"{"xy, " * 2_500_000}"\nI,2,Bo\n')
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "xy, " * 2_500_000), (2, "Bo")]


@scenario(columns={"id": "int", **{f"c{number}": "string" for number in range(2000)}})
def test_a_table_may_have_two_thousand_columns(wide: Table) -> Steps:
    write(wide, LOAD, "1" + ",x" * 2000 + "\n")
    write(wide, CHANGES, "U,1" + ",y" * 2000 + "\n")
    yield Run("2020-11-14")
    assert wide.snapshot("2020-11-14") == [(1, *["y"] * 2000)]


EVERY_TYPE = {
    "id": "int", "exact": "decimal(38,10)", "big": "bigint", "tiny": "tinyint", "ratio": "double",
    "share": "float", "is_open": "boolean", "due_on": "date", "seen_at": "timestamp",
    "local_at": "timestamp", "body": "binary", "starts_at": "string",
}  # fmt: skip


@scenario(columns=EVERY_TYPE)
def test_text_becomes_every_declared_type(values: Table) -> Steps:
    write(
        values,
        LOAD,
        "1,-9999999999999999999999999999.9999999999,-9223372036854775808,-128,-1.7976931348623157e308,"
        "-1.5,false,0001-01-01,0001-01-01 00:00:00,1582-10-10 00:00:00.000001,,00:00:00\n"
        "2,9999999999999999999999999999.9999999999,9223372036854775807,127,0.1,0.1,true,9999-12-31,"
        "9999-12-31 23:59:59.999999,9999-12-31 23:59:59.999999,00ffAB,838:59:59\n"
        "3,1.5,5.0000000000,1.0,NaN,Infinity,t,2020-01-01 00:00:00,2020-01-01 10:00:00.120000000,"
        "2020-01-01T10:00:00,0x01,a\n"
        "4,1E+3,7,7,1,1,0,2020-01-01,2020-01-01 10:00:00.5 +02:00,2020-01-01,00,b\n"
        "5" + ",NULL" * 11 + "\n",
    )
    yield Run("2020-11-14")
    rows = values.snapshot("2020-11-14")
    assert rows[0] == (
        1, Decimal("-9999999999999999999999999999.9999999999"), -(2**63), -128,
        -1.7976931348623157e308, -1.5, False, date(1, 1, 1), datetime(1, 1, 1),
        datetime(1582, 10, 10, 0, 0, 0, 1), b"", "00:00:00",
    )  # fmt: skip
    assert rows[1][:5] == (
        2,
        Decimal("9999999999999999999999999999.9999999999"),
        2**63 - 1,
        127,
        0.1,
    )
    assert rows[1][6:] == (
        True, date(9999, 12, 31), datetime(9999, 12, 31, 23, 59, 59, 999999),
        datetime(9999, 12, 31, 23, 59, 59, 999999), b"\x00\xff\xab", "838:59:59",
    )  # fmt: skip
    assert rows[2][:4] == (3, Decimal("1.5"), 5, 1)
    assert rows[2][4] != rows[2][4]
    assert rows[2][5:] == (
        float("inf"), True, date(2020, 1, 1), datetime(2020, 1, 1, 10, 0, 0, 120000),
        datetime(2020, 1, 1, 10), b"\x01", "a",
    )  # fmt: skip
    assert rows[3] == (
        4, Decimal(1000), 7, 7, 1.0, 1.0, False, date(2020, 1, 1),
        datetime(2020, 1, 1, 8, 0, 0, 500000), datetime(2020, 1, 1), b"\0", "b",
    )  # fmt: skip
    assert rows[4] == (5, *[None] * 11)


@scenario()
def test_csv_and_parquet_files_may_be_mixed_and_a_wrong_extension_is_seen_through(
    people: Table,
) -> Steps:
    people.write_load((1, "Ann"), name="LOAD00000001.csv")
    people.write_changes("20201114-100000000.parquet", ("U", 1, "Anna"))
    write(people, "20201114-110000000.csv", "I,2,Bo\n")
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna"), (2, "Bo")]


# ---------------------------------------------------------------- what is refused


@pytest.mark.thorough
@scenario()
def test_csv_rows_of_a_wrong_shape_are_named(people: Table) -> Steps:
    yield from refused(people, {
        "LOAD00000001.csv": ("1,Ann\n2\n3,Cy\n", ["row 2", "1 fields", "2"]),
        "LOAD00000002.csv": ('1,Ann\n2,"B\no"\n3,Cy,?\n', ["row 3", "3 fields", "3,Cy,?"]),
        "LOAD00000003.csv": ('1,"\n\n"\n\n2,Bo\n', ["row 2", "0 fields"]),
        "LOAD00000004.csv": ("I,1,Ann,?\n", ["row 1 has 4 fields", "(Op, id, name), or 2"]),
        CHANGES: ("U,1,Ann\nX,2,Bo\n", ["row 2", "Op", "'X'"]),
    })  # fmt: skip


@pytest.mark.thorough
@scenario()
def test_csv_that_is_damaged_is_named(people: Table) -> Steps:
    numbers = "".join(f"{n},{n * n}\n" for n in range(9999)).encode()
    yield from refused(people, {
        "LOAD00000001.csv": ('1,Ann\n2,"Bo\n3,Cy\n', ["behind row 1", "inside a quoted field"]),
        "LOAD00000002.csv": ('1,Ann\n2,"B"o\n', ["behind row 1", "RFC 4180", '2,"B"o']),
        "LOAD00000003.csv": (b"1,Ann\n2,B\xf6\n", ["row 2", "name", r"B\\xf6"]),
        "LOAD00000004.csv": (gzip.compress(numbers)[:-9], ["gzip", "cut short"]),
        "LOAD00000005.csv": (os.urandom(100) + b"\xff", []),
    })  # fmt: skip


@pytest.mark.thorough
@scenario(csv={"header": True})
def test_a_header_that_disagrees_is_named(people: Table) -> Steps:
    yield from refused(people, {
        "LOAD00000001.csv": ("id,nmae\n1,Ann\n", ["nmae is name", "renamed_from"]),
        "LOAD00000002.csv": ("1,Ann\n", ["key column id", "1, Ann"]),
        "LOAD00000003.csv": ("", ["0 bytes"]),
        "LOAD00000004.csv": ("id,ID\n1,2\n", ["id, ID"]),
    })  # fmt: skip


@pytest.mark.thorough
@scenario(columns={"id": "string", "name": "string"}, csv={"encoding": "ascii"})
def test_a_header_that_is_not_declared_and_a_wrong_encoding_are_named(people: Table) -> Steps:
    yield from refused(people, {
        "LOAD00000001.csv": ("ID,Name\n1,Ann\n", ["row 1 holds the names of the columns"]),
        "LOAD00000002.csv": ("1,Ann\n2,ö\n", ["row 2", "name"]),
    })  # fmt: skip


@pytest.mark.thorough
@scenario(columns={"id": "int", "at": "timestamp", "share": "double", "price": "decimal(6,2)",
                   "body": "binary"})  # fmt: skip
def test_text_that_does_not_fit_its_type_is_named(values: Table) -> Steps:
    good = "1,2020-01-01 10:00:00,1e308,1.500,ff\n"
    yield from refused(values, {
        "LOAD00000001.csv": (good + "2,2020-13-01 10:00:00,1,1,ff\n", ["row 2", "at", "2020-13"]),
        "LOAD00000002.csv": (good + "2,2020-01-01,1e309,1,ff\n", ["row 2", "share", "1e309"]),
        "LOAD00000003.csv": (good + "2,2020-01-01,1,1.505,ff\n", ["row 2", "price", "1.505"]),
        "LOAD00000004.csv": (good + "2,2020-01-01,1,1,fff\n", ["row 2", "body", "fff"]),
        "LOAD00000005.csv": (good + "0x2,2020-01-01,1,1,ff\n", ["row 2", "id", "0x2"]),
    })  # fmt: skip


@pytest.mark.thorough
@scenario()
def test_a_gzip_name_on_other_content_is_named(people: Table) -> Steps:
    path = write(people, f"{LOAD}.gz", "1,Ann\n")
    path.write_bytes(b"1,Ann\n")
    error = yield FailingRun("2020-11-14")
    says(error, people.label, path.name, "gzip")
