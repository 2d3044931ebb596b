"""Reads one DMS file as typed changes, batch by batch, in the order of its rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pyspark_dms import stores
from pyspark_dms.batches import read_batches
from pyspark_dms.columns import Column, ValueProblem, convert, parse, parse_column, sql_type
from pyspark_dms.csv_files import BadLine, CsvFormat, CsvProblem, CsvReader
from pyspark_dms.file_names import is_transactions

# Beyond these it is the file or the declaration that is wrong, and not some rows.
MOST_REJECTS = 10_000
MOST_REJECT_CHARACTERS = 64 * 1024 * 1024
_PARQUET_MAGIC = b"PAR1"
_OPS = pa.array(["I", "U", "D"])
_RAW_OPS = pa.array([b"I", b"U", b"D", b"i", b"u", b"d"])
_RAW_INSERTS = pa.array([b"I", b"i"])
# What a file with the changes of all tables says behind the operation.
_TABLE, _SCHEMA = "(table)", "(schema)"
_OP = parse_column("_dms_op", "string")
_COMMITTED_AT = parse_column("_dms_committed_at", "timestamp")
_LOCAL_COMMITTED_AT = parse_column("_dms_committed_at", "timestamp_ntz")
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
    ("_dms_is_key_change", pa.bool_()),
    ("_dms_absent", pa.list_(pa.string())),
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
        etag: the entity tag of its content; behind ``#`` how often that has come to the path,
            if more than once.
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
    on_bad_row: str = "fail"
    image: str = "full"
    before_image_prefix: str | None = None
    timestamp_timezone: str = "UTC"
    order_by: str = "file"
    renamed_from: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    transaction_table: tuple[str, str] | None = None
    format: str = "auto"
    csv: CsvFormat = field(default_factory=CsvFormat)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of staged changes: declared columns, then `CHANGE_FIELDS`."""
        declared = [(column.name, column.arrow_type) for column in self.columns]
        return pa.schema(declared + CHANGE_FIELDS)


@dataclass(frozen=True)
class Reject:
    """A row that cannot be taken.

    Attributes:
        row: its number in the file, from 1.
        reason: what is wrong with it.
        content: the row as the file has it, a JSON object of texts.
    """

    row: int
    reason: str
    content: str


@dataclass
class Notes:
    """What reading a file finds beside its changes.

    Attributes:
        rejects: the rows that cannot be taken.
        new_columns: name and declarable type of the columns that are not declared, where these
            are to be appended.
    """

    rejects: list[Reject] = field(default_factory=list)
    new_columns: list[tuple[str, str]] = field(default_factory=list)
    _characters: int = 0

    def reject(self, row: Reject) -> None:
        """Set a row aside.

        Raises:
            FileProblem: there are too many of them, or they are too long.
        """
        self.rejects.append(row)
        self._characters += len(row.content)
        for limit, found, what in (
            (MOST_REJECTS, len(self.rejects), "of its rows"),
            (MOST_REJECT_CHARACTERS, self._characters, "characters of rows"),
        ):
            if found > limit:
                first = self.rejects[0]
                raise FileProblem(
                    f"more than {limit} {what} cannot be taken; the first is row "
                    f"{first.row}: {first.reason}"
                )


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
    old_keys: list[str | None]
    wanted: list[str] = field(default_factory=list)


def open_file(file: IndexedFile) -> Any:
    """Open an indexed file.

    Raises:
        FileProblem: it is gone, or was written again since it was indexed.
    """
    try:
        return stores.open_for_reading(file.path, file.size, file.etag.partition("#")[0])
    except stores.ChangedObject:
        raise FileProblem(
            "the file was written again after this run had indexed it; the next run takes it as "
            "it is then, unless that upload was rolled back: then take it after all (dbt "
            "run-operation reapply or rollback_to), or put the upload that was taken, or a mended "
            "one, in its place"
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
    """Rows of a file as they were read.

    Attributes:
        rows: their numbers, from 1.
        columns: the columns that are wanted, by name.
        bad_lines: rows between them that are none.
    """

    rows: pa.Array
    columns: dict[str, pa.Array]
    bad_lines: list[BadLine] = field(default_factory=list)

    def without(self, offsets: Collection[int]) -> _Batch:
        """The batch less the rows at some places."""
        keep = pa.array([offset not in offsets for offset in range(len(self.rows))], pa.bool_())
        columns = {name: values.filter(keep) for name, values in self.columns.items()}
        return _Batch(self.rows.filter(keep), columns)

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


class _ParquetRows:
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

    def batches(self, wanted: list[str]) -> Iterator[_Batch]:
        row = self._span.first_row
        groups = self._span.row_groups
        if groups is None:
            groups = list(range(self._parquet.num_row_groups))
        metadata = [self._parquet.metadata.row_group(group) for group in groups]
        promised = sum(group.num_rows for group in metadata)
        try:
            for batch in read_batches(self._parquet, groups, wanted):
                rows = pa.arange(row + 1, row + batch.num_rows + 1)
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
            self._reader = CsvReader(
                open_file(file),
                settings.csv,
                is_gzip=file.path.endswith(".gz"),
                only=settings.transaction_table if is_transactions(file.path) else None,
            )
        except CsvProblem as problem:
            raise FileProblem(f"it cannot be read as CSV: {problem}") from problem
        self.names = self._names(file, settings)

    def _names(self, file: IndexedFile, settings: ReadSettings) -> list[str]:
        first_row = self._reader.first_row
        if self._reader.only:
            return self._transaction_names(settings)
        if settings.csv.header:
            if not first_row:
                raise FileProblem("it has no header row, though csv.header is true")
            return ["" if name is None else name for name in first_row]
        return self._placed_names(file, settings) if first_row else _positions(settings)

    def _placed_names(self, file: IndexedFile, settings: ReadSettings) -> list[str]:
        """The columns of a file without a header: how many fields it has tells whether Op is one.

        A table that has lost a column with Op looks as one without Op, and one that has got a
        column without Op as one with it; what the first field of its rows says tells these apart.
        """
        names, row = _positions(settings), self._reader.first_row
        fields = {str(text).lower() for text in row}
        if any(fields == {name.lower() for name in some} for some in (names, names[1:])):
            raise FileProblem("row 1 holds the names of the columns: set csv.header to true")
        may_lack_op = file.kind == "load" or not settings.captures_deletes
        known = _RAW_INSERTS if file.kind == "load" else _RAW_OPS
        is_op = pc.is_in(self._reader.first_column(), value_set=known)
        if len(row) == len(names) and (not may_lack_op or pc.any(is_op).as_py()):
            return names
        if len(row) == len(names) - 1 and may_lack_op and not pc.all(is_op).as_py():
            return names[1:]
        expected = f"{len(names)} ({', '.join(names)})"
        way_out = f"; if DMS writes no {settings.op_column}, set captures_deletes: false"
        if may_lack_op:
            allowed = "I" if file.kind == "load" else "I, U or D"
            expected = f"{len(names)} that begin with {allowed} ({', '.join(names)}), or "
            expected += f"{len(names) - 1} that do not ({', '.join(names[1:])})"
            way_out = ""
        raise FileProblem(
            f"row {self._reader.first_row_number} has {len(row)} fields, the first of them "
            f"{'NULL' if row[0] is None else repr(row[0][:80])}, but there must be {expected}. "
            f"Correct the declaration: its columns must be in the order of the source{way_out}"
        )

    def _transaction_names(self, settings: ReadSettings) -> list[str]:
        operation, *others = _positions(settings)
        names = [operation, _TABLE, _SCHEMA, *others]
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

    def batches(self, wanted: list[str]) -> Iterator[_Batch]:
        places = {name: self.names.index(name) for name in wanted}
        try:
            for block in self._reader.blocks():
                columns = {name: block.fields[n] for name, n in places.items()}
                yield _Batch(block.rows, columns, block.bad_lines)
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
    # What mapping rules add comes last.
    if settings.change_seq_column:
        names.append(settings.change_seq_column)
    if settings.before_image_prefix:
        names += [settings.before_image_prefix + key for key in settings.primary_keys]
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
    return ".parquet" in file.path.rsplit("/", 1)[-1].lower() or (
        # A Parquet file under the name of another format is one all the same.
        file.size > 0 and open_file(file).read(4) == _PARQUET_MAGIC
    )


def read_changes(span: FileSpan, settings: ReadSettings, notes: Notes) -> Iterator[pa.RecordBatch]:
    """Read a span of a file as batches of ``settings.schema``, a bounded part of it at a time.

    Args:
        span: what to read.
        settings: how.
        notes: gets what is found beside the changes.

    Raises:
        FileProblem: the file cannot be taken or, unless ``on_bad_row`` is ``quarantine``, one of
            its rows.
    """
    source = (
        _ParquetRows(span) if is_parquet(span.file, settings) else _CsvRows(span.file, settings)
    )
    layout = _lay_out(source.names, span.file, settings)
    if settings.on_schema_change == "append_new_columns":
        undeclared = _undeclared(source.names, layout, settings)
        notes.new_columns += [(name, source.declarable_type(name)) for name in undeclared]
    may_reject = settings.on_bad_row == "quarantine"
    to_changes = _Changes(span.file, settings, layout, source.to_type)
    for batch in source.batches(layout.wanted):
        for line in batch.bad_lines:
            if not may_reject:
                raise FileProblem(f"row {line.row}: {line.reason}: {line.text[:80]}")
            notes.reject(Reject(line.row, line.reason, json.dumps({"line": line.text})))
        # A column that no row can be read of is refused without rows too.
        while len(batch.rows):
            try:
                yield to_changes.of(batch)
                break
            except _BadRows as bad:
                if not may_reject:
                    first = min(bad.reasons)
                    raise FileProblem(f"row {batch.rows[first]}, {bad.reasons[first]}") from None
                for offset, reason in bad.reasons.items():
                    row = batch.rows[offset].as_py()
                    notes.reject(Reject(row, reason, batch.content(offset)))
                batch = batch.without(bad.reasons)


def _lay_out(names: Sequence[str], file: IndexedFile, settings: ReadSettings) -> _Layout:
    """Match the file's column names, in any case, to what is declared."""
    by_lower = {name.lower(): name for name in names}
    if len(by_lower) < len(names):
        raise FileProblem(f"two of its columns differ only in case: {', '.join(names)}")

    def find(name: str | None) -> str | None:
        return by_lower.get(name.lower()) if name else None

    prefix = settings.before_image_prefix
    layout = _Layout(
        declared=[_find_declared(find, column.name, settings) for column in settings.columns],
        op=find(settings.op_column),
        committed_at=find(settings.timestamp_column),
        change_seq=find(settings.change_seq_column),
        old_keys=[
            _find_declared(find, key, settings, prefix) if prefix else None
            for key in settings.primary_keys
        ],
    )
    found = [
        *layout.declared, layout.op, layout.committed_at, layout.change_seq, *layout.old_keys,
    ]  # fmt: skip
    layout.wanted = [name for name in names if name in found]
    _check_columns(names, layout, file, settings)
    _check_op(layout, file, settings)
    return layout


def _find_declared(
    find: Callable[[str | None], str | None], name: str, settings: ReadSettings, prefix: str = ""
) -> str | None:
    """The column of the file that a declared one is, under its name or an earlier one."""
    candidates = [prefix + known for known in (name, *settings.renamed_from.get(name, ()))]
    found = [column for column in map(find, candidates) if column is not None]
    if len(found) > 1:
        raise FileProblem(
            f"it has {' and '.join(found)}, which are declared as one column, {name}: "
            "correct renamed_from"
        )
    return found[0] if found else None


def _check_columns(
    names: Sequence[str], layout: _Layout, file: IndexedFile, settings: ReadSettings
) -> None:
    absent = [
        column.name
        for column, name in zip(settings.columns, layout.declared, strict=True)
        if name is None
    ]
    keys = [name for name in absent if name in settings.primary_keys]
    if keys:
        raise FileProblem(f"it has no key column {', '.join(keys)}; it has: {', '.join(names)}")
    prefix = settings.before_image_prefix
    for setting, wanted, name in (
        ("timestamp_column", settings.timestamp_column, layout.committed_at),
        ("change_seq_column", settings.change_seq_column, layout.change_seq),
        *(
            ("before_image_prefix", prefix + key, name)
            for key, name in zip(settings.primary_keys, layout.old_keys, strict=True)
            if prefix and file.kind == "cdc"
        ),
    ):
        if wanted and name is None:
            raise FileProblem(
                f"it has no column {wanted}, which is declared as {setting}; "
                f"it has: {', '.join(names)}"
            )
    if settings.on_schema_change != "fail":
        return
    if absent and not (settings.image == "partial" and file.kind == "cdc"):
        raise FileProblem(
            f"it has no column {', '.join(absent)}; it has: {', '.join(names)}. Correct the "
            "declaration, or set on_schema_change: ignore to read what is absent as NULL"
        )
    undeclared = _undeclared(names, layout, settings)
    if undeclared:
        raise FileProblem(
            f"it has a column that is not declared: {', '.join(undeclared)}. Declare it (or name "
            "it as timestamp_column, change_seq_column or op_column if DMS added it, or in "
            "renamed_from of the column that it was before), or set on_schema_change: ignore to "
            "leave it out"
        )


def _undeclared(names: Sequence[str], layout: _Layout, settings: ReadSettings) -> list[str]:
    prefix = settings.before_image_prefix
    # A before image is one of a column that is declared, was once, or is in the file itself.
    columns = [*names, *(column.name for column in settings.columns)]
    columns += [name for earlier in settings.renamed_from.values() for name in earlier]
    images = {(prefix + name).lower() for name in columns} if prefix else set()
    return [
        name
        for name in names
        if name not in (*layout.wanted, _TABLE, _SCHEMA) and name.lower() not in images
    ]


def _check_op(layout: _Layout, file: IndexedFile, settings: ReadSettings) -> None:
    # DMS leaves Op out of full loads by default, and out of change files of insert-only tasks.
    if layout.op is None and file.kind != "load" and settings.captures_deletes:
        raise FileProblem(
            f"it has no column {settings.op_column}, so its changes cannot be told apart. Name "
            "the column in op_column, or set captures_deletes: false if the DMS task writes "
            "inserts only"
        )


class _BadRows(Exception):
    """Rows of a batch that cannot be taken: what is wrong with each, by its place from 0."""

    def __init__(self, reasons: dict[int, str]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


@dataclass
class _Changes:
    """Makes staged changes of the rows of one file."""

    file: IndexedFile
    settings: ReadSettings
    layout: _Layout
    to_type: Callable[[pa.Array, Column], pa.Array]

    def of(self, batch: _Batch) -> pa.RecordBatch:
        """The changes of a batch.

        Raises:
            _BadRows: what cannot be taken of it.
        """
        count, layout, columns = len(batch.rows), self.layout, self.settings.columns
        batch, unknown = self._without_unknown(batch)
        declared = [
            self._typed(batch, name, column)
            for name, column in zip(layout.declared, columns, strict=True)
        ]
        ops = self._ops(batch)
        keys = {
            column.name: values
            for column, values in zip(columns, declared, strict=True)
            if column.name in self.settings.primary_keys
        }
        if self.settings.on_bad_row == "quarantine":
            self._check_keys(keys, ops)
        moved, old_keys = self._moved(batch, keys, ops)
        added = [
            ops,
            self._ordered_by("timestamp", layout.committed_at, self._committed_at(batch)),
            self._ordered_by("change_seq", layout.change_seq, self._change_seq(batch)),
            _repeat(self.file.generation, count, pa.int32()),
            _repeat(self.file.kind == "load", count, pa.bool_()),
            _repeat(self.file.file_seq, count, pa.int64()),
            batch.rows,
            _repeat(False, count, pa.bool_()) if moved is None else moved,
            self._absent(unknown, ops),
        ]
        changes = pa.RecordBatch.from_arrays(declared + added, schema=self.settings.schema)
        return changes if moved is None else _with_old_keys(changes, moved, old_keys)

    def _change_seq(self, batch: _Batch) -> pa.Array:
        """The change sequence; DMS leaves it empty in full loads, which in CSV is an empty text."""
        values = self._typed(batch, self.layout.change_seq, _CHANGE_SEQ)
        return pc.if_else(pc.equal(values, ""), pa.scalar(None, values.type), values)

    def _ordered_by(self, order: str, name: str | None, values: pa.Array) -> pa.Array:
        """The values as they are; refuses changes without the one that tells their place."""
        if self.settings.order_by == order and self.file.kind != "load":
            missing = pc.indices_nonzero(pc.is_null(values)).to_pylist()
            if missing:
                reason = f"column {name}: it is empty, but order_by is {order}"
                raise _BadRows(dict.fromkeys(missing, reason))
        return values

    def _typed(self, batch: _Batch, name: str | None, column: Column) -> pa.Array:
        if name is None:
            return pa.nulls(len(batch.rows), column.arrow_type)
        values = batch.columns[name]
        try:
            return self.to_type(values, column)
        except ValueProblem as problem:
            reasons = {problem.offset: f"column {name}: {problem.reason}"}
            if self.settings.on_bad_row == "quarantine":
                reasons = self._all_problems(values, name, column)
            raise _BadRows(reasons) from None

    def _all_problems(self, values: pa.Array, name: str, column: Column) -> dict[int, str]:
        reasons: dict[int, str] = {}
        start = 0
        while start < len(values):
            try:
                self.to_type(values.slice(start), column)
                break
            except ValueProblem as problem:
                start += problem.offset
                reasons[start] = f"column {name}: {problem.reason}"
                start += 1
        return reasons

    def _committed_at(self, batch: _Batch) -> pa.Array:
        name, zone = self.layout.committed_at, self.settings.timestamp_timezone
        if name and getattr(batch.columns[name].type, "tz", None):
            zone = "UTC"  # an instant, and no local time
        column = _COMMITTED_AT if zone == "UTC" else _LOCAL_COMMITTED_AT
        moments = self._typed(batch, name, column)
        if zone == "UTC":
            return moments
        # The hour that comes twice is taken for its first time, and one that never was for the
        # moment at which the clock jumped.
        try:
            local = pc.assume_timezone(moments, zone, ambiguous="earliest", nonexistent="latest")
        except pa.ArrowInvalid as problem:
            raise FileProblem(f"timestamp_timezone {zone} cannot be used: {problem}") from problem
        return local.cast(_COMMITTED_AT.arrow_type)

    def _ops(self, batch: _Batch) -> pa.Array:
        """Operations in upper case; refuses unknown ones."""
        name = self.layout.op
        if name is None:
            return _repeat("I", len(batch.rows), pa.string())
        ops = pc.ascii_upper(self._typed(batch, name, _OP))
        is_load = self.file.kind == "load"
        if is_load:
            ops = pc.fill_null(ops, "I")
        known = pc.equal(ops, "I") if is_load else pc.is_in(ops, value_set=_OPS)
        allowed = "in a full load there is only I" if is_load else "allowed are I, U and D"
        reasons = {}
        for offset in pc.indices_nonzero(pc.invert(known)).to_pylist():
            value = ops[offset].as_py()
            shown = "NULL" if value is None else f"'{value[:80]}'"
            reasons[offset] = f"column {name}: unknown operation {shown}; {allowed}"
        if reasons:
            raise _BadRows(reasons)
        return ops

    def _check_keys(self, keys: dict[str, pa.Array], ops: pa.Array) -> None:
        reasons = {}
        for name, values in keys.items():
            for offset in pc.indices_nonzero(pc.is_null(values)).to_pylist():
                reasons[offset] = f"column {name}: NULL in a key column"
        if not keys:
            for offset in pc.indices_nonzero(pc.not_equal(ops, "I")).to_pylist():
                reasons[offset] = "an update or delete, but primary_keys is []"
        if reasons:
            raise _BadRows(reasons)

    # ------------------------------------------------------- changed keys

    def _moved(
        self, batch: _Batch, keys: dict[str, pa.Array], ops: pa.Array
    ) -> tuple[pa.Array | None, dict[str, pa.Array]]:
        """Which updates change the key, and the keys as they were before."""
        if all(name is None for name in self.layout.old_keys):
            return None, {}
        by_name = {column.name: column for column in self.settings.columns}
        moved = _repeat(False, len(batch.rows), pa.bool_())
        old_keys = {}
        for key, name in zip(self.settings.primary_keys, self.layout.old_keys, strict=True):
            before = self._typed(batch, name, by_name[key])
            # Oracle logs only what changed: NULL says that the key stayed as it is.
            old_keys[key] = pc.coalesce(before, keys[key])
            changed = pc.fill_null(pc.not_equal(before, keys[key]), False)
            moved = pc.or_(moved, changed)
        if self.layout.op is not None:
            moved = pc.and_(moved, pc.equal(ops, "U"))
        return (moved, old_keys) if pc.any(moved, min_count=0).as_py() else (None, {})

    # ------------------------------------------------------- columns that are not logged

    def _without_unknown(self, batch: _Batch) -> tuple[_Batch, dict[str, pa.Array | None]]:
        """Which declared columns are unknown: None for all rows, or a flag for each row."""
        unknown: dict[str, pa.Array | None] = {}
        if self.settings.image != "partial":
            return batch, unknown
        marker = self.settings.csv.no_sup_value
        columns = dict(batch.columns)
        for column, name in zip(self.settings.columns, self.layout.declared, strict=True):
            if name is None:
                unknown[column.name] = None
            elif marker is not None and self.to_type is parse:
                values = columns[name]
                marked = pc.fill_null(pc.equal(values, marker.encode()), False)
                if pc.any(marked, min_count=0).as_py():
                    columns[name] = pc.if_else(marked, pa.scalar(None, pa.binary()), values)
                    unknown[column.name] = marked
        return _Batch(batch.rows, columns), unknown

    def _absent(self, unknown: dict[str, pa.Array | None], ops: pa.Array) -> pa.Array:
        """The names of the unknown columns of each row that may be an update."""
        if not unknown:
            return pa.nulls(len(ops), pa.list_(pa.string()))
        flags = {
            name: [True] * len(ops) if marked is None else marked.to_pylist()
            for name, marked in unknown.items()
        }
        # A change file without Op has inserts and updates, and does not say which is which.
        is_untold = self.layout.op is None and self.file.kind != "load"
        names = [
            [name for name, flag in flags.items() if flag[offset]] if op == "U" or is_untold else []
            for offset, op in enumerate(ops.to_pylist())
        ]
        return pa.array([absent or None for absent in names], pa.list_(pa.string()))


def _with_old_keys(
    changes: pa.RecordBatch, moved: pa.Array, old_keys: dict[str, pa.Array]
) -> pa.RecordBatch:
    """Put before each change of a key the delete of the key as it was."""
    deletes = []
    for place, field_ in enumerate(changes.schema):
        if field_.name in old_keys:
            deletes.append(old_keys[field_.name].filter(moved))
        elif field_.name == "_dms_op":
            deletes.append(_repeat("D", pc.sum(moved).as_py(), pa.string()))
        elif field_.name.startswith("_dms_") and field_.name != "_dms_absent":
            deletes.append(changes.column(place).filter(moved))
        else:
            deletes.append(pa.nulls(pc.sum(moved).as_py(), field_.type))
    both = pa.concat_batches([pa.RecordBatch.from_arrays(deletes, schema=changes.schema), changes])
    order: list[int] = []
    first, number = len(deletes[0]), 0
    for offset, is_moved in enumerate(moved.to_pylist()):
        if is_moved:
            order.append(number)
            number += 1
        order.append(first + offset)
    return both.take(pa.array(order, pa.int64()))


def _repeat(value: object, count: int, data_type: pa.DataType) -> pa.Array:
    return pa.repeat(pa.scalar(value, data_type), count)
