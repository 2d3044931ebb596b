"""Rows of a source table as canonical text, so that any engine's snapshot compares exactly.

The expected files hold one line per row: a CSV in which NULL is ``\\N`` and in which a backslash,
a newline or a carriage return inside a value is escaped with a backslash. So the text ``\\N``
(written ``\\\\N``), the text ``NULL``, the empty string and NULL are four different things.
"""

import csv
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

from pymysql.constants import FIELD_TYPE

CanonicalRow: TypeAlias = tuple[str | None, ...]

NULL = r"\N"
ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}
UNESCAPES = {escaped[1]: plain for plain, escaped in ESCAPES.items()}


def canonical(value: object) -> str | None:
    """The one text of a value; None stays None.

    Decimals keep their scale, datetimes always have microseconds, floats are the shortest text
    that reads back as the same double, bytes are hex. Raises ``TypeError`` for any other type.
    """
    match value:
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return str(value)
        case Decimal():
            return format(value, "f")
        case float():
            return repr(value)
        case datetime():
            return value.replace(tzinfo=None).isoformat(" ", timespec="microseconds")
        case date():
            return value.isoformat()
        case bytes() | bytearray():
            return value.hex()
    raise TypeError(f"no canonical text for {value!r} of type {type(value).__name__}")


def canonical_rows(rows: Iterable[Sequence[object]]) -> list[CanonicalRow]:
    """The rows as canonical text, sorted; NULL sorts before every text."""
    return sort_rows(tuple(canonical(value) for value in row) for row in rows)


def sort_rows(rows: Iterable[CanonicalRow]) -> list[CanonicalRow]:
    """The rows in their canonical order."""
    return sorted(rows, key=lambda row: [(value is not None, value or "") for value in row])


def fetch_rows(connection: Any, schema: str, table: str) -> list[CanonicalRow]:
    """``select *`` of a MariaDB table through a PyMySQL connection in UTC, canonical and sorted.

    Not for FLOAT and TIME columns: MariaDB prints too few digits of the one, and PyMySQL reads
    the other as a duration.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"select * from `{schema}`.`{table}`")
        # PyMySQL reads BIT as bytes; the DMS emulator and Spark have booleans.
        bits = {
            index for index, column in enumerate(cursor.description) if column[1] == FIELD_TYPE.BIT
        }
        return canonical_rows(
            [
                any(value) if index in bits and value is not None else value
                for index, value in enumerate(row)
            ]
            for row in cursor.fetchall()
        )


def fetch_columns(connection: Any, schema: str, table: str) -> list[str]:
    """The column names of a MariaDB table, in ``select *`` order."""
    with connection.cursor() as cursor:
        cursor.execute(f"select * from `{schema}`.`{table}` limit 0")
        return [column[0] for column in cursor.description]


def write_expected(path: Path, columns: Sequence[str], rows: Iterable[CanonicalRow]) -> None:
    """Write canonical rows as an expected file, with a header line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_escaped(value) for value in row] for row in rows)


def read_expected(path: Path) -> list[CanonicalRow]:
    """The canonical rows of an expected file, without its header line."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        next(reader)
        return [tuple(_unescaped(value) for value in row) for row in reader]


def _escaped(value: str | None) -> str:
    if value is None:
        return NULL
    return "".join(ESCAPES.get(character, character) for character in value)


def _unescaped(value: str) -> str | None:
    if value == NULL:
        return None
    characters = iter(value)
    return "".join(
        UNESCAPES[next(characters)] if character == "\\" else character for character in characters
    )
