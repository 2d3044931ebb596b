"""The files of a DMS S3 target: their names, their columns and their bytes."""

import gzip
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Literal

import obstore
import pyarrow as pa
import pyarrow.parquet as pq
from obstore.exceptions import AlreadyExistsError
from obstore.store import LocalStore, ObjectStore, from_url

from development.emulator.errors import EmulatorError
from development.emulator.settings import S3Settings
from development.emulator.tables import Table, TableName

OP_COLUMN = "Op"
# The format version only chooses the column types; from 2.4 on, unsigned int is among them.
PARQUET_FORMAT = "2.6"
DATA_PAGE_VERSIONS = {"parquet-1-0": "1.0", "parquet-2-0": "2.0"}
DATE_PARTS = {
    "YYYYMMDD": ("%Y", "%m", "%d"),
    "YYYYMMDDHH": ("%Y", "%m", "%d", "%H"),
    "YYYYMM": ("%Y", "%m"),
    "MMYYYYDD": ("%m", "%Y", "%d"),
    "DDMMYYYY": ("%d", "%m", "%Y"),
}
DATE_DELIMITERS = {"SLASH": "/", "DASH": "-", "UNDERSCORE": "_", "NONE": ""}
ONE_MILLISECOND = timedelta(milliseconds=1)

Row = tuple[object, ...]


@dataclass(frozen=True)
class WrittenFile:
    """A file that was written: its path under the target's root, and how many rows it holds.

    ``table`` is None for a file with the changes of all tables.
    """

    table: TableName | None
    kind: Literal["load", "changes"]
    path: str
    rows: int


def open_store(target: str | Path | ObjectStore) -> ObjectStore:
    """The store of a target root: a local path (made if missing), a URL such as s3://…, a store.

    The credentials of a URL come from the environment, as obstore reads them.
    """
    if not isinstance(target, str | Path):
        return target
    if isinstance(target, str) and "://" in target:
        if target.startswith("file://"):
            return from_url(target, mkdir=True)
        return from_url(target)
    return LocalStore(prefix=Path(target).resolve(), mkdir=True)


def file_schema(
    table: Table, has_op: bool, settings: S3Settings, before_image_prefix: str = ""
) -> pa.Schema:
    """The columns of a file: ``Op``, the timestamp column, those of the table, before images.

    Raises ``EmulatorError`` if the table has a column of one of the added names.
    """
    fields = [pa.field(OP_COLUMN, pa.string())] if has_op else []
    if settings.timestamp_column_name:
        fields.append(pa.field(settings.timestamp_column_name, pa.string()))
    own = {column.name.lower(): column.name for column in table.columns}
    before = [
        pa.field(before_image_prefix + column.name, column.type)
        for column in table.keys
        if before_image_prefix
    ]
    for field in [*fields, *before]:
        if field.name.lower() in own:
            raise EmulatorError(
                f"Table {table.name} has a column {own[field.name.lower()]}, which is the name of "
                f"a column that DMS adds ({field.name}). Rename it or set another "
                "timestamp_column_name or before_image_prefix."
            )
    for column in table.columns:
        data_type = column.type
        if pa.types.is_timestamp(data_type) and settings.parquet_timestamp_in_millisecond:
            data_type = pa.timestamp("ms")
        fields.append(pa.field(column.name, data_type))
    return pa.schema([*fields, *before])


def timestamp_text(moment: datetime) -> str:
    """A value of the timestamp column: ``yyyy-MM-dd HH:mm:ss.SSSSSS``."""
    return moment.isoformat(" ", timespec="microseconds")


class ParquetFile:
    """A Parquet file built in memory, row group by row group."""

    def __init__(self, schema: pa.Schema, settings: S3Settings) -> None:
        self.rows = 0
        self._schema = schema
        self._group_length = settings.row_group_length
        self._sink = pa.BufferOutputStream()
        self._writer = pq.ParquetWriter(
            self._sink,
            schema,
            version=PARQUET_FORMAT,
            data_page_version=DATA_PAGE_VERSIONS[settings.parquet_version],
            compression=settings.compression_type,
        )

    def write(self, rows: Sequence[Row]) -> None:
        """Add rows, whose values are in the order and of the types of the schema."""
        columns = zip(*rows, strict=True)
        arrays = [
            pa.array(values, field.type)
            for values, field in zip(columns, self._schema, strict=True)
        ]
        batch = pa.Table.from_arrays(arrays, schema=self._schema)
        self._writer.write_table(batch, row_group_size=self._group_length)
        self.rows += len(rows)

    def close(self) -> bytes:
        """End the file and return its bytes."""
        self._writer.close()
        content: bytes = self._sink.getvalue().to_pybytes()
        return content


class CsvFile:
    """A CSV file built in memory; ``names`` are those of its columns."""

    def __init__(self, names: Sequence[str], settings: S3Settings) -> None:
        self.rows = 0
        self._settings = settings
        self._lines: list[str] = []
        if settings.add_column_name:
            self._add(names)

    def write(self, rows: Sequence[Row]) -> None:
        """Add rows, whose values are in the order of the columns."""
        for row in rows:
            self._add(row)
        self.rows += len(rows)

    def close(self) -> bytes:
        """End the file and return its bytes."""
        content = "".join(self._lines).encode()
        return gzip.compress(content) if self._settings.compression_type == "gzip" else content

    def _add(self, row: Sequence[object]) -> None:
        line = self._settings.csv_delimiter.join(map(self._field, row))
        self._lines.append(line + self._settings.csv_row_delimiter)

    def _field(self, value: object) -> str:
        settings = self._settings
        if value is None:
            return settings.csv_null_value
        text = csv_text(value)
        special = ('"', "\n", "\r", settings.csv_delimiter, settings.csv_row_delimiter)
        if settings.rfc4180 and (
            # In quotes it is text, though it reads as NULL.
            text == settings.csv_null_value or any(part in text for part in special)
        ):
            return '"' + text.replace('"', '""') + '"'
        return text


def csv_text(value: object) -> str:
    """A value as CSV has it: moments as in the timestamp column, binary in hexadecimal."""
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            return timestamp_text(value)
        case date():
            return value.isoformat()
        case bytes():
            return value.hex()
        case Decimal():
            return format(value, "f")
        case float():
            return repr(value)
    return str(value)


def new_file(schema: pa.Schema, settings: S3Settings) -> ParquetFile | CsvFile:
    """An empty file of the format of the settings."""
    if settings.data_format == "csv":
        return CsvFile(schema.names, settings)
    return ParquetFile(schema, settings)


class TimedFiles:
    """Writes files named after the time of writing.

    Two files never have the same name: the later one is moved on by milliseconds.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._last_written = datetime.min

    def write(
        self, content: bytes, written_at: datetime, path_at: Callable[[datetime], str]
    ) -> str:
        """Write a file, and return its path; ``path_at`` makes one of a time."""
        written_at = max(written_at, self._last_written + ONE_MILLISECOND)
        while True:
            path = path_at(written_at)
            try:
                obstore.put(self._store, path, content, mode="create")
            except AlreadyExistsError:
                written_at += ONE_MILLISECOND
            else:
                self._last_written = written_at
                return path


class TransactionFolder:
    """The folder of the files with the changes of all tables (``CdcPath``)."""

    def __init__(self, store: ObjectStore, settings: S3Settings) -> None:
        self._files = TimedFiles(store)
        self._settings = settings

    def write_changes(self, rows: Sequence[Row], written_at: datetime) -> WrittenFile:
        """Write a file of rows, each with operation, table and schema in front."""
        file = CsvFile((), self._settings)
        file.write(rows)

        def path_at(moment: datetime) -> str:
            name = f"CDC_TXN-{moment:%Y%m%d%H%M%S}{moment.microsecond // 1000:03d}"
            return f"{self._settings.cdc_path.strip('/')}/{name}{self._settings.csv_extension}"

        path = self._files.write(file.close(), written_at, path_at)
        return WrittenFile(None, "changes", path, file.rows)


class TableFolder:
    """The folder ``<schema>/<table>/`` of one table, and the names of its files."""

    def __init__(self, store: ObjectStore, table: TableName, settings: S3Settings) -> None:
        self.table = table
        self._store = store
        self._settings = settings
        self._loads = 0
        self._timed = TimedFiles(store)

    @property
    def prefix(self) -> str:
        return f"{self.table.schema}/{self.table.table}/"

    def paths(self) -> list[str]:
        """All files of the folder, sorted."""
        listed = obstore.list(self._store, prefix=self.prefix)
        return sorted(entry["path"] for batch in listed for entry in batch)

    def clear(self) -> None:
        """Remove all files, as DMS does when it drops or truncates the target table."""
        paths = self.paths()
        if paths:
            obstore.delete(self._store, paths)
        self._loads = 0

    def write_load(self, file: ParquetFile | CsvFile) -> WrittenFile:
        """Write the next full load file; its counter is hexadecimal."""
        self._loads += 1
        path = f"{self.prefix}LOAD{self._loads:08X}{self._settings.extension}"
        obstore.put(self._store, path, file.close(), mode="create")
        return WrittenFile(self.table, "load", path, file.rows)

    def write_changes(
        self, file: ParquetFile | CsvFile, folder: str, written_at: datetime
    ) -> WrittenFile:
        """Write a change file named after the time of writing."""

        def path_at(moment: datetime) -> str:
            return f"{self.prefix}{folder}{_change_file_name(moment)}{self._settings.extension}"

        path = self._timed.write(file.close(), written_at, path_at)
        return WrittenFile(self.table, "changes", path, file.rows)

    def date_folder(self, committed_at: datetime) -> str:
        """The date folder of a commit time, with its closing slash, or nothing."""
        if not self._settings.date_partition_enabled:
            return ""
        delimiter = DATE_DELIMITERS[self._settings.date_partition_delimiter]
        parts = DATE_PARTS[self._settings.date_partition_sequence]
        return committed_at.strftime(delimiter.join(parts)) + "/"


def _change_file_name(written_at: datetime) -> str:
    return f"{written_at:%Y%m%d-%H%M%S}{written_at.microsecond // 1000:03d}"
