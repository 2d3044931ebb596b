"""Reads one DMS file as typed changes, batch by batch, in the order of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pyspark_dms import stores
from pyspark_dms.columns import Column, ValueProblem, convert, parse_column

# Rows held in memory at a time by one worker.
BATCH_ROWS = 65_536
_OPS = pa.array(["I", "U", "D"])
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


def open_parquet(file: IndexedFile) -> pq.ParquetFile:
    """Open a DMS file as Parquet.

    Raises:
        FileProblem: it is gone, or not Parquet.
    """
    if file.size == 0:
        raise FileProblem("the file is empty (0 bytes), so it is not a Parquet file")
    try:
        return pq.ParquetFile(stores.open_for_reading(file.path, file.size))
    except FileNotFoundError:
        raise FileProblem(
            "the file is in the index but no longer there; put it back, "
            "or reload the table in DMS if it is lost"
        ) from None
    except Exception as problem:
        raise FileProblem(f"it cannot be read as Parquet: {problem}") from problem


def read_changes(span: FileSpan, settings: ReadSettings) -> Iterator[pa.RecordBatch]:
    """Read a span of a file as batches of ``settings.schema``, at most `BATCH_ROWS` rows each.

    Raises:
        FileProblem: the file or one of its values cannot be taken.
    """
    parquet = open_parquet(span.file)
    layout = _lay_out(parquet.schema_arrow.names, span.file, settings)
    row = span.first_row
    try:
        batches = parquet.iter_batches(
            batch_size=BATCH_ROWS, row_groups=span.row_groups, columns=layout.wanted
        )
        for batch in batches:
            yield _to_changes(batch, row, layout, span.file, settings)
            row += batch.num_rows
    except (pa.ArrowException, OSError) as problem:
        raise FileProblem(f"it cannot be read behind row {row}: {problem}") from problem


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
    batch: pa.RecordBatch,
    rows_before: int,
    layout: _Layout,
    file: IndexedFile,
    settings: ReadSettings,
) -> pa.RecordBatch:
    count = batch.num_rows

    def typed(name: str | None, column: Column) -> pa.Array:
        if name is None:
            return pa.nulls(count, column.arrow_type)
        try:
            return convert(batch.column(name), column)
        except ValueProblem as problem:
            row = rows_before + problem.offset + 1
            raise FileProblem(f"row {row}, column {name}: {problem.reason}") from None

    declared = [
        typed(name, column) for name, column in zip(layout.declared, settings.columns, strict=True)
    ]
    added = [
        _ops(batch, rows_before, layout, file),
        typed(layout.committed_at, _COMMITTED_AT),
        typed(layout.change_seq, _CHANGE_SEQ),
        _repeat(file.generation, count, pa.int32()),
        _repeat(file.kind == "load", count, pa.bool_()),
        _repeat(file.file_seq, count, pa.int64()),
        pa.array(range(rows_before + 1, rows_before + count + 1), pa.int64()),
    ]
    return pa.RecordBatch.from_arrays(declared + added, schema=settings.schema)


def _ops(batch: pa.RecordBatch, rows_before: int, layout: _Layout, file: IndexedFile) -> pa.Array:
    if layout.op is None:
        return _repeat("I", batch.num_rows, pa.string())
    ops = pc.utf8_upper(batch.column(layout.op).cast(pa.string()))
    if file.kind == "load":
        ops = pc.fill_null(ops, "I")
    known = pc.is_in(ops, value_set=_OPS)
    offset = pc.index(known, False).as_py()
    if offset >= 0:
        value = ops[offset].as_py()
        shown = "NULL" if value is None else f"'{value}'"
        raise FileProblem(
            f"row {rows_before + offset + 1}, column {layout.op}: unknown operation {shown}; "
            "allowed are I, U and D"
        )
    return ops


def _repeat(value: object, count: int, data_type: pa.DataType) -> pa.Array:
    return pa.repeat(pa.scalar(value, data_type), count)
