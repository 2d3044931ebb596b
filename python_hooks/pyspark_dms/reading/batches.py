"""How much of a Parquet file one worker holds in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

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
_FIRST_ROWS = 16
# A text that repeats is in the file once, but in memory once per row. So many bytes may the rows
# that are read at a time take by that.
_REPEATED_BYTES = 512 * 1024 * 1024
# No text is longer than its column in the file. Where that would let fewer rows be read than
# these, a look into its dictionary tells how long the texts are that repeat.
_FEW_ROWS = 256
# A dictionary is seldom larger, so a look into a column is one request.
_LOOK_BYTES = 1024 * 1024
# Whether values repeat is looked at in so many rows together and about as many spread over all.
_SAMPLED_ROWS = 4096
_DICTIONARIES = {"PLAIN_DICTIONARY", "RLE_DICTIONARY"}
# Repeats beginnings of texts; how long these are, no look tells. Texts of more than 8 MiB are not
# expected there, so that tables of short ones can be read.
_PREFIXES = "DELTA_BYTE_ARRAY"
_PREFIXED_BYTES = _REPEATED_BYTES // 64

# Opens a file once more, with options of pq.ParquetFile.
Reopen = Callable[..., pq.ParquetFile]


def read_batches(
    parquet: pq.ParquetFile, row_groups: Sequence[int], columns: Sequence[str], reopen: Reopen
) -> Iterator[pa.RecordBatch]:
    """Read row groups in batches that take about 64 MiB of memory, or as much as 4096 rows take.

    Fewer rows are read at a time where texts repeat, so that these take about 512 MiB at most.

    Args:
        parquet: the file.
        row_groups: the numbers of the row groups, from 0.
        columns: the columns to read; of none there are still the rows.
        reopen: opens the file once more, with options of `pyarrow.parquet.ParquetFile`.

    Raises:
        pa.ArrowException, OSError: the file cannot be read on; and what reopen raises.
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
    repeats = _Repeats(parquet, frozenset(columns), reopen)
    has_dictionaries = any(map(pa.types.is_dictionary, parquet.schema_arrow.types))
    for group in row_groups:
        batches = parquet.iter_batches(_FIRST_ROWS, [group], columns)
        for number, batch in enumerate(batches):
            if number == 0:
                # Not before: what the footer says of a column ends the process if it is damaged,
                # but for one that has been begun to be read.
                parquet.reader.set_batch_size(_rows_at_a_time(repeats, group))
            yield _decoded(batch) if has_dictionaries else batch


def _decoded(batch: pa.RecordBatch) -> pa.RecordBatch:
    for place, values in enumerate(batch.columns):
        if pa.types.is_dictionary(values.type):
            name = batch.schema.names[place]
            batch = batch.set_column(place, name, values.dictionary_decode())
    return batch


def _rows_at_a_time(repeats: _Repeats, group: int) -> int:
    """How many rows to read at a time, by what the footer says of their size."""
    metadata = repeats.parquet.metadata.row_group(group)
    per_row = metadata.total_byte_size // max(metadata.num_rows, 1)
    repeated = repeats.bytes_of_a_row(group)
    most = min(_BATCH_BYTES // max(per_row, 1), _REPEATED_BYTES // max(repeated, 1))
    return max(1, min(_READ_ROWS, most))


@dataclass
class _Repeats:
    """What the values of a row take at most that are in a file once and in memory once per row."""

    parquet: pq.ParquetFile
    columns: frozenset[str]
    reopen: Reopen

    def bytes_of_a_row(self, group: int) -> int:
        """For the rows of one row group."""
        metadata = self.parquet.metadata.row_group(group)
        fixed = prefixed = 0
        in_dictionaries: dict[str, int] = {}
        for place in range(metadata.num_columns):
            # The chunk has the path once more, and there it may be damaged.
            column = self.parquet.schema.column(place)
            if not self._is_wanted(column.path):
                continue
            chunk = metadata.column(place)
            if chunk.physical_type == "FIXED_LEN_BYTE_ARRAY":
                fixed += column.length
            elif chunk.physical_type != "BYTE_ARRAY" or column.logical_type.type == "DECIMAL":
                continue
            elif _PREFIXES in chunk.encodings:
                prefixed += chunk.total_uncompressed_size
            elif not _DICTIONARIES.isdisjoint(chunk.encodings):
                in_dictionaries[column.path] = chunk.total_uncompressed_size
        if sum(in_dictionaries.values()) > _REPEATED_BYTES // _FEW_ROWS:
            in_dictionaries |= self._longest(group, [*in_dictionaries])
        return fixed + min(prefixed, _PREFIXED_BYTES) + sum(in_dictionaries.values())

    def _is_wanted(self, path: str) -> bool:
        # A column of several parts is read, too, before it is refused.
        return path in self.columns or path.split(".", 1)[0] in self.columns

    def _longest(self, group: int, names: list[str]) -> dict[str, int]:
        """Bytes of the longest text in the dictionary of each column: one row brings all of it."""
        batch = next(self._dictionaries.iter_batches(1, [group], names), None)
        if batch is None:
            return {}
        return {
            name: pc.max(pc.binary_length(values.dictionary)).as_py() or 0
            for name, values in zip(batch.schema.names, batch.columns, strict=True)
            if pa.types.is_dictionary(values.type)
        }

    @cached_property
    def _dictionaries(self) -> pq.ParquetFile:
        """The file with texts as dictionaries, of which no more is fetched than is looked at."""
        schema = self.parquet.schema
        leaves = [schema.column(place) for place in range(len(schema))]
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        return self.reopen(
            read_dictionary=[path for path in texts if self._is_wanted(path)],
            metadata=self.parquet.metadata,
            pre_buffer=False,
            buffer_size=_LOOK_BYTES,
        )


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


def repeating_columns(rows: pa.Table) -> list[str]:
    """The columns of which some value comes twice in a sample of the rows; all if rows are few."""
    if rows.num_rows < _SAMPLED_ROWS:
        return list(rows.column_names)
    return [name for name in rows.column_names if _repeats(rows[name])]


def _repeats(values: pa.ChunkedArray) -> bool:
    if pa.types.is_nested(values.type):
        return True
    # A slice copies nothing, and mostly it tells; what is taken is a copy of the whole column.
    if _has_repeated(values[:_SAMPLED_ROWS]):
        return True
    if len(values) <= 2 * _SAMPLED_ROWS:
        return _has_repeated(values)
    spread = range(0, len(values), len(values) // _SAMPLED_ROWS)
    return _has_repeated(values.take(pa.array(spread, pa.int64())))


def _has_repeated(values: pa.ChunkedArray) -> bool:
    return bool(pc.count_distinct(values, mode="all").as_py() < len(values))
