"""Which columns a source table has, and how their values become what DMS writes to Parquet.

Type mapping: DMS user guide, "Source data types for MySQL" and "S3 Parquet data types".
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

import pyarrow as pa

from development.emulator.errors import EmulatorError
from development.emulator.server import Connection

Convert = Callable[[object], object]

INTEGERS = {
    # data type: (signed, unsigned)
    "tinyint": (pa.int8(), pa.uint8()),
    "smallint": (pa.int16(), pa.uint16()),
    "mediumint": (pa.int32(), pa.uint32()),
    "int": (pa.int32(), pa.uint32()),
    "bigint": (pa.int64(), pa.uint64()),
}
TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext")
BINARIES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")
OTHERS = (
    "bit(1)", "date", "datetime", "decimal", "double", "enum", "float", "set", "time",
    "timestamp", "year",
)  # fmt: skip
SUPPORTED_TYPES = (*INTEGERS, *TEXTS, *BINARIES, *OTHERS)
# The binlog holds text in the column's character set. These are decoded right; utf16 and its kin
# are big-endian in the server and would be read as little-endian.
SUPPORTED_CHARACTER_SETS = ("utf8mb4", "utf8mb3", "ascii", "latin1")
# Arrow's decimal128, and Spark's decimal, end here.
MAX_DECIMAL_PRECISION = 38
# A TIMESTAMP '0000-00-00 00:00:00' is stored as second 0, which no other TIMESTAMP may be.
ZERO_TIMESTAMP = datetime(1970, 1, 1)


class TableName(NamedTuple):
    """A table of the source: its schema (database) and its name."""

    schema: str
    table: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.table}"

    @property
    def quoted(self) -> str:
        """The name as SQL."""
        return f"{quote(self.schema)}.{quote(self.table)}"


@dataclass(frozen=True)
class Column:
    """A source column: its Parquet type, and how to read it from a query and from the binlog.

    ``from_query`` and ``from_binlog`` take a value that is not NULL; None means "as it is".
    ``is_key`` says whether it is part of the primary key.
    """

    name: str
    type: pa.DataType
    query: str
    from_query: Convert | None = None
    from_binlog: Convert | None = None
    is_key: bool = False


@dataclass(frozen=True)
class Table:
    """A source table and its columns, in file order."""

    name: TableName
    columns: tuple[Column, ...]

    @property
    def keys(self) -> tuple[Column, ...]:
        """The columns of the primary key, in file order."""
        return tuple(column for column in self.columns if column.is_key)

    def after_alter(self, columns: Sequence[Column]) -> "Table":
        """The table with these columns: those it had stay in their order, new ones come last.

        DMS adds a new column at the end even after ``add column … first`` (DMS user guide, MySQL
        source limitations).
        """
        current = {column.name: column for column in columns}
        kept = [current.pop(column.name) for column in self.columns if column.name in current]
        return Table(self.name, (*kept, *current.values()))


def quote(name: str) -> str:
    """An identifier as SQL."""
    return "`" + name.replace("`", "``") + "`"


def tables_of(connection: Connection, schema: str) -> list[TableName]:
    """The base tables of a schema, by name."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select table_name from information_schema.tables"
            " where table_schema = %s and table_type = 'BASE TABLE' order by table_name",
            (schema,),
        )
        return [TableName(schema, name) for (name,) in cursor.fetchall()]


def read_table(connection: Connection, name: TableName) -> Table | None:
    """The table as it is now, or None if there is none of that name.

    Raises ``EmulatorError`` for a table or a column that the DMS emulator cannot copy.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "select table_type, engine from information_schema.tables"
            " where table_schema = %s and table_name = %s",
            name,
        )
        found = cursor.fetchone()
        if found is None:
            return None
        if found != ("BASE TABLE", "InnoDB"):
            raise EmulatorError(
                f"Table {name} is a {found[0]} of engine {found[1]}; allowed: a base table of "
                "engine InnoDB, for a consistent copy. Alter it or leave it out."
            )
        cursor.execute(
            "select column_name, data_type, column_type, numeric_precision, numeric_scale,"
            " datetime_precision, character_maximum_length, character_set_name, extra,"
            " column_key"
            " from information_schema.columns"
            " where table_schema = %s and table_name = %s order by ordinal_position",
            name,
        )
        declared = [_Declared(*row) for row in cursor.fetchall()]
        return Table(
            name,
            tuple(replace(_column(name, each), is_key=each.key == "PRI") for each in declared),
        )


class _Declared(NamedTuple):
    """A row of information_schema.columns."""

    name: str
    data_type: str
    column_type: str
    numeric_precision: int | None
    numeric_scale: int | None
    datetime_precision: int | None
    length: int | None
    character_set: str | None
    extra: str
    key: str


def _column(table: TableName, declared: _Declared) -> Column:
    name, data_type = declared.name, declared.data_type.lower()
    query = quote(name)
    if "VIRTUAL GENERATED" in declared.extra.upper():
        raise _refused(table, declared, "a virtual column is not in the binlog")
    if declared.character_set not in (None, *SUPPORTED_CHARACTER_SETS):
        raise _refused(
            table,
            declared,
            f"allowed character sets: {', '.join(SUPPORTED_CHARACTER_SETS)}; "
            "convert the column to utf8mb4",
        )
    if data_type in INTEGERS:
        unsigned = "unsigned" in declared.column_type
        return Column(name, INTEGERS[data_type][unsigned], query)
    if data_type in TEXTS:
        return Column(name, pa.string(), query)
    if data_type in BINARIES:
        # The binlog drops the zero bytes that pad a BINARY(n).
        padded = int(declared.length or 0) if data_type == "binary" else 0
        return Column(name, pa.binary(), query, from_binlog=lambda v: _binary(v, padded))
    match data_type:
        case "bit" if declared.numeric_precision == 1:
            return Column(name, pa.bool_(), f"{query} + 0", bool, lambda v: v == "1")
        case "date":
            return Column(name, pa.date32(), query, _zero_date_is_null)
        case "datetime":
            return Column(name, pa.timestamp("us"), query, _zero_date_is_null)
        case "timestamp":
            return Column(
                name,
                pa.timestamp("us"),
                query,
                _zero_date_is_null,
                lambda v: None if v == ZERO_TIMESTAMP else v,
            )
        case "decimal":
            precision, scale = (
                int(declared.numeric_precision or 0),
                int(declared.numeric_scale or 0),
            )
            if precision > MAX_DECIMAL_PRECISION:
                raise _refused(table, declared, f"at most {MAX_DECIMAL_PRECISION} digits")
            return Column(name, pa.decimal128(precision, scale), query)
        case "double":
            return Column(name, pa.float64(), query)
        case "float":
            # DMS maps FLOAT to a double. The server prints a FLOAT with six digits only; as a
            # double it prints every digit, and the load agrees with the binlog.
            return Column(name, pa.float64(), f"{query} + 0e0")
        case "enum" | "set" if declared.character_set == "latin1":
            raise _refused(table, declared, "latin1 labels are not decoded; convert it to utf8mb4")
        case "enum":
            return Column(name, pa.string(), query)
        case "set":
            labels = _labels(declared.column_type)
            return Column(name, pa.string(), query, from_binlog=lambda v: _set_text(v, labels))
        case "time":
            digits = int(declared.datetime_precision or 0)
            return Column(
                name,
                pa.string(),
                f"cast({query} as char)",
                from_binlog=lambda v: _time_text(v, digits, f"{table}.{name}"),
            )
        case "year":
            # The binlog counts years from 1900, and the year 0000 is stored as none of them.
            return Column(name, pa.int16(), query, from_binlog=lambda v: 0 if v == 1900 else v)
        case _:
            raise _refused(table, declared, f"allowed: {', '.join(SUPPORTED_TYPES)}")


def _refused(table: TableName, declared: _Declared, reason: str) -> EmulatorError:
    character_set = f" {declared.character_set}" if declared.character_set else ""
    return EmulatorError(
        f"Table {table}, column {declared.name}: {declared.column_type}{character_set} cannot be "
        f"copied; {reason}."
    )


def binlog_value(column: Column, values: Mapping[str, object], empty_sets: Sequence[str]) -> object:
    """The value of one column of a binlog row, ready for Parquet.

    ``empty_sets`` names the SET columns of the row which are empty and not NULL.
    """
    value = values[column.name]
    if value is None:
        return "" if column.name in empty_sets else None
    return column.from_binlog(value) if column.from_binlog else value


def _zero_date_is_null(value: object) -> object:
    # PyMySQL hands over as text what is no date, for instance 0000-00-00. DMS writes null.
    return None if isinstance(value, str) else value


def _binary(value: object, padded: int) -> bytes:
    # mysql-replication gives an empty binary value as text.
    content = value if isinstance(value, bytes) else str(value).encode()
    return content.ljust(padded, b"\0")


def _labels(column_type: str) -> list[str]:
    quoted = re.findall(r"'((?:[^']|'')*)'", column_type)
    return [label.replace("''", "'") for label in quoted]


def _set_text(value: object, labels: Sequence[str]) -> str:
    assert isinstance(value, set)
    return ",".join(label for label in labels if label in value)


def _time_text(value: object, digits: int, column: str) -> str:
    assert isinstance(value, timedelta)
    if value < timedelta() and value.microseconds:
        raise EmulatorError(
            f"Column {column}: a negative TIME with a fraction of a second cannot be read from the "
            "binlog by mysql-replication. Use TIME(0) or leave the table out."
        )
    sign = "-" if value < timedelta() else ""
    minutes, seconds = divmod(abs(value) // timedelta(seconds=1), 60)
    fraction = f".{value.microseconds:06d}"[: digits + 1] if digits else ""
    return f"{sign}{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}{fraction}"
