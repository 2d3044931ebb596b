"""A full load that is written in a folder for each business date, as far as its files are sorted.

Where the dates of a load rise from file to file, as where it is in the order of its key, each task
meets few of them: it writes them side by side, and nothing is shuffled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.merging.clustering import row_groups
from pyspark_dms.merging.key_ranges import Range, range_of
from pyspark_dms.merging.lake_rows import Part
from pyspark_dms.reading.columns import Column
from pyspark_dms.side_by_side import side_by_side

# So many folders one task writes into: of a file of usual size each has about a MiB then.
_MOST_DATES = 64


def sorted_parts(parts: Sequence[Part], dates: Dates, size: int) -> list[list[Part]]:
    """Divide the files of a load among tasks, in the order of their dates.

    Args:
        parts: the files.
        dates: the business date.
        size: about how many bytes a task reads.

    Returns:
        The files of each task; no task if one would meet many dates, or rows without a date.
    """
    ranges = side_by_side(lambda part: _range(part, dates), parts)
    known = [(range_, part) for range_, part in zip(ranges, parts, strict=True) if range_]
    if len(known) < len(parts):
        return []
    tasks: list[list[Part]] = []
    bounds: list[tuple[int, int]] = []
    for (first, last), part in sorted(known, key=lambda one: (one[0], one[1].path)):
        if not tasks or sum(one.size for one in tasks[-1]) + part.size > size:
            tasks.append([])
            bounds.append((first, last))
        tasks[-1].append(part)
        bounds[-1] = bounds[-1][0], max(bounds[-1][1], last)
    return tasks if all(last - first < _MOST_DATES for first, last in bounds) else []


def _range(part: Part, dates: Dates) -> tuple[int, int] | None:
    """The first and the last partition that a file has rows of; None if that is not known."""
    groups = [one.groups[0] for one in row_groups(part, [dates.column])]
    range_ = range_of(groups, dates.column)
    return range_ and dates.numbers(range_)
