"""Reads one DMS file as typed changes, batch by batch, in the order of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pyspark_dms import stores
from pyspark_dms.columns import Column, ValueProblem, convert, parse, parse_column
from pyspark_dms.csv_files import CsvFormat, CsvProblem, CsvReader

# What one worker holds in memory at a time.
BATCH_ROWS = 65_536
_BATCH_BYTES = 64 * 1024 * 1024
_PARQUET_MAGIC = b"PAR1"
_OPS = pa.array(["I", "U", "D"])
_OP = parse_column("_dms_op", "string")
_COMMITTED_AT = parse_column("_dms_committed_at", "timestamp")
_CHANGE_SEQ = parse_column("_dms_change_seq", "string")

# The columns that staging adds behind the declared ones.
CHANGE_FIELDS: list[tuple[str, pa.DataType]] = [
    ("_dms_op", pa.string()),
    ("_dms_committed_at", _COMMITTED_AT.arrow_type),
    ("_dms_change_seq", _CHANGE_SEQ.arrow_type),
    ("_dms_generation", pa.int32()),
    ("_dms_is_load", pa.bool_()),
    ("_dms_file_seq", pa.int64()),
    ("_dms_row", pa.int64()),
]


class FileProblem(Exception):
    """Why a file cannot be taken; the text names the row, the column and the value if it can."""


@dataclass(frozen=True)
class IndexedFile:
    """One file as the index knows it.

    Attributes:
        path: where it is.
        size: its bytes.
        kind: ``load`` or ``cdc``.
        etag: the entity tag of its content.
        generation: the full load it belongs to, from 1.
        file_seq: its place among the files of its generation.
        indexed_at: when the index first saw it, as text.
    """

    path: str
    size: int
    kind: str
    etag: str
    generation: int
    file_seq: int
    indexed_at: str


@dataclass(frozen=True)
class ReadSettings:
    """How the files of one table are to be read: the part of its declaration that Python needs."""

    columns: tuple[Column, ...]
    primary_keys: tuple[str, ...]
    op_column: str
    timestamp_column: str | None = None
    change_seq_column: str | None = None
    captures_deletes: bool = True
    on_schema_change: str = "fail"
    format: str = "auto"
    csv: CsvFormat = field(default_factory=CsvFormat)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of staged changes: declared columns, then `CHANGE_FIELDS`."""
        declared = [(column.name, column.arrow_type) for column in self.columns]
        return pa.schema(declared + CHANGE_FIELDS)


@dataclass
class FileSpan:
    """A file, or the row groups of a large one, to read in one go.

    Attributes:
        file: the file.
        row_groups: the row groups to read; None for all.
        first_row: number of rows in the file before the first of these.
    """

    file: IndexedFile
    row_groups: list[int] | None = None
    first_row: int = 0


@dataclass
class _Layout:
    """Where each wanted column stands in the file, and what the file has under that name."""

    declared: list[str | None]
    op: str | None
    committed_at: str | None
    change_seq: str | None
    wanted: list[str] = field(default_factory=list)


def open_file(file: IndexedFile) -> Any:
    """Open an indexed file.

    Raises:
        FileProblem: it is gone, or was written again since it was indexed.
    """
    try:
        return stores.open_for_reading(file.path, file.size, file.etag)
    except stores.ChangedObject:
        raise FileProblem(
            "the file was written again after this run had indexed it; the next run takes it as "
            "it is then"
        ) from None
    except FileNotFoundError:
        raise FileProblem(
            "the file is in the index but no longer there; put it back, "
            "or reload the table in DMS if it is lost"
        ) from None


def open_parquet(file: IndexedFile) -> pq.ParquetFile:
    """Open a DMS file as Parquet.

    Raises:
        FileProblem: it is gone, or not Parquet.
    """
    if file.size == 0:
        raise FileProblem("the file is empty (0 bytes), so it is not a Parquet file")
    opened = open_file(file)
    try:
        # Nanoseconds, the default for INT96, end in the year 2262.
        return pq.ParquetFile(opened, coerce_int96_timestamp_unit="us")
    except Exception as problem:
        raise FileProblem(f"it cannot be read as Parquet: {problem}") from problem


@dataclass
class _Batch:
    """Rows of a file as they were read: their numbers from 1, and the columns by name."""

    rows: pa.Array
    columns: dict[str, pa.Array]


class _ParquetRows:
    """The rows of a span of a Parquet file."""

    to_type = staticmethod(convert)

    def __init__(self, span: FileSpan) -> None:
        self._span = span
        self._parquet = open_parquet(span.file)
        self.names: list[str] = self._parquet.schema_arrow.names

    def batches(self, wanted: list[str]) -> Iterator[_Batch]:
        row = self._span.first_row
        groups = self._span.row_groups
        if groups is None:
            groups = list(range(self._parquet.num_row_groups))
        metadata = [self._parquet.metadata.row_group(group) for group in groups]
        promised = sum(group.num_rows for group in metadata)
        bytes_per_row = max((g.total_byte_size // max(g.num_rows, 1) for g in metadata), default=0)
        try:
            for batch in self._parquet.iter_batches(
                batch_size=max(1, min(BATCH_ROWS, _BATCH_BYTES // max(bytes_per_row, 1))),
                row_groups=groups,
                columns=wanted,
            ):
                rows = pa.array(range(row + 1, row + batch.num_rows + 1), pa.int64())
                yield _Batch(rows, dict(zip(batch.schema.names, batch.columns, strict=True)))
                row += batch.num_rows
        except (pa.ArrowException, OSError) as problem:
            raise FileProblem(f"it cannot be read behind row {row}: {problem}") from problem
        if row - self._span.first_row != promised:
            raise FileProblem(
                f"its footer promises {promised} rows, but {row - self._span.first_row} are there"
            )


class _CsvRows:
    """The rows of a CSV file."""

    to_type = staticmethod(parse)

    def __init__(self, file: IndexedFile, settings: ReadSettings) -> None:
        try:
            self._reader = CsvReader(open_file(file), settings.csv, file.path.endswith(".gz"))
        except CsvProblem as problem:
            raise FileProblem(f"it cannot be read as CSV: {problem}") from problem
        self.names = self._names(file, settings)

    def _names(self, file: IndexedFile, settings: ReadSettings) -> list[str]:
        first_row = self._reader.first_row
        if settings.csv.header:
            if not first_row:
                raise FileProblem("it has no header row, though csv.header is true")
            return ["" if name is None else name for name in first_row]
        names = _positions(settings)
        if not first_row or len(first_row) == len(names):
            pass
        elif len(first_row) == len(names) - 1:
            names = names[1:]
        else:
            raise FileProblem(
                f"row 1 has {len(first_row)} fields, but there must be {len(names)} "
                f"({', '.join(names)}), or one less without {settings.op_column}. Correct the "
                "declaration: its columns must be in the order of the source"
            )
        if [str(text).lower() for text in first_row] == [name.lower() for name in names]:
            raise FileProblem("row 1 holds the names of the columns: set csv.header to true")
        return names

    def batches(self, wanted: list[str]) -> Iterator[_Batch]:
        places = {name: self.names.index(name) for name in wanted}
        try:
            for block in self._reader.blocks():
                if block.bad_lines:
                    line = block.bad_lines[0]
                    raise FileProblem(f"row {line.row}: {line.reason}: {line.text[:80]}")
                yield _Batch(block.rows, {name: block.fields[n] for name, n in places.items()})
        except CsvProblem as problem:
            raise FileProblem(f"it cannot be read as CSV, {problem}") from problem


def _positions(settings: ReadSettings) -> list[str]:
    """The columns of a CSV file without a header, in the order in which DMS writes them."""
    names = [settings.op_column]
    if settings.timestamp_column:
        names.append(settings.timestamp_column)
    if settings.csv.columns is not None:
        return [*names, *settings.csv.columns]
    names += [column.name for column in settings.columns]
    # What a mapping rule adds comes last.
    return [*names, *([settings.change_seq_column] if settings.change_seq_column else [])]


def is_parquet(file: IndexedFile, settings: ReadSettings) -> bool:
    """Whether a file is to be read as Parquet: as declared, else by its name.

    Raises:
        FileProblem: it is gone.
    """
    if settings.format != "auto":
        return settings.format == "parquet"
    return ".parquet" in file.path.rsplit("/", 1)[-1].lower() or (
        # A Parquet file under the name of another format is one all the same.
        file.size > 0 and open_file(file).read(4) == _PARQUET_MAGIC
    )


def read_changes(span: FileSpan, settings: ReadSettings) -> Iterator[pa.RecordBatch]:
    """Read a span of a file as batches of ``settings.schema``, a bounded part of it at a time.

    Raises:
        FileProblem: the file or one of its values cannot be taken.
    """
    source = (
        _ParquetRows(span) if is_parquet(span.file, settings) else _CsvRows(span.file, settings)
    )
    layout = _lay_out(source.names, span.file, settings)
    for batch in source.batches(layout.wanted):
        yield _to_changes(batch, layout, span.file, settings, source.to_type)


def _lay_out(names: Sequence[str], file: IndexedFile, settings: ReadSettings) -> _Layout:
    """Match the file's column names, in any case, to what is declared."""
    by_lower = {name.lower(): name for name in names}
    if len(by_lower) < len(names):
        raise FileProblem(f"two of its columns differ only in case: {', '.join(names)}")

    def find(name: str | None) -> str | None:
        return by_lower.get(name.lower()) if name else None

    layout = _Layout(
        declared=[find(column.name) for column in settings.columns],
        op=find(settings.op_column),
        committed_at=find(settings.timestamp_column),
        change_seq=find(settings.change_seq_column),
    )
    found = [*layout.declared, layout.op, layout.committed_at, layout.change_seq]
    layout.wanted = [name for name in names if name in found]
    _check_columns(names, layout, settings)
    _check_op(layout, file, settings)
    return layout


def _check_columns(names: Sequence[str], layout: _Layout, settings: ReadSettings) -> None:
    absent = [
        column.name
        for column, name in zip(settings.columns, layout.declared, strict=True)
        if name is None
    ]
    keys = [name for name in absent if name in settings.primary_keys]
    if keys:
        raise FileProblem(f"it has no key column {', '.join(keys)}; it has: {', '.join(names)}")
    for setting, wanted, name in (
        ("timestamp_column", settings.timestamp_column, layout.committed_at),
        ("change_seq_column", settings.change_seq_column, layout.change_seq),
    ):
        if wanted and name is None:
            raise FileProblem(
                f"it has no column {wanted}, which is declared as {setting}; "
                f"it has: {', '.join(names)}"
            )
    if settings.on_schema_change != "fail":
        return
    if absent:
        raise FileProblem(
            f"it has no column {', '.join(absent)}; it has: {', '.join(names)}. Correct the "
            "declaration, or set on_schema_change: ignore to read what is absent as NULL"
        )
    undeclared = [name for name in names if name not in layout.wanted]
    if undeclared:
        raise FileProblem(
            f"it has a column that is not declared: {', '.join(undeclared)}. Declare it (or name "
            "it as timestamp_column, change_seq_column or op_column if DMS added it), or set "
            "on_schema_change: ignore to leave it out"
        )


def _check_op(layout: _Layout, file: IndexedFile, settings: ReadSettings) -> None:
    # DMS leaves Op out of full loads by default, and out of change files of insert-only tasks.
    if layout.op is None and file.kind != "load" and settings.captures_deletes:
        raise FileProblem(
            f"it has no column {settings.op_column}, so its changes cannot be told apart. Name "
            "the column in op_column, or set captures_deletes: false if the DMS task writes "
            "inserts only"
        )


def _to_changes(
    batch: _Batch,
    layout: _Layout,
    file: IndexedFile,
    settings: ReadSettings,
    to_type: Callable[[pa.Array, Column], pa.Array],
) -> pa.RecordBatch:
    count = len(batch.rows)

    def typed(name: str | None, column: Column) -> pa.Array:
        if name is None:
            return pa.nulls(count, column.arrow_type)
        try:
            return to_type(batch.columns[name], column)
        except ValueProblem as problem:
            row = batch.rows[problem.offset]
            raise FileProblem(f"row {row}, column {name}: {problem.reason}") from None

    declared = [
        typed(name, column) for name, column in zip(layout.declared, settings.columns, strict=True)
    ]
    added = [
        _checked(typed(layout.op, _OP), batch.rows, layout.op, file),
        typed(layout.committed_at, _COMMITTED_AT),
        typed(layout.change_seq, _CHANGE_SEQ),
        _repeat(file.generation, count, pa.int32()),
        _repeat(file.kind == "load", count, pa.bool_()),
        _repeat(file.file_seq, count, pa.int64()),
        batch.rows,
    ]
    return pa.RecordBatch.from_arrays(declared + added, schema=settings.schema)


def _checked(ops: pa.Array, rows: pa.Array, name: str | None, file: IndexedFile) -> pa.Array:
    """Operations in upper case; refuses an unknown one."""
    if name is None:
        return _repeat("I", len(rows), pa.string())
    ops = pc.utf8_upper(ops)
    if file.kind == "load":
        ops = pc.fill_null(ops, "I")
    known = pc.is_in(ops, value_set=_OPS)
    offset = pc.index(known, False).as_py()
    if offset >= 0:
        value = ops[offset].as_py()
        shown = "NULL" if value is None else f"'{value[:80]}'"
        raise FileProblem(
            f"row {rows[offset]}, column {name}: unknown operation {shown}; allowed are I, U and D"
        )
    return ops


def _repeat(value: object, count: int, data_type: pa.DataType) -> pa.Array:
    return pa.repeat(pa.scalar(value, data_type), count)
