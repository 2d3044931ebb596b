"""A full load that becomes a folder for each business date, without a shuffle.

Staging divides a load by date where dates are few in each of its files, as where it is in the order
of its key: such files go on as they are. Of the others each task has those of dates that are beside
each other, and writes these side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark_dms.merging.clustering import Piece, Rows, are_as_written, undivided
from pyspark_dms.merging.lake_rows import Part, add_part
from pyspark_dms.reading.dates import MOST_DATES, Dates


@dataclass(frozen=True)
class DatedFiles:
    """The files of a full load.

    Attributes:
        taken: by partition those that are of no other, and are large enough.
        others: those that each task divides.
    """

    taken: dict[str | None, list[Piece]]
    others: list[list[Part]]


def by_date(parts: Sequence[Part], dates: Dates, of_load: Rows, size: int) -> DatedFiles | None:
    """Divide the files of a load among tasks, in the order of their dates.

    Args:
        parts: the files.
        dates: the business date.
        of_load: what the rows of the load are in them.
        size: about how many bytes a task reads.

    Returns:
        None if a task would meet many dates, or rows without a date, or if there are no rows.
    """
    pieces = undivided(parts, [dates.column], of_load, size)
    ranged = [(range_, piece) for piece in pieces if (range_ := piece.range_of(dates.column))]
    if len(ranged) < len(pieces) or not pieces:
        return None
    placed = [
        (dates.number(low), dates.number(high), dates.name(low), piece)
        for (low, high), piece in ranged
    ]
    placed.sort(key=lambda one: (one[0], one[1], one[3].part.path))
    of_one: dict[str | None, list[Piece]] = {}
    for first, last, name, piece in placed:
        if first == last:
            of_one.setdefault(name, []).append(piece)
    taken = {name: some for name, some in of_one.items() if are_as_written(some, size)}
    others: list[list[Part]] = []
    bounds: list[tuple[int, int]] = []
    filled = 0
    for first, last, name, piece in placed:
        if first == last and name in taken:
            continue
        if not others or filled + piece.size > size:
            others.append([])
            bounds.append((first, last))
            filled = 0
        add_part(others[-1], piece.part)
        filled += piece.size
        bounds[-1] = bounds[-1][0], max(bounds[-1][1], last)
    is_few = all(last - first < MOST_DATES for first, last in bounds)
    return DatedFiles(taken, others) if is_few else None
