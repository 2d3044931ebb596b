"""Every type: equal values are equal on both sides, and a change of any of them is found."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.compare.conftest import Compare
from tests.compare.databases import Database, make_table
from tests.support.project import Project


@dataclass(frozen=True)
class Case:
    """A type: as declared, at the source, and pairs of SQL there and the value in the lake."""

    declared: str
    source: str
    values: tuple[tuple[str, Any], ...]


def moment(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]


DOUBLES = (
    # Neighbours below a power of two.
    "0.9999999999999999",
    "0.9999999999999998",
    "-1.9999999999999998",
    "0.1",
    "-0.5",
    "1",
    "8",
    "3e-310",
    "5e-324",
    "1.7976931348623157e308",
    "-123456789.123456789",
    "9007199254740993",
    "1e23",
    "0.3333333333333333",
    "2e-3",
    "0",
)
TEXTS = (
    "plain",
    "",
    " both ",
    'it\'s "q" \\N',
    "a|b~3:x",
    "line\nbreak\ttab",
    "日本 😀 é",
    "0",
    "NULL",
)
SHARED: dict[str, Case] = {
    "small": Case("smallint", "smallint", (("-32768", -32768), ("7", 7))),
    "whole": Case("int", "int", (("-2147483648", -2147483648), ("0", 0))),
    "large": Case("bigint", "bigint", (("-9223372036854775808", -(2**63)), ("5", 5))),
    "whole_of_decimal": Case("int", "decimal(10,2)", (("5", 5), ("-3", -3))),
    "price": Case(
        "decimal(10,2)", "decimal(10,2)", (("-0.05", Decimal("-0.05")), ("10", Decimal("10.00")))
    ),
    "exact": Case(
        "decimal(38,10)",
        "decimal(38,10)",
        (
            (
                "-1234567890123456789012345678.0000000001",
                Decimal("-1234567890123456789012345678.0000000001"),
            ),
            ("0.0000000001", Decimal("0.0000000001")),
            ("-0.0000009999", Decimal("-0.0000009999")),
            ("0", Decimal("0.0000000000")),
        ),
    ),
    # All digits behind the point.
    "finest": Case(
        "decimal(38,38)",
        "decimal(38,38)",
        (
            # Beside a whole number Spark has 37 of them, and this is 0.
            ("-0." + "0" * 37 + "4", Decimal("-0." + "0" * 37 + "4")),
            ("0." + "1234567890" * 3 + "12345678", Decimal("0." + "1234567890" * 3 + "12345678")),
            ("0", Decimal("0E-38")),
        ),
    ),
    "huge": Case("decimal(20,0)", "decimal(20,0)", (("18446744073709551615", Decimal(2**64 - 1)),)),
    "number": Case("double", "double precision", tuple((text, float(text)) for text in DOUBLES)),
    "single": Case(
        "float", "real", (("0.1", 0.10000000149011612), ("16777217", 16777216.0), ("-2", -2.0))
    ),
    # As the emulator of DMS writes it, and MySQL's own DMS files.
    "single_as_double": Case("double", "real", (("0.1", 0.10000000149011612), ("3", 3.0))),
    "day": Case(
        "date", "date", (("'0001-01-01'", date(1, 1, 1)), ("'9999-12-31'", date(9999, 12, 31)))
    ),
    "padded": Case("string", "char(6)", (("'ab'", "ab"), ("'ab'", "ab    "), ("''", ""))),
    "name": Case("string", "varchar(60)", ()),
    "number_as_text": Case("string", "decimal(8,3)", (("1.5", "1.500"),)),
    "day_as_text": Case("string", "date", (("'2020-02-29'", "2020-02-29"),)),
    "maybe": Case("boolean", "boolean", (("true", True), ("false", False))),
    # As DMS writes it without MapBooleanAsBoolean.
    "flag": Case("string", "boolean", ()),
}
MARIADB: dict[str, Case] = SHARED | {
    "tiny": Case("tinyint", "tinyint", (("-128", -128),)),
    "single": Case("float", "float", SHARED["single"].values),
    "single_as_double": Case("double", "float", SHARED["single_as_double"].values),
    "one_bit": Case("boolean", "bit(1)", (("b'1'", True), ("b'0'", False))),
    "born": Case("smallint", "year", (("2020", 2020),)),
    "unsigned_whole": Case("bigint", "int unsigned", (("4294967295", 4294967295),)),
    "latin": Case("string", "varchar(10) character set latin1", (("'café €'", "café €"),)),
    "local_moment": Case(
        "timestamp",
        "datetime(6)",
        (
            ("'9999-12-31 23:59:59.999999'", moment(9999, 12, 31, 23, 59, 59, 999999)),
            ("'2020-01-02 03:04:05'", moment(2020, 1, 2, 3, 4, 5)),
            # DMS writes NULL for a date of zeros.
            ("'0000-00-00'", None),
        ),
    ),
    "zero_day": Case("date", "date", (("'0000-00-00'", None),)),
    "millisecond": Case(
        "timestamp",
        "datetime(3)",
        (("'2020-01-02 03:04:05.678'", moment(2020, 1, 2, 3, 4, 5, 678000)),),
    ),
    "stamp": Case(
        "timestamp",
        "timestamp(6) null",
        (("'2020-06-01 10:00:00.000001'", moment(2020, 6, 1, 10, 0, 0, 1)),),
    ),
    "moment_as_text": Case(
        "string", "datetime(6)", (("'2020-01-02 03:04:05.678'", "2020-01-02 03:04:05.678000"),)
    ),
    "clock": Case("string", "time", (("'-101:02:03'", "-101:02:03"),)),
    "document": Case("string", "json", (("'{\"a\": 1}'", '{"a": 1}'),)),
    "kind": Case("string", "enum('a', 'ü')", (("'ü'", "ü"),)),
    "content": Case("binary", "varbinary(8)", (("x'00ff'", b"\0\xff"), ("x''", b""))),
    "fixed": Case("binary", "binary(4)", (("x'0a00'", b"\n\0\0\0"),)),
    # As DMS writes it in CSV.
    "content_as_text": Case("string", "blob", (("x'00ff'", "00ff"), ("x'0A'", "0A"))),
}
POSTGRESQL: dict[str, Case] = SHARED | {
    "number": Case(
        "double",
        "double precision",
        (
            *SHARED["number"].values,
            ("'NaN'", float("nan")),
            ("'-Infinity'", float("-inf")),
            ("'-0'", 0.0),
        ),
    ),
    "any_number": Case("decimal(28,6)", "numeric", (("1.5", Decimal("1.500000")),)),
    "local_moment": Case(
        "timestamp",
        "timestamp",
        (
            ("'9999-12-31 23:59:59.999999'", moment(9999, 12, 31, 23, 59, 59, 999999)),
            ("'0001-01-01 00:00:00'", moment(1, 1, 1)),
        ),
    ),
    "zoned": Case(
        "timestamp",
        "timestamptz",
        (("'2020-06-01 12:00:00.000001+02'", moment(2020, 6, 1, 10, 0, 0, 1)),),
    ),
    "unzoned": Case(
        "timestamp",
        "timestamp(3)",
        (("'2020-01-02 03:04:05.678'", moment(2020, 1, 2, 3, 4, 5, 678000)),),
    ),
    "identity": Case(
        "string",
        "uuid",
        (("'6ECD8C99-4036-403D-BF84-CF8400F67836'", "6ecd8c99-4036-403d-bf84-cf8400f67836"),),
    ),
    "document": Case("string", "jsonb", (("'{\"a\":1}'", '{"a": 1}'),)),
    "clock": Case("string", "time", (("'01:02:03.5'", "01:02:03.5"),)),
    "content": Case("binary", "bytea", (("'\\x00ff'", b"\0\xff"), ("''", b""))),
    "number_for_truth": Case("boolean", "int", (("1", True), ("0", False))),
}
CASES = {"mariadb": MARIADB, "postgresql": POSTGRESQL}


def values_of(database: Database, name: str, case: Case) -> tuple[tuple[str, Any], ...]:
    if name == "name":
        return tuple((database.text(text), text) for text in TEXTS)
    if name == "flag":
        words = ("1", "0") if database.name == "mariadb" else ("true", "false")
        return (("true", words[0]), ("false", words[1]))
    return case.values


@pytest.fixture(scope="module")
def types(database: Database, project: Project) -> list[str]:
    """A row of each value, one of NULLs, and for each column a row that has one in it alone."""
    cases = {name: values_of(database, name, case) for name, case in CASES[database.name].items()}
    most = max(map(len, cases.values()))
    there: list[list[str]] = []
    here: list[tuple[Any, ...]] = []

    def add(values: dict[str, tuple[str, Any]]) -> None:
        row = [values.get(name, ("null", None)) for name in cases]
        there.append([str(len(there) + 1), *(sql for sql, _ in row)])
        here.append((len(here) + 1, *(value for _, value in row)))

    for number in range(most):
        add({name: values[number % len(values)] for name, values in cases.items()})
    add({})
    for name, values in cases.items():
        add({name: values[0]})
    declared = {name: case.declared for name, case in CASES[database.name].items()}
    source = {name: case.source for name, case in CASES[database.name].items()}
    table = project.declare("types", {"id": "int", **declared}, ["id"])
    table.write_load(*here)
    make_table(database, "hr", "types", {"id": "int", **source}, ["id"], there)
    assert project.run("2020-11-13").ok
    return list(cases)


def test_a_value_of_any_type_equals_what_dms_has_made_of_it(
    types: list[str], compare: Compare
) -> None:
    result = compare("hr.types")
    assert (result.exit_code, result.table["state"]) == (0, "equal"), result.output
    assert result.table["rows_here"] == result.table["rows_there"] > len(types)
    # By their checksums: no row had to be read.
    assert result.table["queries_of_source"] == 3


def test_a_change_of_a_value_of_any_type_is_found(
    types: list[str], database: Database, compare: Compare
) -> None:
    before = CASES[database.name]
    first = max(len(values_of(database, name, case)) for name, case in before.items()) + 2
    changed = {}
    for number, name in enumerate(types):
        values = values_of(database, name, before[name])
        others = [sql for sql, value in values if value != values[0][1] and sql != values[0][0]]
        if values[0][1] is None:
            continue  # a date of zeros is NULL, and another one is what other columns show
        changed[name] = others[0] if others and name != "padded" else "null"
        database.execute(
            f"update hr.types set {name} = {changed[name]} where id = {first + number}"
        )
    result = compare("hr.types")
    assert result.exit_code == 1
    assert result.table["columns_different"] == dict.fromkeys(changed, 1)
    assert result.table["different"] == len(changed)
