"""Reads one DMS file as typed changes, batch by batch, in the order of its rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading.columns import Column, ValueProblem, convert, parse, parse_column
from pyspark_dms.reading.file_rows import CsvRows, ParquetRows, RowBatch, is_parquet
from pyspark_dms.reading.folding import folded
from pyspark_dms.reading.indexed_files import (
    MOST_REJECTS,
    Cause,
    FileProblem,
    FileSpan,
    Notes,
    ReadSettings,
    Reject,
)
from pyspark_dms.reading.layout import Layout, lay_out, listed, undeclared_columns

_ToType = Callable[[pa.Array, Column, int, bool], pa.Array]

_OPS = pa.array(["I", "U", "D"])
_OP = parse_column("_dms_op", "string")
_COMMITTED_AT = parse_column("_dms_committed_at", "timestamp")
_LOCAL_COMMITTED_AT = parse_column("_dms_committed_at", "timestamp_ntz")
_CHANGE_SEQ = parse_column("_dms_change_seq", "string")


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
    layout = lay_out(source.names, span.file, settings)
    if settings.on_schema_change == "append_new_columns":
        undeclared = undeclared_columns(source.names, layout, settings)
        notes.new_columns += [(name, source.declarable_type(name)) for name in undeclared]
    may_reject = settings.on_bad_row == "quarantine"
    to_changes = _Changes(span.file, settings, layout, source.to_type)
    has_rows = False
    for batch in source.batches(layout.wanted):
        has_rows = True
        for line in batch.bad_lines:
            if not may_reject:
                raise FileProblem(
                    f"row {line.row}: {line.reason}: {line.text[:80]!r}", Cause("row")
                )
            content = json.dumps({"line": line.text}, ensure_ascii=False)
            notes.reject(Reject(line.row, line.reason, content))
        # Of no rows at all, a column of a type that no row can be read of would still be refused.
        while len(batch.rows):
            try:
                changes = to_changes.of(batch)
                break
            except _BadRows as bad:
                if not may_reject:
                    first = min(bad.reasons)
                    cause = Cause("value", bad.columns, value=batch.text(first, bad.columns))
                    text = f"row {batch.rows[first]}, {bad.reasons[first]}"
                    raise FileProblem(text, cause) from None
                for offset, reason in bad.reasons.items():
                    row = batch.rows[offset].as_py()
                    notes.reject(Reject(row, reason, batch.content(offset)))
                batch = batch.without(bad.reasons)
        else:
            continue
        _record_nulled(changes, layout, span.file, notes)
        yield changes
    if not has_rows and layout.absent and isinstance(source, CsvRows):
        raise _without_rows(source.names, layout)


def _record_nulled(
    changes: pa.RecordBatch, layout: Layout, file: IndexedFile, notes: Notes
) -> None:
    """Record the columns that a file lacks and whose earlier values its rows replace by NULL."""
    if not layout.read_as_null or notes.nulled_columns:
        return
    ops = changes.column("_dms_op")
    # Where a change file has no Op, its rows may be updates.
    replaces = (
        file.generation > 1
        if file.kind == "load"
        else layout.op is None or "U" in pc.unique(ops).to_pylist()
    )
    if replaces:
        notes.nulled_columns += layout.read_as_null


def _without_rows(names: Sequence[str], layout: Layout) -> FileProblem:
    return FileProblem(
        f"it has a header, no rows and no column {listed(layout.absent)}; it has: {listed(names)}",
        Cause("absent", tuple(layout.absent)),
    )


class _BadRows(Exception):
    """Rows of a batch that cannot be taken: what is wrong with each, by its place from 0.

    Attributes:
        reasons: what is wrong.
        columns: the column of the file that has the values, if it is one.
    """

    def __init__(self, reasons: dict[int, str], *columns: str) -> None:
        super().__init__(reasons)
        self.reasons = reasons
        self.columns = columns


@dataclass
class _Changes:
    """Makes staged changes of the rows of one file."""

    file: IndexedFile
    settings: ReadSettings
    layout: Layout
    to_type: _ToType

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
            else self._declared(batch, next(names), column)
            for column in columns
        ]
        ops = self._ops(batch)
        self._check_needed(batch, ops)
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
        has_value = name and batch.columns[name].null_count < len(batch.rows)
        if name and has_value and _is_number(batch.columns[name].type):
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

    def _declared(self, batch: RowBatch, name: str | None, column: Column) -> pa.Array:
        """A declared column. A delete needs its key only, so what else of it does not fit is NULL.

        Where DMS logs the key only, a CSV file has empty fields there.
        """
        try:
            return self._typed(batch, name, column)
        except _BadRows:
            if name is None or self.layout.op is None or column.name in self.settings.primary_keys:
                raise
        ops = batch.columns[self.layout.op].cast(pa.string(), safe=False)
        is_delete = pc.fill_null(pc.equal(pc.ascii_upper(ops), "D"), False)
        places = pa.array(range(len(batch.rows)))
        kept = pc.if_else(is_delete, pa.scalar(None, places.type), places)
        values = batch.columns[name].take(kept)
        return self._typed(RowBatch(batch.rows, {**batch.columns, name: values}), name, column)

    def _typed(self, batch: RowBatch, name: str | None, column: Column) -> pa.Array:
        if name is None:
            return pa.nulls(len(batch.rows), column.arrow_type)
        values = self._converted(self.to_type, batch.columns[name], name, column)
        return folded(values, self.settings.folds_of(column.name))

    def _converted(
        self, to_type: _ToType, values: pa.Array, name: str | None, column: Column
    ) -> pa.Array:
        # One more than may be set aside says that they are too many.
        most = MOST_REJECTS + 1 if self.settings.on_bad_row == "quarantine" else 1
        try:
            return to_type(values, column, most, self.settings.on_time_out_of_range == "set_null")
        except ValueProblem as problem:
            reasons = {
                place: f"column {name}: {reason}" for place, reason in problem.reasons.items()
            }
            raise _BadRows(reasons, *([name] if name else [])) from None

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
        # Near the ends of the years 1 to 9999 the zone may lead beyond them.
        return self._converted(convert, local, name, _COMMITTED_AT)

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
            raise _BadRows(reasons, name)
        return ops

    def _check_needed(self, batch: RowBatch, ops: pa.Array) -> None:
        """Refuse rows that need a column which the file lacks; a delete needs its key only."""
        needed = self.layout.needed_by_changes
        others = pc.indices_nonzero(pc.not_equal(ops, "D")) if needed else []
        if len(others):
            first = others[0].as_py()
            raise FileProblem(
                f"it has no column {listed(needed)}, and its row {batch.rows[first]} is no delete "
                f"({ops[first]})",
                Cause("absent", tuple(needed)),
            )

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
