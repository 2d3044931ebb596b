"""Rows of a table and rows that come to it, written in the order of a column of its key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.reading.output import writing

# So many bytes of rows that come are put in order; what is beyond goes to the end.
_PLACED_BYTES = 256 * 1024 * 1024


def first_rows(tables: Iterator[pa.Table], schema: pa.Schema) -> pa.Table:
    """As many rows as are put in order; the others are left in the iterator."""
    first = [schema.empty_table()]
    for rows in tables:
        first.append(rows)
        if sum(one.nbytes for one in first) >= _PLACED_BYTES:
            break
    return pa.concat_tables(first)


def placed(before: Iterator[pa.Table], live: pa.Table, column: str) -> Iterator[pa.Table]:
    """Put rows that come between others, so that each table has a range of a column.

    Args:
        before: tables in the order of the column; in none other must be right, but no more.
        live: the rows that come.
        column: by what they are put in order; NULL comes last.
    """
    live = live.sort_by(column)
    current = live.slice(0, 0)
    for rows in before:
        if not rows.num_rows:
            continue
        if current.num_rows:
            low = pc.min(rows[column])
            count = pc.sum(pc.less(live[column], low)).as_py() or 0
            yield _together(current, live.slice(0, count), column)
            live = live.slice(count)
        current = rows
    yield _together(current, live, column)


def _together(rows: pa.Table, live: pa.Table, column: str) -> pa.Table:
    # In order, as a file may end anywhere in them: else the next one would have the same range.
    return pa.concat_tables([rows, live]).sort_by(column) if live.num_rows else rows


class Files(ExitStack):
    """Files of a folder that are written one after the other, each with so many rows at most."""

    def __init__(
        self, folder: str, name_of: Callable[[int], str], schema: pa.Schema, most_rows: int
    ) -> None:
        super().__init__()
        self.names: list[str] = []
        self._folder, self._name_of, self._schema = folder, name_of, schema
        self._most_rows = most_rows
        self._begin()

    def write(self, rows: pa.Table) -> None:
        """Write rows, into the next file what is more than this one may have."""
        while rows.num_rows:
            if self._rows >= self._most_rows:
                self._begin()
            some = rows.slice(0, self._most_rows - self._rows)
            self._output.write(some)
            self._rows += some.num_rows
            rows = rows.slice(some.num_rows)

    def _begin(self) -> None:
        self.close()
        self.names.append(self._name_of(len(self.names)))
        path = f"{self._folder}/{self.names[-1]}"
        self._output = self.enter_context(writing(path, self._schema))
        self._rows = 0
