"""How much of a Parquet file one worker holds in memory at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

_BATCH_ROWS = 65_536
_BATCH_BYTES = 64 * 1024 * 1024
# Large row groups are quicker to write and to read than many small ones.
ROW_GROUP_ROWS = 1024 * 1024
_ROW_GROUP_BYTES = 64 * 1024 * 1024
# A long text that repeats is in the file once, but in memory once per row: how large rows are is
# known only when they are there. So few are read at a time, and put together. Fewer than these
# cost more in every table than they save in one whose repeated texts are longer than 16 KiB.
_READ_ROWS = 4096


def read_batches(
    parquet: pq.ParquetFile, row_groups: Sequence[int], columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """Read row groups in batches that take about 64 MiB of memory, or as much as 4096 rows take.

    Raises:
        pa.ArrowException, OSError: the file cannot be read on.
    """
    waiting: list[pa.RecordBatch] = []
    size = rows = 0
    for batch in parquet.iter_batches(_rows_at_a_time(parquet, row_groups), row_groups, columns):
        weight = batch.nbytes
        if waiting and (size + weight > _BATCH_BYTES or rows + batch.num_rows > _BATCH_ROWS):
            yield pa.concat_batches(waiting)
            waiting, size, rows = [], 0, 0
        waiting.append(batch)
        size += weight
        rows += batch.num_rows
    if waiting:
        yield pa.concat_batches(waiting)


def _rows_at_a_time(parquet: pq.ParquetFile, row_groups: Sequence[int]) -> int:
    """How many rows to read at a time, by what the footer says of their size."""
    groups = [parquet.metadata.row_group(number) for number in row_groups]
    per_row = max((g.total_byte_size // g.num_rows for g in groups if g.num_rows), default=0)
    return max(1, min(_READ_ROWS, _BATCH_BYTES // max(per_row, 1)))


def gathered(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Put batches of a schema together to tables of at most about 64 MiB, a row group each."""
    waiting: list[pa.RecordBatch] = []
    size = rows = 0
    for batch in batches:
        waiting.append(batch)
        size += batch.nbytes
        rows += batch.num_rows
        if size >= _ROW_GROUP_BYTES or rows >= ROW_GROUP_ROWS:
            yield pa.Table.from_batches(waiting, schema)
            waiting, size, rows = [], 0, 0
    if waiting:
        yield pa.Table.from_batches(waiting, schema)
