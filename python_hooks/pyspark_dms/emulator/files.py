"""The files of a DMS S3 target: their names, their columns and their bytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

import obstore
import pyarrow as pa
import pyarrow.parquet as pq
from obstore.exceptions import AlreadyExistsError
from obstore.store import LocalStore, ObjectStore, from_url

from pyspark_dms.emulator.errors import EmulatorError
from pyspark_dms.emulator.settings import S3Settings
from pyspark_dms.emulator.tables import Table, TableName

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
    """A file that was written: its path under the target's root, and how many rows it holds."""

    table: TableName
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


def file_schema(table: Table, has_op: bool, settings: S3Settings) -> pa.Schema:
    """The columns of a file: ``Op``, the timestamp column, then those of the table.

    Raises ``EmulatorError`` if the table has a column of one of the added names.
    """
    fields = [pa.field(OP_COLUMN, pa.string())] if has_op else []
    if settings.timestamp_column_name:
        fields.append(pa.field(settings.timestamp_column_name, pa.string()))
    own = {column.name.lower(): column.name for column in table.columns}
    for field in fields:
        if field.name.lower() in own:
            raise EmulatorError(
                f"Table {table.name} has a column {own[field.name.lower()]}, which is the name of "
                f"a column that DMS adds ({field.name}). Rename it or set another "
                "timestamp_column_name."
            )
    for column in table.columns:
        data_type = column.type
        if pa.types.is_timestamp(data_type) and settings.parquet_timestamp_in_millisecond:
            data_type = pa.timestamp("ms")
        fields.append(pa.field(column.name, data_type))
    return pa.schema(fields)


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

    def close(self) -> pa.Buffer:
        """End the file and return its bytes."""
        self._writer.close()
        return self._sink.getvalue()


class TableFolder:
    """The folder ``<schema>/<table>/`` of one table, and the names of its files."""

    def __init__(self, store: ObjectStore, table: TableName, settings: S3Settings) -> None:
        self.table = table
        self._store = store
        self._settings = settings
        self._loads = 0
        self._last_written = datetime.min

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

    def write_load(self, file: ParquetFile) -> WrittenFile:
        """Write the next full load file; its counter is hexadecimal."""
        self._loads += 1
        path = f"{self.prefix}LOAD{self._loads:08X}.parquet"
        obstore.put(self._store, path, _content(file), mode="create")
        return WrittenFile(self.table, "load", path, file.rows)

    def write_changes(self, file: ParquetFile, folder: str, written_at: datetime) -> WrittenFile:
        """Write a change file named after the time of writing.

        Two files of a table never have the same name: the later one is moved on by milliseconds.
        """
        content = _content(file)
        written_at = max(written_at, self._last_written + ONE_MILLISECOND)
        while True:
            path = f"{self.prefix}{folder}{_change_file_name(written_at)}.parquet"
            try:
                obstore.put(self._store, path, content, mode="create")
            except AlreadyExistsError:
                written_at += ONE_MILLISECOND
            else:
                self._last_written = written_at
                return WrittenFile(self.table, "changes", path, file.rows)

    def date_folder(self, committed_at: datetime) -> str:
        """The date folder of a commit time, with its closing slash, or nothing."""
        if not self._settings.date_partition_enabled:
            return ""
        delimiter = DATE_DELIMITERS[self._settings.date_partition_delimiter]
        parts = DATE_PARTS[self._settings.date_partition_sequence]
        return committed_at.strftime(delimiter.join(parts)) + "/"


def _content(file: ParquetFile) -> bytes:
    content: bytes = file.close().to_pybytes()
    return content


def _change_file_name(written_at: datetime) -> str:
    return f"{written_at:%Y%m%d-%H%M%S}{written_at.microsecond // 1000:03d}"
