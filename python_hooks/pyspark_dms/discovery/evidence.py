"""Puts the rows of sample files together, whatever types the files have for a column."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from pyspark_dms.reading.columns import Column, ValueProblem, convert, parse


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """All rows of some tables, one below the other.

    A column whose types differ becomes text, and one that has no text is left out: it is evidence
    for nothing. A column that a table does not have is NULL there.

    Returns:
        the rows of all tables, with the columns in the order in which they first come.
    """
    names = list(dict.fromkeys(name for table in tables for name in table.column_names))
    columns = {name: _one_below_the_other(tables, name) for name in names}
    there = {name: column for name, column in columns.items() if column is not None}
    return pa.table(there)


def texts(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """The values as texts; None where Arrow has no text for such values."""
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _one_below_the_other(tables: Sequence[pa.Table], name: str) -> pa.ChunkedArray | None:
    parts = [table.column(name) if name in table.column_names else None for table in tables]
    types = {part.type for part in parts if part is not None and not pa.types.is_null(part.type)}
    if len(types) > 1:
        as_text = [None if part is None else texts(part) for part in parts]
        if as_text.count(None) > parts.count(None):
            return None
        parts, types = as_text, {pa.string()}
    one = types.pop() if types else pa.null()
    chunks = [
        chunk
        for table, part in zip(tables, parts, strict=True)
        for chunk in (
            [pa.nulls(table.num_rows, one)]
            if part is None or pa.types.is_null(part.type)
            else part.chunks
        )
    ]
    return pa.chunked_array(chunks, one)


def as_read(
    values: pa.ChunkedArray, column: Column, *, is_csv: bool = False
) -> pa.ChunkedArray | None:
    """The values as a run reads them under a declared column; None if it refuses one of them."""
    try:
        chunks = [
            parse(chunk.cast(pa.binary()), column) if is_csv else convert(chunk, column)
            for chunk in values.chunks
        ]
    except ValueProblem:
        return None
    return pa.chunked_array(chunks, column.arrow_type)
