"""The changed keys of a merge in passes: in each as many keys as a worker may hold at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pyspark_dms.merging.changed_keys import OP, ChangedKeys, RepeatedKeyError
from pyspark_dms.merging.lake_rows import Part, add_part, chunks, open_part, parts_of, schema_of
from pyspark_dms.reading.columns import Column, parse_column
from pyspark_dms.side_by_side import side_by_side

PARTITION = parse_column("_dms_partition", "string")
PLACE = (
    parse_column("_dms_generation", "int"),
    parse_column("_dms_file_seq", "bigint"),
    parse_column("_dms_row", "bigint"),
)

# So few keys are looked up by a million rows at a time, because their hash table is soon made.
_FEW_KEYS = 500_000
# Long texts fill the memory before a pass has as many keys as it may.
_PASS_BYTES = 256 * 1024 * 1024
# More keys are looked up by so many bytes of keys of rows at a time.
_LOOKED_UP_BYTES = 256 * 1024 * 1024

ReadKeys = Callable[[], Iterator[pa.Table]]


@dataclass(frozen=True)
class KeyPasses:
    """Where the changed keys are.

    Attributes:
        parts: the parts of the folder of changes that each pass has.
        has_few_keys: whether one pass has all of them, and they are few.
    """

    parts: tuple[tuple[Part, ...], ...]
    has_few_keys: bool

    def read(self, by: tuple[Column, ...], partitions: tuple[str, ...]) -> Iterator[ChangedKeys]:
        """Read one pass after the other, with the operation of each key.

        Args:
            by: the columns that tell keys apart: those of the key, or of the place of its row.
            partitions: names of partitions, if also that of each key is wanted.

        Raises:
            RepeatedKeyError: a key is in a pass twice.
        """
        read = _read_once if len(self.parts) == 1 else _read
        for parts in self.parts:
            yield read(parts, by, partitions)

    def finder(
        self, by: tuple[Column, ...], partitions: tuple[str, ...], read_keys: ReadKeys
    ) -> Callable[[pa.Table], pa.Table]:
        """Return what looks up the keys of the next rows; NULL if a key has not changed.

        Many keys are looked up at once, before the rows are read: a worker holds the keys of one
        pass, and of each row no more than what was found.

        Args:
            by: as of `read`.
            partitions: as of `read`.
            read_keys: reads these columns of all rows, in the order in which they will be given.

        Raises:
            RepeatedKeyError: a key is among the changed ones twice.
        """
        if self.has_few_keys:
            (changed,) = self.read(by, partitions)
            return changed.look_up
        found, place = self._found(by, partitions, read_keys), 0

        def next_found(rows: pa.Table) -> pa.Table:
            nonlocal place
            place += rows.num_rows
            return found.slice(place - rows.num_rows, rows.num_rows)

        return next_found

    def _found(
        self, by: tuple[Column, ...], partitions: tuple[str, ...], read_keys: ReadKeys
    ) -> pa.Table:
        found: pa.Table | None = None
        names = [column.name for column in by]
        for changed in self.read(by, partitions):
            keys = chain(
                [schema_of(by).empty_table()], (rows.select(names) for rows in read_keys())
            )
            in_pass = pa.concat_tables(map(changed.look_up, many(keys)))
            # The next pass is read without this one in memory.
            del changed
            found = in_pass if found is None else _together(found, in_pass)
        assert found is not None
        return found


def plan_passes(folder: str, columns: Iterable[Column], pass_keys: int) -> KeyPasses:
    """Divide the changed keys of a folder; a row group is never divided.

    Args:
        folder: the folder of changes.
        columns: what a worker holds of each key.
        pass_keys: how many keys a pass may have.
    """
    files = parts_of(folder)
    few = min(_FEW_KEYS, pass_keys)
    # A row takes a byte at least, so mostly no footer is read.
    if sum(file.size for file in files) <= few:
        return KeyPasses((tuple(files),), has_few_keys=True)
    names = {column.name for column in columns}
    footers = side_by_side(lambda file: open_part(file).metadata, files)
    if sum(footer.num_rows for footer in footers) <= few:
        return KeyPasses((tuple(files),), has_few_keys=True)
    passes: list[list[Part]] = []
    keys = size = 0
    for file, footer in zip(files, footers, strict=True):
        for number in range(footer.num_row_groups):
            group = footer.row_group(number)
            keys, size = keys + group.num_rows, size + _bytes_of(group, names)
            if not passes or keys > pass_keys or size > _PASS_BYTES:
                passes.append([])
                keys, size = group.num_rows, _bytes_of(group, names)
            add_part(passes[-1], Part(file.path, file.size, (number,)))
    return KeyPasses(tuple(map(tuple, passes)), has_few_keys=False)


def _bytes_of(group: pq.RowGroupMetaData, names: set[str]) -> int:
    columns = [group.column(place) for place in range(group.num_columns)]
    return sum(one.total_uncompressed_size for one in columns if one.path_in_schema in names)


def many(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Put tables together, as many as are looked up at once."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(one.nbytes for one in waiting) >= _LOOKED_UP_BYTES:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)


def _together(found: pa.Table, more: pa.Table) -> pa.Table:
    """What two passes have told of the same rows."""
    is_twice = pc.and_(pc.is_valid(found[OP.name]), pc.is_valid(more[OP.name]))
    if pc.any(is_twice).as_py():
        raise RepeatedKeyError("a key is among the changes more than once: each must be there once")
    return pa.table({name: pc.coalesce(found[name], more[name]) for name in found.column_names})


def _read(
    parts: tuple[Part, ...], by: tuple[Column, ...], partitions: tuple[str, ...]
) -> ChangedKeys:
    columns = (*by, OP, PARTITION) if partitions else (*by, OP)
    keys = pa.concat_tables([schema_of(columns).empty_table(), *chunks(parts, columns)])
    told = {OP.name: _coded(keys[OP.name], ("I", "U", "D"), pa.int8())}
    if partitions:
        told[PARTITION.name] = _coded(keys[PARTITION.name], partitions, pa.int32())
    return ChangedKeys(keys.select([column.name for column in by]), pa.table(told))


# The tasks of a job that one worker runs, one after the other, need the same keys.
_read_once = lru_cache(maxsize=2)(_read)


def _coded(values: pa.ChunkedArray, among: Sequence[str], code: pa.DataType) -> pa.ChunkedArray:
    """Texts as places among a few, so that the answers for millions of rows are small."""
    names = pa.array(among, pa.string())
    places = pc.index_in(values, value_set=names).cast(code)
    kind = pa.dictionary(code, pa.string())
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(chunk, names) for chunk in places.chunks], kind
    )
