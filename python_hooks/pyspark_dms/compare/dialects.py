"""The SQL of each database: values as text in their form, and checksums of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pyspark_dms.compare.forms import (
    BIT,
    BOOL,
    CHAR,
    FALSE_WORDS,
    INT,
    TIMESTAMP_UTC,
    TRUE_WORDS,
    UUID,
    ComparedColumn,
    scale_of,
)
from pyspark_dms.compare.forms import TEXT as TEXT_KIND

# How a text tells NULL from every value, and what stands between the values of a row.
NULL_MARK = "~"
SEPARATOR = "|"
_TRUE, _FALSE = (", ".join(f"'{word}'" for word in words) for words in (TRUE_WORDS, FALSE_WORDS))


class Dialect(Protocol):
    """How one database says what is asked of all."""

    def quoted(self, name: str) -> str:
        """A name of a table or column."""
        ...

    def text(self, column: ComparedColumn) -> str:
        """The value of a column in its form, to be summed up; NULL stays NULL."""
        ...

    def shown(self, column: ComparedColumn) -> str:
        """The value of a column as text that Python can read."""
        ...

    def joined(self, parts: Sequence[str]) -> str:
        """Texts one behind the other; NULL if one of them is."""
        ...

    def length(self, text: str) -> str:
        """How many characters a text has."""
        ...

    def hash(self, text: str) -> str:
        """The MD5 of a text in UTF-8, as 32 hexadecimal digits."""
        ...

    def number(self, digest: str) -> str:
        """The first 15 hexadecimal digits as a number."""
        ...

    def group(self, value: str, start: int, width: int) -> str:
        """The number of the group of a whole number."""
        ...

    def as_text(self, value: str) -> str:
        """A number as text."""
        ...


def row_text(dialect: Dialect, columns: Sequence[ComparedColumn]) -> str:
    """The text of some columns of a row: equal rows, and no others, have the same.

    Texts have their length before them, so that no value can look like two.
    """
    parts: list[str] = []
    for column in columns:
        text = dialect.text(column)
        if column.is_of_any_length:
            text = dialect.joined([dialect.length(text), "':'", text])
        parts += [f"coalesce({text}, '{NULL_MARK}')", f"'{SEPARATOR}'"]
    return dialect.joined([*parts[:-1], "''"])


def _double_text(value: str, floor: str, whole: str) -> str:
    """A floating number as its 53 bits and its exponent, by exact steps only.

    Databases print such numbers differently, and round differently. A division by a power of two
    is exact. The small number keeps the border of the exponent away from round values, where two
    logarithms may differ in the last bit. So just below such a value the exponent is one too large:
    54 bits are taken, that none is lost.
    """
    logarithm = floor.format(f"ln(abs({value})) / 0.6931471805599453 + 1e-9")
    exponent = f"least(greatest({logarithm}, -1022), 1023)"
    digits = whole.format(f"floor({value} / power(2, {exponent}) * 9007199254740992)")
    return f"concat({digits}, 'e', {whole.format(exponent)})"


@dataclass(frozen=True)
class MySql:
    """MySQL and MariaDB."""

    def quoted(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def text(self, column: ComparedColumn) -> str:
        value = self.quoted(column.source.name)
        if column.form in ("double", "real"):
            exact = _double_text(f"({value} + 0e0)", "floor({})", "cast({} as signed)")
            return f"case when {value} = 0 then '0' else {exact} end"
        return self._plain(column, value)

    def shown(self, column: ComparedColumn) -> str:
        value = self.quoted(column.source.name)
        if column.form in ("double", "real"):
            # A FLOAT is printed with too few digits.
            return f"cast({value} + 0e0 as char)"
        return self._plain(column, value)

    def _plain(self, column: ComparedColumn, value: str) -> str:
        text = f"cast({value} as char character set utf8mb4)"
        match column.form:
            case "integer" if column.source.kind == BIT:
                return f"cast({value} + 0 as char)"
            case "integer" if column.source.kind != INT:
                return f"cast(cast({value} as decimal(65,0)) as char)"
            case "char":
                return f"trim(trailing ' ' from {text})"
            case "date":
                return _without_zero(value, f"date_format({value}, '%Y-%m-%d')")
            case "timestamp":
                moment = f"date_format({value}, '%Y-%m-%d %H:%i:%s.%f')"
                return _without_zero(value, moment)
            case "binary":
                return f"lower(hex({value}))"
            case "boolean" if column.source.kind in (INT, BIT):
                return f"case when {value} + 0 <> 0 then '1' when {value} is not null then '0' end"
            case "boolean":
                return _boolean_text(text)
        scale = scale_of(column.form)
        return text if scale is None else f"cast(cast({value} as decimal(65,{scale})) as char)"

    def joined(self, parts: Sequence[str]) -> str:
        return f"concat({', '.join(parts)})"

    def length(self, text: str) -> str:
        return f"char_length({text})"

    def hash(self, text: str) -> str:
        return f"md5({text})"

    def number(self, digest: str) -> str:
        return f"cast(conv(left({digest}, 15), 16, 10) as unsigned)"

    def group(self, value: str, start: int, width: int) -> str:
        return f"(cast({value} as signed) - ({start})) div {width}"

    def as_text(self, value: str) -> str:
        return f"cast({value} as char)"


@dataclass(frozen=True)
class Postgres:
    """PostgreSQL from version 12 on, whose floating numbers are printed exactly."""

    def quoted(self, name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    def text(self, column: ComparedColumn) -> str:
        value = f"{self.quoted(column.source.name)}::float8"
        if column.form in ("double", "real"):
            exact = _double_text(value, "floor({})", "cast({} as bigint)")
            return (
                f"case when {value} in ('NaN', 'Infinity', '-Infinity') then {value}::text"
                f" when {value} = 0 then '0' when {value} is not null then {exact} end"
            )
        return self._plain(column)

    def shown(self, column: ComparedColumn) -> str:
        if column.form in ("double", "real"):
            return f"{self.quoted(column.source.name)}::float8::text"
        return self._plain(column)

    def _plain(self, column: ComparedColumn) -> str:
        value = self.quoted(column.source.name)
        match column.form:
            case "integer" if column.source.kind == BOOL:
                return f"{value}::int::text"
            case "integer" if column.source.kind != INT:
                return f"{value}::numeric(38,0)::text"
            case "char":
                return f"rtrim({value}::text, ' ')"
            case "date":
                return f"to_char({value}, 'YYYY-MM-DD')"
            case "timestamp":
                moment = f"{value} at time zone 'UTC'"
                value = moment if column.source.kind == TIMESTAMP_UTC else value
                return f"to_char({value}, 'YYYY-MM-DD HH24:MI:SS.US')"
            case "binary":
                return f"encode({value}, 'hex')"
            case "boolean" if column.source.kind in (INT, BIT):
                return f"case when {value}::int <> 0 then '1' when {value} is not null then '0' end"
            case "boolean":
                return _boolean_text(f"{value}::text")
        scale = scale_of(column.form)
        return f"{value}::text" if scale is None else f"round({value}::numeric, {scale})::text"

    def joined(self, parts: Sequence[str]) -> str:
        # Not concat: it takes NULL for an empty text, and no more than 100 parts.
        return f"({' || '.join(parts)})"

    def length(self, text: str) -> str:
        return f"length({text})::text"

    def hash(self, text: str) -> str:
        return f"md5(convert_to({text}, 'UTF8'))"

    def number(self, digest: str) -> str:
        return f"('x' || left({digest}, 15))::bit(60)::bigint"

    def group(self, value: str, start: int, width: int) -> str:
        return f"({value}::bigint - ({start})) / {width}"

    def as_text(self, value: str) -> str:
        return f"({value})::text"


def _boolean_text(text: str) -> str:
    return (
        f"case when lower(trim({text})) in ({_TRUE}) then '1'"
        f" when lower(trim({text})) in ({_FALSE}) then '0' else {text} end"
    )


def _without_zero(value: str, text: str) -> str:
    """MySQL has dates of zeros, for which DMS writes NULL."""
    return f"case when year({value}) > 0 then {text} end"


def can_be_looked_up(column: ComparedColumn) -> bool:
    """Whether the source finds rows by a value of this key column that is given as text."""
    # A text that is compared without its blanks may have some there.
    has_blanks = column.source.kind == TEXT_KIND and column.form == "char"
    return column.source.kind in (INT, TEXT_KIND, CHAR, UUID) and not has_blanks
