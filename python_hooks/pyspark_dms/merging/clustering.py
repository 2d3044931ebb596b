"""Which part of a table each task of a merge has, where its files hold ranges of a key column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pyspark_dms.merging.key_ranges import (
    Interval,
    Range,
    RowGroup,
    is_ordered,
    range_of,
    row_group,
)
from pyspark_dms.merging.lake_rows import Part, add_part, open_part
from pyspark_dms.reading.columns import Column, parse_column
from pyspark_dms.side_by_side import side_by_side
from pyspark_dms.store_copy import can_copy

# A file as many times as large is divided among tasks, so it is never taken over as it is.
_LARGEST_FILE = 2
# Files that are so much smaller are packed.
_SMALLEST_FILE = 1 / 8

IS_LOAD = parse_column("_dms_is_load", "boolean")
GENERATION = parse_column("_dms_generation", "int")


@dataclass(frozen=True)
class Rows:
    """What the rows of a table are in the files of the state before.

    Attributes:
        schema: that of the table.
        location: the folder that files are taken over into.
        generations: if the files are those of staging, the full loads whose rows are meant.
    """

    schema: pa.Schema
    location: str
    generations: tuple[int, ...] | None = None

    def may_be_in(self, metadata: pq.FileMetaData, number: int) -> bool:
        """Whether there may be any in a row group, by what the footer says."""
        is_load = row_group(metadata, number, [IS_LOAD]).ranges.get(IS_LOAD.name, (False, True))
        return metadata.row_group(number).num_rows > 0 and (not self.generations or is_load[1])

    def are_all(self, file: pq.ParquetFile, numbers: Sequence[int]) -> bool:
        """Whether a file has no others, and the columns of the table, before those of staging."""
        own = len(self.schema)
        schema = file.schema_arrow
        if not pa.schema([*schema][:own]).equals(self.schema):
            return False
        if self.generations is None:
            return all(name.startswith("_dms_") for name in schema.names[own:])
        groups = [row_group(file.metadata, number, [IS_LOAD, GENERATION]) for number in numbers]
        return all(
            group.ranges.get(IS_LOAD.name) == (True, True)
            and group.ranges.get(GENERATION.name) in {(one, one) for one in self.generations}
            for group in groups
        )


@dataclass(frozen=True)
class Piece:
    """A file, or a row group of a large one.

    Attributes:
        part: where its rows are.
        groups: what the footer says of its row groups.
        size: its bytes.
        is_whole: whether it is a file that has the columns of the table and no others.
    """

    part: Part
    groups: tuple[RowGroup, ...]
    size: int
    is_whole: bool

    @property
    def row_count(self) -> int:
        """Its rows."""
        return sum(group.row_count for group in self.groups)

    def range_of(self, column: Column) -> Range | None:
        """The range of a column, if it is known of all row groups."""
        return range_of(self.groups, column)


# Pieces that are together, and the least value that they have of the column.
_Packed = tuple[Any, list[Piece]]


@dataclass(frozen=True)
class Cuts:
    """A column, and its values where clusters begin, but for the first."""

    column: Column
    lows: tuple[Any, ...]


@dataclass
class Cluster:
    """Pieces of the state before, and the rows that come to them, which one task has.

    Attributes:
        interval: what rows come.
        pieces: in the order of the column.
        live: where the rows that come may be.
    """

    interval: Interval
    pieces: list[Piece] = field(default_factory=list)
    live: list[Part] = field(default_factory=list)

    @property
    def row_count(self) -> int:
        """The rows of its pieces."""
        return sum(piece.row_count for piece in self.pieces)

    @property
    def groups(self) -> list[RowGroup]:
        """The row groups of its pieces."""
        return [group for piece in self.pieces for group in piece.groups]

    @property
    def size(self) -> int:
        """The bytes of its pieces."""
        return sum(piece.size for piece in self.pieces)


def are_as_written(pieces: Sequence[Piece], file_bytes: int) -> bool:
    """Whether files may be taken over: they are whole, and not so small as to be packed."""
    size = sum(piece.size for piece in pieces)
    is_large = len(pieces) == 1 or size >= len(pieces) * _SMALLEST_FILE * file_bytes
    return is_large and all(piece.is_whole for piece in pieces)


def undivided(
    files: Sequence[Part], columns: Sequence[Column], of_table: Rows, size: int
) -> list[Piece]:
    """Files as pieces with the ranges of columns; however large one is, it is not divided."""
    found = side_by_side(lambda file: _pieces(file, columns, of_table, max(size, file.size)), files)
    return [*chain(*found)]


def whole_files(files: Sequence[Part], of_table: Rows, size: int) -> list[Piece]:
    """Of the files of a table without a key those that go on as they are; small ones are packed."""
    large = [file for file in files if 2 * file.size >= size]
    return [piece for piece in undivided(large, (), of_table, size) if piece.is_whole]


def divided(
    before: Sequence[Part], live: Sequence[Part], key: Sequence[Column], of_table: Rows, size: int
) -> list[Cluster]:
    """Divide a table by a column of its key, so that each file keeps a range of it.

    Args:
        before: the files of the state before.
        live: the files of the rows that come.
        key: the columns of the key, the leading one first.
        of_table: what the rows of the table are in the state before.
        size: the bytes of the pieces of a cluster.

    Returns:
        Clusters in the order of the column; none if the files do not tell ranges, or most of them
        overlap, or the rows that come would be read many times.
    """
    column, packed, coming = _footers(before, live, key, of_table, size)
    if column is None:
        return []
    packed += [(low, []) for low in _lows_behind(packed, coming, column, size)]
    return _with_coming(_clusters(packed, column), coming)


def cuts(
    before: Sequence[Part], live: Sequence[Part], key: Sequence[Column], of_table: Rows, size: int
) -> Cuts | None:
    """Where rows that come are to be cut so that no task reads many of others, as of `divided`.

    Returns:
        None if the table has no ranges, or if few would be read twice anyway.
    """
    column, packed, coming = _footers(before, live, key, of_table, size)
    if column is None or _with_coming(_clusters(packed, column), coming):
        return None
    return Cuts(column, tuple(low for low, _ in packed[1:]))


def _footers(
    before: Sequence[Part], live: Sequence[Part], key: Sequence[Column], of_table: Rows, size: int
) -> tuple[Column | None, list[_Packed], list[Piece]]:
    """The column that tells most, the pieces of a table by it, and those of the rows that come."""
    key = [column for column in key if is_ordered(column.arrow_type)]
    pieces = [*chain(*side_by_side(lambda file: _pieces(file, key, of_table, size), before))]
    coming = [*chain(*side_by_side(lambda file: row_groups(file, key), live))]
    for column in key:
        if packed := _packed(pieces, column, size):
            return column, packed, coming
    return None, [], []


def _pieces(file: Part, key: Sequence[Column], of_table: Rows, size: int) -> list[Piece]:
    """A file of the state before, or its row groups if it is large, or has rows of another kind."""
    opened = open_part(file)
    metadata = opened.metadata
    numbers = [n for n in range(metadata.num_row_groups) if of_table.may_be_in(metadata, n)]
    if file.size > _LARGEST_FILE * size or len(numbers) < metadata.num_row_groups:
        return [_group_piece(file, metadata, number, key) for number in numbers]
    groups = tuple(row_group(metadata, number, key) for number in numbers)
    is_whole = of_table.are_all(opened, numbers) and can_copy(
        file.path, of_table.location, file.size
    )
    return [Piece(file, groups, file.size, is_whole)] if groups else []


def row_groups(file: Part, key: Sequence[Column]) -> list[Piece]:
    """The row groups of a file, each as a piece with the ranges of these columns."""
    metadata = open_part(file).metadata
    return [_group_piece(file, metadata, n, key) for n in range(metadata.num_row_groups)]


def _group_piece(
    file: Part, metadata: pq.FileMetaData, number: int, key: Sequence[Column]
) -> Piece:
    group = row_group(metadata, number, key)
    return Piece(Part(file.path, file.size, (number,)), (group,), group.size, is_whole=False)


def _packed(pieces: Sequence[Piece], column: Column, size: int) -> list[_Packed]:
    """Pieces in the order of a column, as many together as have the size, with their least value.

    There are none if most of them overlap, or have one value that the piece before has, too.
    """
    ranged = [(range_, piece) for piece in pieces if (range_ := piece.range_of(column))]
    if len(ranged) < len(pieces):
        return []
    ranged.sort(key=itemgetter(0))
    overlapping = sum(
        piece.size
        for (before, _), (range_, piece) in pairwise(ranged)
        if range_[0] < before[1] or range_ == (before[1], before[1])
    )
    if 2 * overlapping > sum(piece.size for piece in pieces):
        return []
    packed: list[_Packed] = []
    for (low, _), piece in ranged:
        if not packed or sum(one.size for one in packed[-1][1]) + piece.size > size:
            packed.append((low, []))
        packed[-1][1].append(piece)
    return packed


def _lows_behind(
    packed: Sequence[_Packed], coming: Sequence[Piece], column: Column, size: int
) -> list[Any]:
    """Where clusters without a piece begin: no task is to have all rows that come at the end."""
    top = max(one[1] for _, pieces in packed for piece in pieces if (one := piece.range_of(column)))
    behind = [
        (range_[0], piece.size)
        for piece in coming
        if (range_ := piece.range_of(column)) and range_[0] > top
    ]
    lows: list[Any] = []
    filled = 0
    for low, piece_size in sorted(behind, key=itemgetter(0)):
        if filled + piece_size > size and (not lows or low > lows[-1]):
            lows.append(low)
            filled = 0
        filled += piece_size
    return lows


def _clusters(packed: Sequence[_Packed], column: Column) -> list[Cluster]:
    """Each with the interval up to the next one; the first and the last one are open."""
    lows = [None, *(low for low, _ in packed[1:]), None]
    return [
        Cluster(Interval(column, low, high), pieces)
        for (low, high), (_, pieces) in zip(pairwise(lows), packed, strict=True)
    ]


def _with_coming(found: list[Cluster], coming: Sequence[Piece]) -> list[Cluster]:
    """Clusters with the rows that may come to each; none if these would be read many times."""
    taken = 0
    for cluster in found:
        for piece in coming:
            if cluster.interval.may_have(piece.range_of(cluster.interval.column)):
                add_part(cluster.live, piece.part)
                taken += piece.size
    once = sum(piece.size for piece in coming)
    base = sum(cluster.size for cluster in found)
    return found if taken <= once + max(once, base // 2) else []
