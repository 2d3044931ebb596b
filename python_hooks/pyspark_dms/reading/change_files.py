"""Reads one DMS file as typed changes, batch by batch, in the order of its rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.reading.columns import Column, ValueProblem, parse, parse_column
from pyspark_dms.reading.file_rows import (
    TRANSACTION_FIELDS,
    CsvRows,
    ParquetRows,
    RowBatch,
    is_parquet,
)
from pyspark_dms.reading.indexed_files import (
    MOST_REJECTS,
    FileProblem,
    FileSpan,
    IndexedFile,
    Notes,
    ReadSettings,
    Reject,
)

_OPS = pa.array(["I", "U", "D"])
_OP = parse_column("_dms_op", "string")
_COMMITTED_AT = parse_column("_dms_committed_at", "timestamp")
_LOCAL_COMMITTED_AT = parse_column("_dms_committed_at", "timestamp_ntz")
_CHANGE_SEQ = parse_column("_dms_change_seq", "string")


@dataclass
class _Layout:
    """Where each wanted column stands in the file, and what the file has under that name."""

    declared: list[str | None]
    op: str | None
    committed_at: str | None
    change_seq: str | None
    old_keys: list[str | None]
    wanted: list[str] = field(default_factory=list)


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
    source = ParquetRows(span) if is_parquet(span.file, settings) else CsvRows(span.file, settings)
    layout = _lay_out(source.names, span.file, settings)
    if settings.on_schema_change == "append_new_columns":
        undeclared = _undeclared(source.names, layout, settings)
        notes.new_columns += [(name, source.declarable_type(name)) for name in undeclared]
    may_reject = settings.on_bad_row == "quarantine"
    to_changes = _Changes(span.file, settings, layout, source.to_type)
    for batch in source.batches(layout.wanted):
        for line in batch.bad_lines:
            if not may_reject:
                raise FileProblem(f"row {line.row}: {line.reason}: {line.text[:80]!r}")
            content = json.dumps({"line": line.text}, ensure_ascii=False)
            notes.reject(Reject(line.row, line.reason, content))
        # Of no rows at all, a column of a type that no row can be read of would still be refused.
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
        raise FileProblem(
            "two of its columns have one name (case does not tell names apart): "
            f"{', '.join(names)}; rename all but one in the task (rule rename-column)"
        )

    def find(name: str | None) -> str | None:
        return by_lower.get(name.lower()) if name else None

    prefix = settings.before_image_prefix
    layout = _Layout(
        declared=[_find_declared(find, column.name, settings) for column in settings.file_columns],
        op=find(settings.op_column),
        committed_at=find(settings.timestamp_column),
        change_seq=find(settings.change_seq_column),
        old_keys=[
            _find_declared(find, key, settings, prefix) if prefix else None
            for key in settings.file_keys
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
    shard = (settings.shard_column or "").lower()
    if shard and shard in (name.lower() for name in names):
        raise FileProblem(
            f"it has a column {settings.shard_column}, which is declared as shard_column: the "
            "column for the folder. Name that differently"
        )
    absent = [
        column.name
        for column, name in zip(settings.file_columns, layout.declared, strict=True)
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
            for key, name in zip(settings.file_keys, layout.old_keys, strict=True)
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
        if name not in (*layout.wanted, *TRANSACTION_FIELDS) and name.lower() not in images
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
    to_type: Callable[[pa.Array, Column, int], pa.Array]

    def of(self, batch: RowBatch) -> pa.RecordBatch:
        """The changes of a batch.

        Raises:
            _BadRows: what cannot be taken of it.
        """
        count, layout, columns = len(batch.rows), self.layout, self.settings.columns
        batch, unknown = self._unlogged(batch)
        names = iter(layout.declared)
        declared = [
            _repeat(self.file.shard, count, pa.string())
            if column.name == self.settings.shard_column
            else self._typed(batch, next(names), column)
            for column in columns
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

    def _change_seq(self, batch: RowBatch) -> pa.Array:
        """The change sequence; DMS leaves it empty in full loads, which in CSV is an empty text."""
        name = self.layout.change_seq
        if name and _is_number(batch.columns[name].type):
            raise FileProblem(
                f"column {name} is declared as change_seq_column and has type "
                f"{batch.columns[name].type}; the sequence is ordered as text, in which 10 comes "
                "before 9, so it must be a text of fixed width, such as AR_H_CHANGE_SEQ"
            )
        values = self._typed(batch, name, _CHANGE_SEQ)
        return pc.if_else(pc.equal(values, ""), pa.scalar(None, values.type), values)

    def _ordered_by(self, order: str, name: str | None, values: pa.Array) -> pa.Array:
        """The values as they are; refuses changes without the one that tells their place."""
        if self.settings.order_by == order and self.file.kind != "load":
            missing = pc.indices_nonzero(pc.is_null(values)).to_pylist()
            if missing:
                reason = f"column {name}: it is empty, but order_by is {order}"
                raise _BadRows(dict.fromkeys(missing, reason))
        return values

    def _typed(self, batch: RowBatch, name: str | None, column: Column) -> pa.Array:
        if name is None:
            return pa.nulls(len(batch.rows), column.arrow_type)
        # One more than may be set aside says that they are too many.
        most = MOST_REJECTS + 1 if self.settings.on_bad_row == "quarantine" else 1
        try:
            values = self.to_type(batch.columns[name], column, most)
        except ValueProblem as problem:
            reasons = {
                place: f"column {name}: {reason}" for place, reason in problem.reasons.items()
            }
            raise _BadRows(reasons) from None
        # A source that pads CHAR may do so in its full load only, or in its changes.
        return pc.utf8_rtrim(values, " ") if column.name in self.settings.trim else values

    def _committed_at(self, batch: RowBatch) -> pa.Array:
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

    def _ops(self, batch: RowBatch) -> pa.Array:
        """Operations in upper case; refuses unknown ones."""
        name = self.layout.op
        if name is None:
            return _repeat("I", len(batch.rows), pa.string())
        ops = pc.ascii_upper(self._typed(batch, name, _OP))
        is_load = self.file.kind == "load"
        if is_load:
            ops = pc.fill_null(ops, "I")
        known = pc.equal(ops, "I") if is_load else pc.is_in(ops, value_set=_OPS)
        allowed = "allowed are I, U and D"
        if is_load:
            allowed = (
                "in a full load there is only I; if the source has a column of that name, rename it"
                " in the task (rule rename-column)"
            )
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
        self, batch: RowBatch, keys: dict[str, pa.Array], ops: pa.Array
    ) -> tuple[pa.Array | None, dict[str, pa.Array]]:
        """Which updates change the key, and the keys as they were before."""
        if all(name is None for name in self.layout.old_keys):
            return None, {}
        by_name = {column.name: column for column in self.settings.columns}
        moved = _repeat(False, len(batch.rows), pa.bool_())
        old_keys = {}
        if (shard := self.settings.shard_column) and shard in keys:
            old_keys[shard] = keys[shard]
        for key, name in zip(self.settings.file_keys, self.layout.old_keys, strict=True):
            before = self._typed(batch, name, by_name[key])
            # Oracle logs only what changed: NULL says that the key stayed as it is.
            old_keys[key] = pc.coalesce(before, keys[key])
            changed = pc.fill_null(pc.not_equal(before, keys[key]), False)
            moved = pc.or_(moved, changed)
        if self.layout.op is not None:
            moved = pc.and_(moved, pc.equal(ops, "U"))
        return (moved, old_keys) if pc.any(moved, min_count=0).as_py() else (None, {})

    # ------------------------------------------------------- columns that are not logged

    def _unlogged(self, batch: RowBatch) -> tuple[RowBatch, dict[str, pa.Array | None]]:
        """The batch with NULL for what the log did not carry, and which values these are.

        By the name of a declared column: None for all rows, or a flag for each row.
        """
        unknown: dict[str, pa.Array | None] = {}
        if self.settings.image != "partial":
            return batch, unknown
        marker = self.settings.csv.no_sup_value
        columns = dict(batch.columns)
        for column, name in zip(self.settings.file_columns, self.layout.declared, strict=True):
            if name is None:
                unknown[column.name] = None
            elif marker is not None and self.to_type is parse:
                values = columns[name]
                marked = pc.fill_null(pc.equal(values, marker.encode()), False)
                if pc.any(marked, min_count=0).as_py():
                    columns[name] = pc.if_else(marked, pa.scalar(None, pa.binary()), values)
                    unknown[column.name] = marked
        return RowBatch(batch.rows, columns), unknown

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


def _is_number(data_type: pa.DataType) -> bool:
    return bool(pa.types.is_primitive(data_type) or pa.types.is_decimal(data_type))
