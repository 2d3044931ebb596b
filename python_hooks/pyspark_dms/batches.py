"""How much of a Parquet file one worker holds in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

_BATCH_ROWS = 65_536
_BATCH_BYTES = 64 * 1024 * 1024
# Large row groups are quicker to write and to read than many small ones.
ROW_GROUP_ROWS = 1024 * 1024
_ROW_GROUP_BYTES = 64 * 1024 * 1024
# How large rows are is known only when they are there. So few are read at a time, and put
# together; fewer than these cost more in every table.
_READ_ROWS = 4096
# A text that repeats is in the file once, but in memory once per row. What it takes at most is
# told by the size of its column, and where that would leave fewer rows than these, by a look.
_REPEATED_BYTES = 512 * 1024 * 1024
_FEW_ROWS = 256
_DICTIONARIES = {"PLAIN_DICTIONARY", "RLE_DICTIONARY"}
_PREFIXES = "DELTA_BYTE_ARRAY"

Reopen = Callable[[list[str]], pq.ParquetFile]


def read_batches(
    parquet: pq.ParquetFile, row_groups: Sequence[int], columns: Sequence[str], reopen: Reopen
) -> Iterator[pa.RecordBatch]:
    """Read row groups in batches of about 64 MiB, or as much as 4096 rows take, up to 512 MiB.

    Args:
        parquet: the file.
        row_groups: the numbers of the row groups, from 0.
        columns: the columns to read.
        reopen: opens the file once more, with some of its columns as dictionaries.

    Raises:
        pa.ArrowException, OSError: the file cannot be read on.
    """
    waiting: list[pa.RecordBatch] = []
    size = rows = 0
    for batch in _read(parquet, row_groups, columns, reopen):
        weight = batch.nbytes
        if waiting and (size + weight > _BATCH_BYTES or rows + batch.num_rows > _BATCH_ROWS):
            yield pa.concat_batches(waiting)
            waiting, size, rows = [], 0, 0
        waiting.append(batch)
        size += weight
        rows += batch.num_rows
    if waiting:
        yield pa.concat_batches(waiting)


def _read(
    parquet: pq.ParquetFile, row_groups: Sequence[int], columns: Sequence[str], reopen: Reopen
) -> Iterator[pa.RecordBatch]:
    """Read a few rows at a time; what a writer kept as dictionaries becomes plain values."""
    for group in row_groups:
        at_a_time = _rows_at_a_time(parquet.metadata.row_group(group), group, columns, reopen)
        for batch in parquet.iter_batches(at_a_time, [group], columns):
            plain = [
                values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
                for values in batch.columns
            ]
            yield pa.RecordBatch.from_arrays(plain, batch.schema.names)


def _rows_at_a_time(
    group: pq.RowGroupMetaData, number: int, columns: Sequence[str], reopen: Reopen
) -> int:
    """How many rows to read at a time, by what the footer says of their size."""
    per_row = group.total_byte_size // max(group.num_rows, 1)
    chunks = [group.column(place) for place in range(group.num_columns)]
    # No text of a column is longer than all of it.
    longest = {
        chunk.path_in_schema: chunk.total_uncompressed_size
        for chunk in chunks
        if chunk.physical_type == "BYTE_ARRAY"
        and chunk.path_in_schema in columns
        and not {*_DICTIONARIES, _PREFIXES}.isdisjoint(chunk.encodings)
    }
    if sum(longest.values()) > _REPEATED_BYTES // _FEW_ROWS:
        repeated = [
            chunk.path_in_schema
            for chunk in chunks
            if chunk.path_in_schema in longest and _PREFIXES not in chunk.encodings
        ]
        longest |= _longest_in_dictionaries(number, repeated, reopen)
    most = min(_BATCH_BYTES // max(per_row, 1), _REPEATED_BYTES // max(sum(longest.values()), 1))
    return max(1, min(_READ_ROWS, most))


def _longest_in_dictionaries(group: int, columns: list[str], reopen: Reopen) -> dict[str, int]:
    """The bytes of the longest text in the dictionary of each column; the first row brings all."""
    if not columns:
        return {}
    batch = next(reopen(columns).iter_batches(1, [group], columns), None)
    if batch is None:
        return {}
    return {
        name: pc.max(pc.binary_length(values.dictionary)).as_py() or 0
        for name, values in zip(batch.schema.names, batch.columns, strict=True)
        if pa.types.is_dictionary(values.type)
    }


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
