"""In which form a value is compared: one text per value, the same on both sides.

The form of a column follows from its declared type and from its type at the source. The SQL of the
source is in `dialects`, that of Spark in the macro ``compared_text_sql``, and what is read of DMS
files comes through `text_of`; docs/how-to/compare.md has the table.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

# What a type of a database is here; OTHER is compared as the text that the database gives.
BOOL, INT, DECIMAL, REAL, DOUBLE = "bool", "int", "decimal", "real", "double"
DATE, TIMESTAMP, TIMESTAMP_UTC = "date", "timestamp", "timestamp with time zone"
CHAR, TEXT, BINARY, BIT, UUID, OTHER = "char", "text", "binary", "bit", "uuid", "other"

TRUE_WORDS = ("true", "t", "1", "yes", "y", "on")
FALSE_WORDS = ("false", "f", "0", "no", "n", "off")
_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_DECIMAL_TYPE = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)")
# Behind declared types: of which kinds their values may come, and the form that they then have.
_FORMS: dict[str, dict[str, str]] = {
    "boolean": dict.fromkeys((BOOL, INT, BIT, CHAR, TEXT), "boolean"),
    **{name: dict.fromkeys((INT, BOOL, BIT, DECIMAL), "integer") for name in _INTEGERS},
    **{
        name: {REAL: "real", **dict.fromkeys((DOUBLE, DECIMAL, INT), "double")}
        for name in ("float", "double")
    },
    "date": dict.fromkeys((DATE, TIMESTAMP), "date"),
    **{
        name: dict.fromkeys((TIMESTAMP, TIMESTAMP_UTC, DATE), "timestamp")
        for name in ("timestamp", "timestamp_ntz")
    },
    "binary": {BINARY: "binary"},
    "string": {
        BOOL: "boolean",
        CHAR: "char",
        BINARY: "binary",
        REAL: "real",
        DOUBLE: "double",
        TIMESTAMP: "timestamp",
        TIMESTAMP_UTC: "timestamp",
        **dict.fromkeys((TEXT, INT, DECIMAL, DATE, UUID, OTHER), "text"),
    },
}


@dataclass(frozen=True)
class SourceColumn:
    """A column of the source: its name, its type as the database has it, and what that is here."""

    name: str
    type_name: str
    kind: str


@dataclass(frozen=True)
class ComparedColumn:
    """A column that both sides have.

    Attributes:
        name: as it is declared.
        data_type: as it is declared, in Spark's words.
        form: how its values are compared.
        source: the column of the source.
    """

    name: str
    data_type: str
    form: str
    source: SourceColumn

    @property
    def is_integer(self) -> bool:
        """Whether ranges of it are the same on both sides."""
        return self.form == "integer" and self.source.kind == INT

    @property
    def is_of_any_length(self) -> bool:
        """Whether its text may hold anything, also what separates it from others."""
        return self.form in ("text", "char")


def form_of(data_type: str, kind: str) -> str | None:
    """The form of a column; None if values of such a kind cannot be of the declared type."""
    declared = data_type.strip().lower()
    if decimal := _DECIMAL_TYPE.fullmatch(declared):
        is_number = kind in (INT, DECIMAL, DOUBLE, REAL)
        return f"decimal({decimal[1]},{decimal[2]})" if is_number else None
    return _FORMS.get(declared, {}).get(kind)


def scale_of(form: str) -> int | None:
    """The digits behind the point of a decimal form; None for others."""
    decimal = _DECIMAL_TYPE.fullmatch(form)
    return int(decimal[2]) if decimal else None


def text_of(form: str, value: object) -> str | None:
    """The text of a value of a staged change, as both sides of a comparison have it."""
    match value:
        case None:
            return None
        case bool():
            return "1" if value else "0"
        case datetime():
            return value.replace(tzinfo=None).isoformat(" ", "microseconds")
        case date():
            return value.isoformat()
        case bytes():
            return value.hex()
        case Decimal():
            return format(value, f".{scale_of(form) or 0}f")
    text = str(value)
    match form:
        case "char":
            return text.rstrip(" ")
        case "binary":
            return text.lower()
        case "boolean":
            word = text.strip(" ").lower()
            return "1" if word in TRUE_WORDS else "0" if word in FALSE_WORDS else text
        case "timestamp":
            return _moment_text(text)
    return text


def _moment_text(text: str) -> str | None:
    """A moment that is declared as text; NULL if it is none, as a cast of Spark has it."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return moment.isoformat(" ", "microseconds")


def canonical(form: str, text: str | None) -> str | None:
    """The one text of a value that came as text: databases print floating numbers differently."""
    if text is None or form not in ("double", "real"):
        return text
    number = float(text) + 0.0  # 0.0 and not -0.0
    if form == "real":
        number = struct.unpack("f", struct.pack("f", number))[0]
    return repr(number)
