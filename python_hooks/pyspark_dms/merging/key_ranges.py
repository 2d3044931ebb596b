"""Ranges of keys: what footers say of row groups, and which rows of a table a task has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pyspark_dms.reading.columns import Column

# Python, Arrow and Parquet have one order for values of these: numbers, days and moments by size,
# texts by their bytes in UTF-8. Floats have NaN, and two zeros that are equal.
_KINDS: tuple[tuple[Any, type], ...] = (
    (pa.types.is_integer, int),
    (pa.types.is_decimal, Decimal),
    (pa.types.is_string, str),
    (pa.types.is_binary, bytes),
    (pa.types.is_date, date),
    (pa.types.is_timestamp, datetime),
    (pa.types.is_boolean, bool),
)

# The least and the greatest value.
Range = tuple[Any, Any]


def is_ordered(kind: pa.DataType) -> bool:
    """Whether ranges of a type tell which values may be in them."""
    return any(is_kind(kind) for is_kind, _ in _KINDS) and not pa.types.is_boolean(kind)


@dataclass(frozen=True)
class RowGroup:
    """What a footer says of a row group: rows, bytes, and ranges of columns where they are known.

    A range may be wider than the values are: writers may cut long texts.
    """

    row_count: int
    size: int
    ranges: Mapping[str, Range]


def row_group(metadata: pq.FileMetaData, number: int, columns: Iterable[Column]) -> RowGroup:
    """Read of a footer what it says of a row group.

    Args:
        metadata: the footer.
        number: of the row group, from 0.
        columns: those whose ranges are wanted. A column that the file does not have, or has in a
            type with another order, has no range.
    """
    group = metadata.row_group(number)
    chunks = [group.column(place) for place in range(group.num_columns)]
    by_name = {chunk.path_in_schema.lower(): chunk for chunk in chunks}
    ranges = {
        column.name: range_
        for column in columns
        if (chunk := by_name.get(column.name.lower()))
        and (range_ := _range(chunk, column.arrow_type))
    }
    return RowGroup(group.num_rows, sum(chunk.total_compressed_size for chunk in chunks), ranges)


def range_of(groups: Iterable[RowGroup], column: Column) -> Range | None:
    """The range of a column in row groups; None if it is not known of all, or there are none."""
    ranges = [group.ranges.get(column.name) for group in groups]
    known = [range_ for range_ in ranges if range_]
    if not known or len(known) < len(ranges):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _range(chunk: pq.ColumnChunkMetaData, kind: pa.DataType) -> Range | None:
    try:
        statistics = chunk.statistics
        # A range does not tell of NULL.
        if statistics is None or not statistics.has_min_max or statistics.null_count != 0:
            return None
        low, high = statistics.min, statistics.max
    except (ValueError, OverflowError, pa.ArrowException):
        # A text that is none, a year past 9999.
        return None
    return (low, high) if _is_of(low, kind) and _is_of(high, kind) else None


def _is_of(value: Any, kind: pa.DataType) -> bool:
    """Whether a value of a footer can be compared with values of a column."""
    wanted = next((python for is_kind, python in _KINDS if is_kind(kind)), None)
    if type(value) is datetime and wanted is datetime:
        return (value.tzinfo is None) == (kind.tz is None)
    return type(value) is wanted


@dataclass(frozen=True)
class Interval:
    """Rows whose value of a column is from ``low`` up to, but without, ``high``.

    Without ``low`` (None) all below ``high`` are meant, and those that have no value.
    """

    column: Column
    low: Any = None
    high: Any = None

    def rows_of(self, rows: pa.Table) -> pa.Table:
        """Those of some rows that are in it."""
        if self.low is None and self.high is None:
            return rows
        is_inside: Any = None
        for compare, bound in ((pc.greater_equal, self.low), (pc.less, self.high)):
            if bound is not None:
                side = compare(rows[self.column.name], pa.scalar(bound, self.column.arrow_type))
                is_inside = side if is_inside is None else pc.and_(is_inside, side)
        return rows.filter(pc.fill_null(is_inside, self.low is None))

    def may_have(self, range_: Range | None) -> bool:
        """Whether a value of a range may be in it; None is any range."""
        if range_ is None:
            return True
        return (self.high is None or range_[0] < self.high) and (
            self.low is None or range_[1] >= self.low
        )
