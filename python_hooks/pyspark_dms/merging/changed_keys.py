"""The keys that changes touch, looked up by what is there: rows, and the footers of files."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.merging.key_ranges import Interval, RowGroup, is_ordered
from pyspark_dms.reading.columns import parse_column

OP = parse_column("_dms_op", "string")


class RepeatedKeyError(Exception):
    """A key is among the changed ones twice, so that it cannot be told what becomes of it."""


class ChangedKeys:
    """Changed keys of a table, to be looked up by many rows at a time.

    ``told`` has a row for each key, in any columns: the operation of its newest change (I, U or
    D), and maybe the partition of its row.

    Each key column gives every value a number; columns are brought together one after the other,
    so that in the end each key has one number, whatever its types.

    Raises:
        RepeatedKeyError: a key is there twice.
    """

    def __init__(self, keys: pa.Table, told: pa.Table) -> None:
        self._first, *self._others = keys.column_names
        self._values = {name: pc.unique(_comparable(keys[name])) for name in keys.column_names}
        self._pairs: dict[str, pa.Array] = {}
        different = self._values[self._first]
        numbers = self._numbers(keys, self._first) if self._others else None
        for name in self._others:
            pairs = self._with_column(numbers, keys, name)
            different = self._pairs[name] = pc.unique(pairs)
            if name != self._others[-1]:
                numbers = pc.index_in(pairs, value_set=different)
        if len(different) < keys.num_rows:
            raise RepeatedKeyError(
                f"{keys.num_rows} changes have only {len(different)} different values of "
                f"{', '.join(keys.column_names)}: each must be there once"
            )
        # Different values come in the order of the keys, so a key's number is its row.
        self._told = told
        self._keys = keys

    def may_be_in(self, group: RowGroup) -> bool:
        """Whether some changed key may be in a row group, by what its footer says.

        Args:
            group: of a snapshot; what these say of themselves is trusted.
        """
        return not any(
            self._are_outside(name, *range_)
            for name, range_ in group.ranges.items()
            if name in self._ordered
        )

    def has_live_in(self, interval: Interval) -> bool:
        """Whether a changed key that is not deleted is in an interval."""
        return interval.rows_of(self._live_keys).num_rows > 0

    @cached_property
    def _live_keys(self) -> pa.Table:
        return self._keys.filter(pc.not_equal(self._told[OP.name], "D"))

    @cached_property
    def _ordered(self) -> dict[str, pa.Array]:
        """The values of columns to compare with ranges, in order; a range does not tell of NULL."""
        return {
            name: values.sort()
            for name, values in self._values.items()
            if is_ordered(values.type) and not values.null_count
        }

    def _are_outside(self, name: str, low: Any, high: Any) -> bool:
        """Whether all values that changed keys have of a column are outside a range."""
        values = self._ordered[name]
        try:
            place = bisect_left(values, low, key=lambda value: value.as_py())
            return place == len(values) or values[place].as_py() > high
        except (ValueError, OverflowError):  # a text that is none, a year past 9999
            return False

    def look_up(self, rows: pa.Table) -> pa.Table:
        """Look up what is known of the key of each row; NULL if the key has not changed.

        Arrow makes a hash table of the changed keys for each call, so it is for many rows.
        """
        return self._told.take(self._number_of(rows))

    def _number_of(self, rows: pa.Table) -> pa.ChunkedArray:
        """The number of each row's key; NULL if its key has not changed."""
        numbers = self._numbers(rows, self._first)
        for name in self._others:
            pairs = self._with_column(numbers, rows, name)
            numbers = pc.index_in(pairs, value_set=self._pairs[name])
        return numbers

    def _numbers(self, rows: pa.Table, name: str) -> pa.ChunkedArray:
        """The number of each value of a column; NULL for one that no changed key has."""
        return pc.index_in(_comparable(rows[name]), value_set=self._values[name])

    def _with_column(self, left: pa.ChunkedArray, rows: pa.Table, name: str) -> pa.ChunkedArray:
        """One number for each pair of what the columns before and this one have."""
        count = len(self._values[name])
        return pc.add(pc.multiply(left.cast(pa.int64()), count), self._numbers(rows, name))


def _comparable(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values of which equal ones are the same: 0.0 and -0.0 are equal in SQL, as is every NaN."""
    if not pa.types.is_floating(values.type):
        return values
    return pc.if_else(pc.is_nan(values), pa.scalar(math.nan, values.type), pc.add(values, 0.0))
