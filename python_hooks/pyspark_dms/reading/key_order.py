"""Watches whether the keys of a full load rise from row to row: then none can repeat.

DMS reads most sources in the order of their key. A load whose files each rise, and whose files do
not overlap, has every key once; that is known without comparing ten million keys with each other.
"""

from __future__ import annotations

from decimal import Context
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

# Types whose order is the same here and in SQL.
_ORDERED = (
    pa.types.is_integer,
    pa.types.is_decimal,
    pa.types.is_date,
    pa.types.is_string,
)


_EXACT = Context(prec=40)


class KeyOrder:
    """Follows the keys of one span of a file, batch by batch."""

    def __init__(self, primary_keys: tuple[str, ...]) -> None:
        self._primary_keys = primary_keys
        self._last: list[pa.Array] | None = None
        self._first: list[pa.Array] | None = None
        # Whether every key so far was greater than the one before and none was NULL.
        self._ascending = bool(primary_keys)

    def follow(self, batch: pa.RecordBatch) -> None:
        """Look at the next batch of staged changes."""
        if not self._ascending or batch.num_rows == 0:
            return
        keys = [batch.column(name) for name in self._primary_keys]
        if not all(any(is_type(key.type) for is_type in _ORDERED) for key in keys):
            self._ascending = False
            return
        joined = keys
        if self._last is None:
            self._first = [key.slice(0, 1) for key in keys]
        else:
            joined = [
                pa.concat_arrays([last, key]) for last, key in zip(self._last, keys, strict=True)
            ]
        self._ascending = _rises(joined)
        self._last = [key.slice(batch.num_rows - 1, 1) for key in keys]

    def bounds(self) -> tuple[str | None, str | None]:
        """The first and the last key as texts that sort as the keys do; None if not known."""
        if not self._ascending or self._first is None or self._last is None:
            return None, None
        return _sortable(self._first), _sortable(self._last)


def _sortable(keys: list[pa.Array]) -> str:
    """A key as a text whose order, code point by code point, is that of the key."""
    return " ".join(_sortable_part(key[0].as_py(), key.type) for key in keys)


def _sortable_part(value: Any, data_type: pa.DataType) -> str:
    if pa.types.is_string(data_type):
        # A blank sorts before every digit, so that a text comes before one that goes on.
        return str(value).encode("utf-8").hex()
    if pa.types.is_date(data_type):
        return f"{value.toordinal():08d}"
    if pa.types.is_decimal(data_type):
        value = int(value.scaleb(data_type.scale, _EXACT))
    return f"{value + 10**39:041d}"


def _rises(keys: list[pa.Array]) -> bool:
    """Whether each key is greater than the one before; a composite key from the left."""
    if any(key.null_count for key in keys):
        return False
    rises: pa.Array | None = None
    for key in reversed(keys):
        before, after = key.slice(0, len(key) - 1), key.slice(1)
        greater = pc.greater(after, before)
        rises = (
            greater if rises is None else pc.or_(greater, pc.and_(pc.equal(after, before), rises))
        )
    return rises is None or pc.all(rises).as_py() is not False
