"""Parquet files of the lake as they are written: rows of staging and of snapshots."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pyspark_dms import stores
from pyspark_dms.reading.batches import ROW_GROUP_ROWS, repeating_columns


@dataclass
class Output:
    """A Parquet file that is begun with its first rows, because these tell how to write it.

    Unless ``dictionaries`` are the columns that have one.
    """

    sink: Any
    schema: pa.Schema
    dictionaries: list[str] | None = None
    writer: pq.ParquetWriter | None = None

    def write(self, rows: pa.Table) -> None:
        """Write rows, if there are any, as a row group."""
        if rows.num_rows:
            self._writer(rows).write_table(rows, row_group_size=ROW_GROUP_ROWS)

    def close(self) -> None:
        """Finish the file; one without rows is a file of Parquet, too."""
        self._writer(self.schema.empty_table()).close()

    def _writer(self, rows: pa.Table) -> pq.ParquetWriter:
        if self.writer is None:
            self.writer = pq.ParquetWriter(
                self.sink,
                self.schema,
                compression="snappy",
                store_decimal_as_integer=True,
                # A dictionary of values that do not repeat takes time to make and to read.
                use_dictionary=self.dictionaries or repeating_columns(rows),
            )
        return self.writer


@contextmanager
def writing(
    path: str, schema: pa.Schema, dictionaries: list[str] | None = None
) -> Iterator[Output]:
    """Write a file; it appears whole or, after an error, not at all."""
    with (
        stores.open_for_writing(path) as sink,
        closing(Output(sink, schema, dictionaries)) as output,
    ):
        yield output
