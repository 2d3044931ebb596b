"""The rows of one DMS file as it has them, numbered: the one place that knows file formats."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pyspark_dms import stores
from pyspark_dms.landing.file_names import is_transactions
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.landing.strays import format_of
from pyspark_dms.reading.batches import read_batches
from pyspark_dms.reading.columns import convert, parse, sql_type
from pyspark_dms.reading.csv_files import BadLine, CsvProblem, CsvReader
from pyspark_dms.reading.indexed_files import SHAPE, Cause, FileProblem, FileSpan, ReadSettings

PARQUET_MAGIC = b"PAR1"
_RAW_OPS = pa.array([b"I", b"U", b"D", b"i", b"u", b"d"])
_RAW_INSERTS = pa.array([b"I", b"i"])
# What a file with the changes of all tables says behind the operation.
TRANSACTION_FIELDS = ("(table)", "(schema)")


@contextmanager
def as_indexed() -> Iterator[None]:
    """What is opened or read of an indexed file here must be as it was indexed.

    Raises:
        FileProblem: it is gone, was written again since it was indexed, or is not given.
    """
    try:
        yield
    except stores.ChangedObject:
        raise FileProblem(
            "the file was written again after it was indexed. Run dbt run again, which looks for "
            "new files and takes it as it is then; dbt retry does not. If that does not help, the "
            "new upload is one that was rolled back: take it after all (dbt run-operation reapply "
            "or rollback_to), or put the upload that was taken, or a corrected one, in its place"
        ) from None
    except FileNotFoundError:
        raise FileProblem(
            "the file is in the index but no longer there; put it or a corrected one back under "
            "its name, or reload the table in DMS if it is lost"
        ) from None
    except stores.RefusedObject as refused:
        raise FileProblem(f"{refused.answer}. {_way_to_read(refused)}") from None


def _way_to_read(refused: stores.RefusedObject) -> str:
    """What to do where a store refuses an object that it lists."""
    if "InvalidObjectState" in refused.answer:
        return "It is in an archive (S3 Glacier): restore it, and run dbt run again"
    if "Denied" in refused.answer or "Forbidden" in refused.answer:
        let = "et the role that Spark runs in read it (s3:GetObject, and kms:Decrypt for its key)"
        if refused.may_be_gone:
            return (
                "Look whether it is still there: without s3:ListBucket, S3 says the same of a file "
                f"that is gone. If it is, l{let}, and run dbt run again"
            )
        return f"L{let}, and run dbt run again"
    return "Run dbt run again; if that does not help, look at the store"


def open_file(file: IndexedFile) -> Any:
    """Open an indexed file, to be read within `as_indexed`.

    Raises:
        FileProblem: it is gone, was written again since it was indexed, or has no content.
    """
    if file.size == 0:
        raise FileProblem(
            "the file is empty (0 bytes), and DMS writes no such file: what it held is lost. Put "
            "it back as DMS wrote it, or reload the table in DMS"
        )
    with as_indexed():
        return stores.open_for_reading(file.path, file.size, _etag(file))


def _etag(file: IndexedFile) -> str:
    # Without what tells uploads apart.
    return file.etag.partition("#")[0]


def open_parquet(file: IndexedFile, **options: Any) -> pq.ParquetFile:
    """Open a DMS file as Parquet.

    Args:
        file: the file.
        options: more of `pyarrow.parquet.ParquetFile`.

    Raises:
        FileProblem: it is gone, was written again since it was indexed, or is not Parquet.
    """
    opened = open_file(file)
    try:
        with as_indexed():
            # Nanoseconds, the default for INT96, end in the year 2262.
            return pq.ParquetFile(opened, coerce_int96_timestamp_unit="us", **options)
    except FileProblem:
        raise
    except Exception as problem:
        raise FileProblem(f"it cannot be read as Parquet: {problem}", Cause("format")) from problem


@dataclass
class RowBatch:
    """Rows of a file as they were read.

    Attributes:
        rows: their numbers, from 1.
        columns: the columns that are wanted, by name.
        bad_lines: rows between them that are none.
    """

    rows: pa.Array
    columns: dict[str, pa.Array]
    bad_lines: list[BadLine] = field(default_factory=list)

    def without(self, offsets: Collection[int]) -> RowBatch:
        """The batch less the rows at some places."""
        keep = pa.array([offset not in offsets for offset in range(len(self.rows))], pa.bool_())
        columns = {name: values.filter(keep) for name, values in self.columns.items()}
        return RowBatch(self.rows.filter(keep), columns)

    def text(self, offset: int, names: Collection[str]) -> str | None:
        """The value of a row in the first of some columns, as text."""
        return next((_shown(self.columns[name][offset]) for name in names), None)

    def content(self, offset: int) -> str:
        """A row as JSON."""
        row = {name: _shown(values[offset]) for name, values in self.columns.items()}
        return json.dumps(row, ensure_ascii=False)


def _shown(value: pa.Scalar) -> str | None:
    """A value as text; bytes that are none are shown by their numbers."""
    if not value.is_valid:
        return None
    if pa.types.is_binary(value.type) or pa.types.is_string(value.type):
        return value.cast(pa.binary()).as_py().decode("utf-8", "backslashreplace")
    try:
        return str(value)
    except (OverflowError, ValueError):  # Python has no such moment
        return value.cast(pa.string()).as_py()


class ParquetRows:
    """The rows of a span of a Parquet file."""

    to_type = staticmethod(convert)

    def __init__(self, span: FileSpan) -> None:
        self._span = span
        self._parquet = open_parquet(span.file)
        self.names: list[str] = self._parquet.schema_arrow.names

    def declarable_type(self, name: str) -> str:
        """The type of a column that is to be appended.

        Raises:
            FileProblem: it has a type that no declared column can have.
        """
        arrow_type = self._parquet.schema_arrow.field(name).type
        if pa.types.is_nested(arrow_type):
            raise FileProblem(
                f"its new column {name} has type {arrow_type}, which no declared type can hold. "
                "Take it out of the DMS task, or set on_schema_change: ignore to leave it out"
            )
        return sql_type(arrow_type)

    def batches(self, wanted: list[str]) -> Iterator[RowBatch]:
        row = self._span.first_row
        groups = self._span.row_groups
        if groups is None:
            groups = list(range(self._parquet.num_row_groups))
        metadata = [self._parquet.metadata.row_group(group) for group in groups]
        promised = sum(group.num_rows for group in metadata)
        try:
            reopen = partial(open_parquet, self._span.file)
            for batch in read_batches(self._parquet, groups, wanted, reopen):
                rows = pa.arange(row + 1, row + batch.num_rows + 1)
                yield RowBatch(rows, dict(zip(batch.schema.names, batch.columns, strict=True)))
                row += batch.num_rows
        except FileNotFoundError:
            raise  # as_indexed says what that means
        except (pa.ArrowException, OSError, ValueError) as problem:
            raise FileProblem(f"it cannot be read behind row {row}: {problem}") from problem
        if row - self._span.first_row != promised:
            raise FileProblem(
                f"its footer promises {promised} rows, but {row - self._span.first_row} are there"
            )


class CsvRows:
    """The rows of a CSV file."""

    to_type = staticmethod(parse)

    def __init__(self, file: IndexedFile, settings: ReadSettings) -> None:
        try:
            self._reader = CsvReader(
                open_file(file),
                settings.csv,
                is_gzip=file.path.endswith(".gz"),
                only=settings.transaction_table if is_transactions(file.path) else None,
            )
        except CsvProblem as problem:
            raise FileProblem(f"it cannot be read as CSV: {problem}", SHAPE) from problem
        self.names = self._names(file, settings)

    def _names(self, file: IndexedFile, settings: ReadSettings) -> list[str]:
        first_row = self._reader.first_row
        if self._reader.only:
            return self._transaction_names(settings)
        if settings.csv.header:
            if not first_row:
                raise FileProblem("it has no header row, though csv.header is true", SHAPE)
            return ["" if name is None else name for name in first_row]
        return self._placed_names(file, settings) if first_row else _positions(settings)

    def _placed_names(self, file: IndexedFile, settings: ReadSettings) -> list[str]:
        """The columns of a file without a header: how many fields it has tells whether Op is one.

        A table that has lost a column with Op looks as one without Op, and one that has got a
        column without Op as one with it; what the first field of its rows says tells these apart.
        """
        names, row = _positions(settings), self._reader.first_row
        known_names = {name.lower() for name in names}
        # A header may lack a column, or have another one.
        if 2 * sum(str(text).lower() in known_names for text in row) > len(row):
            raise FileProblem("row 1 holds the names of the columns", Cause("header"))
        may_lack_op = file.kind == "load" or not settings.captures_deletes
        known = _RAW_INSERTS if file.kind == "load" else _RAW_OPS
        is_op = pc.is_in(self._reader.first_column(), value_set=known)
        if len(row) == len(names) and (not may_lack_op or pc.any(is_op).as_py()):
            return names
        if len(row) == len(names) - 1 and may_lack_op and not pc.all(is_op).as_py():
            return names[1:]
        expected = f"{len(names)} ({', '.join(names)})"
        if may_lack_op:
            allowed = "I" if file.kind == "load" else "I, U or D"
            expected = f"{len(names)} that begin with {allowed} ({', '.join(names)}), or "
            expected += f"{len(names) - 1} that do not ({', '.join(names[1:])})"
        raise FileProblem(
            f"row {self._reader.first_row_number} has {len(row)} fields, the first of them "
            f"{'NULL' if row[0] is None else repr(row[0][:80])}, but there must be {expected}",
            Cause("fields"),
        )

    def _transaction_names(self, settings: ReadSettings) -> list[str]:
        operation, *others = _positions(settings)
        names = [operation, *TRANSACTION_FIELDS, *others]
        count = len(self._reader.first_row)
        if count not in (0, len(names)):
            raise FileProblem(
                f"its first row of the table has {count} fields, but there must be {len(names)} "
                f"({', '.join(names)}). Correct the declaration: its columns must be in the order "
                "of the source"
            )
        return names

    def declarable_type(self, name: str) -> str:
        return "string"

    def batches(self, wanted: list[str]) -> Iterator[RowBatch]:
        places = {name: self.names.index(name) for name in wanted}
        try:
            for block in self._reader.blocks():
                columns = {name: block.fields[n] for name, n in places.items()}
                yield RowBatch(block.rows, columns, block.bad_lines)
        except CsvProblem as problem:
            raise FileProblem(f"it cannot be read as CSV, {problem}", SHAPE) from problem


def _positions(settings: ReadSettings) -> list[str]:
    """The columns of a CSV file without a header, in the order in which DMS writes them."""
    names = [settings.op_column]
    if settings.timestamp_column:
        names.append(settings.timestamp_column)
    if settings.csv.columns is not None:
        return [*names, *settings.csv.columns]
    names += [column.name for column in settings.file_columns]
    # What mapping rules add comes last.
    if settings.change_seq_column:
        names.append(settings.change_seq_column)
    if settings.before_image_prefix:
        names += [settings.before_image_prefix + key for key in settings.file_keys]
    return names


def is_parquet(file: IndexedFile, settings: ReadSettings) -> bool:
    """Whether a file is to be read as Parquet: as declared, else by its name.

    Raises:
        FileProblem: it is gone.
    """
    if is_transactions(file.path):
        return False
    if settings.format != "auto":
        return settings.format == "parquet"
    if format_of(file.path) == "parquet":
        return True
    if file.size < len(PARQUET_MAGIC):
        return False
    # A Parquet file under the name of another format is one all the same.
    with as_indexed():
        return stores.first_bytes(file.path, len(PARQUET_MAGIC), _etag(file)) == PARQUET_MAGIC
