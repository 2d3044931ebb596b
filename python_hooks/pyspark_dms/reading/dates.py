"""Rows by business date, as the partitions of a table that is declared with one have them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import date
from types import TracebackType

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.reading.columns import Column
from pyspark_dms.reading.output import Output, writing

# So many files one task writes side by side: of a file of usual size each has about a MiB then.
MOST_DATES = 64


@dataclass(frozen=True)
class Dates:
    """The business date that a table is partitioned by.

    Attributes:
        column: a date or a timestamp.
        granularity: ``day``, ``month`` or ``year``.
    """

    column: Column
    granularity: str

    def divided(self, rows: pa.Table) -> Iterator[tuple[str | None, pa.Table]]:
        """The rows of each partition, by its name, in the order in which they were.

        Rows without a date have no partition: None.
        """
        days = pc.floor_temporal(rows[self.column.name], unit=self.granularity).cast(pa.date32())
        order = pc.sort_indices(days)
        start = 0
        for one in pc.value_counts(days.take(order)).to_pylist():
            some = order.slice(start, one["counts"])
            start += len(some)
            name = one["values"].isoformat() if one["values"] else None
            yield name, rows.take(some) if len(some) < len(days) else rows

    def name(self, day: date) -> str | None:
        """The partition of a day or a moment."""
        rows = pa.table({self.column.name: pa.array([day], self.column.arrow_type)})
        return next(name for name, _ in self.divided(rows))

    def number(self, day: date) -> int:
        """The place of its partition among all, counted from some day."""
        if self.granularity == "day":
            return day.toordinal()
        return day.year * 12 + day.month if self.granularity == "month" else day.year


class DatedOutput(AbstractContextManager["DatedOutput"]):
    """Rows that are written to a file for each partition, beside one for those of any other.

    Where the first rows are of many partitions, all go to the one file: a full load that is not in
    the order of its dates would become very many small ones.
    """

    def __init__(self, path: str, schema: pa.Schema, dates: Dates) -> None:
        self._path, self._schema, self._dates = path, schema, dates
        self._most = MOST_DATES
        self._files = ExitStack()
        self._outputs: dict[str | None, Output] = {}

    def write(self, rows: pa.Table) -> None:
        """Write rows, as a row group of each file that they come to."""
        divided = [*self._dates.divided(rows)] if self._most else [(None, rows)]
        if not self._outputs and len(divided) > self._most:
            self._most, divided = 0, [(None, rows)]
        for name, some in divided:
            is_full = name not in self._outputs and len(self._outputs) >= self._most
            self._output(None if is_full else name).write(some)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._outputs:
            self._output(None)
        self._files.__exit__(kind, failure, trace)

    def _output(self, name: str | None) -> Output:
        if name not in self._outputs:
            stem, suffix = self._path.rsplit(".", 1)
            path = f"{stem}-{name}.{suffix}" if name else self._path
            self._outputs[name] = self._files.enter_context(writing(path, self._schema))
        return self._outputs[name]
