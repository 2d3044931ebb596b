"""How much of a Parquet file one worker holds in memory at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

BATCH_ROWS = 65_536
_BATCH_BYTES = 64 * 1024 * 1024
# Large row groups are quicker to write and to read than many small ones.
ROW_GROUP_ROWS = 1024 * 1024
_ROW_GROUP_BYTES = 64 * 1024 * 1024
# The first rows of a row group tell how large its rows are in memory.
_PEEKED_ROWS = 1024
_LARGEST_NUMBER_BYTES = 16
# Every text is in the file as often as in memory.
_PLAIN = {"PLAIN", "RLE", "BIT_PACKED"}


def rows_per_batch(
    parquet: pq.ParquetFile, row_groups: Sequence[int], columns: Sequence[str]
) -> int:
    """How many rows to read at a time, so that a batch takes at most about 64 MiB of memory."""
    bytes_per_row = _LARGEST_NUMBER_BYTES * max(len(columns), 1)
    for number in row_groups:
        group = parquet.metadata.row_group(number)
        if group.num_rows > _PEEKED_ROWS:
            bytes_per_row = max(bytes_per_row, group.total_byte_size // group.num_rows)
            # A long text that repeats is in the file once, but in memory once per row.
            texts = [name for name in _packed_texts(group) if name in columns]
            peeked = next(parquet.iter_batches(_PEEKED_ROWS, [number], texts), None)
            if texts and peeked is not None and peeked.num_rows:
                bytes_per_row = max(bytes_per_row, peeked.nbytes // peeked.num_rows)
    return max(1, min(BATCH_ROWS, _BATCH_BYTES // bytes_per_row))


def _packed_texts(group: pq.RowGroupMetaData) -> list[str]:
    """The columns of texts or bytes that may take more memory than they take in the file."""
    columns = [group.column(place) for place in range(group.num_columns)]
    return [
        column.path_in_schema
        for column in columns
        if column.physical_type.endswith("BYTE_ARRAY") and not _PLAIN.issuperset(column.encodings)
    ]


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
