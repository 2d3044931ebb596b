"""Finds the rows in which two sides of a table differ, and tells which of them only wait.

First checksums of groups of rows on both sides, then the rows of the groups that differ, then the
values of the rows that differ. What is different then may have changed at the source behind the
newest change that was applied: such a key waits, and does not differ (`_check_suspects`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from time import sleep
from typing import TypeAlias

from pyspark_dms.compare.sides import (
    ComparedTable,
    Domain,
    Group,
    Key,
    PublishedSide,
    SourceSide,
    Texts,
)

# So many rows a group is to have, and so many groups are asked for at a time.
_GROUP_ROWS = 500
_MOST_GROUPS = 20_000
# Of more keys it is only counted that they differ.
MOST_KEYS = 10_000
# Above this a whole number is no bigint any more.
_MOST_SPAN = 2**63


# Who wants to know how far it is: what is being done, how much of it is, and how much there is.
Progress: TypeAlias = Callable[[str, int, int], None]
# Tells which of some keys have changes that the published state does not have yet.
Waiting: TypeAlias = Callable[[Collection[Key]], set[Key]]


@dataclass(frozen=True)
class Settings:
    """How a comparison goes.

    Attributes:
        wait: seconds between two looks at keys that differ; no change may take longer from the
            source to a DMS file.
        range_size: rows that a group may have to be read row by row.
        max_rows: rows that are read row by row at most.
    """

    wait: float
    range_size: int
    max_rows: int


@dataclass(frozen=True)
class Difference:
    """A key that differs: its row on both sides, None where it is not; the columns that differ."""

    key: Key
    here: Texts | None
    there: Texts | None
    columns: tuple[str, ...] = ()


@dataclass
class Comparison:
    """What came of comparing a table.

    Attributes:
        rows_here, rows_there: how many rows each side has.
        only_here, only_there, different: the keys that differ, and no change explains it.
        waiting: the keys that differ because they changed at the source behind the newest change
            that was applied.
        rows_unread: rows of groups that differ and were not looked into, because they are more than
            `Settings.max_rows`.
        keys_unread: keys that differ and were not looked at by value, because they are more than
            `MOST_KEYS`.
        rows_read: rows that were read row by row, of both sides.
    """

    rows_here: int = 0
    rows_there: int = 0
    only_here: list[Difference] = field(default_factory=list)
    only_there: list[Difference] = field(default_factory=list)
    different: list[Difference] = field(default_factory=list)
    waiting: list[Key] = field(default_factory=list)
    rows_unread: int = 0
    keys_unread: int = 0
    rows_read: int = 0

    @property
    def is_equal(self) -> bool:
        """Whether every row was found equal, or waits for a change."""
        return not (self.differences or self.rows_unread or self.keys_unread)

    @property
    def differences(self) -> list[Difference]:
        """All keys that differ."""
        return [*self.only_here, *self.only_there, *self.different]

    @property
    def columns(self) -> dict[str, int]:
        """In how many rows each column differs."""
        return dict(Counter(name for one in self.different for name in one.columns).most_common())


def compare_sides(
    table: ComparedTable,
    here: PublishedSide,
    there: SourceSide,
    waiting: Waiting,
    settings: Settings,
    progress: Progress,
) -> Comparison:
    """Compare a table.

    Raises:
        DmsError: a side did not answer.
    """
    result = Comparison()
    suspects: list[Key] = []
    for domain, groups in _differing(table, here, there, settings, progress, result):
        progress("row by row", result.rows_read, result.rows_read)
        rows_here, rows_there = here.digests(domain, groups), there.digests(domain, groups)
        result.rows_read += len(rows_here) + len(rows_there)
        suspects += [
            key
            for key in rows_here.keys() | rows_there.keys()
            if rows_here.get(key) != rows_there.get(key)
        ]
    result.keys_unread = max(len(suspects) - MOST_KEYS, 0)
    looked_at = sorted(suspects, key=_sortable)[:MOST_KEYS]
    if looked_at:
        _check_suspects(table, here, there, waiting, settings, progress, looked_at, result)
    return result


def _differing(
    table: ComparedTable,
    here: PublishedSide,
    there: SourceSide,
    settings: Settings,
    progress: Progress,
    result: Comparison,
) -> Iterator[tuple[Domain, list[int]]]:
    """The groups that differ and are small enough to be read row by row, by their domain."""
    progress("what is published", 0, 1)
    rows, *ends_here = here.bounds()
    ends_there = there.bounds()
    ends = [end for end in (*ends_here, *ends_there) if end is not None]
    if None in ends_there:
        ends = []
    domains = [_domain(rows, min(ends, default=None), max(ends, default=None))]
    read = 0
    is_first = True
    while domains:
        domain = domains.pop()
        progress("what is published", 0, 1)
        groups_here = here.groups(domain)
        groups_there: dict[int, Group] = {}
        queries = there.group_queries(domain, groups_here)
        for number, found in enumerate(there.groups(queries)):
            # Two queries never share a group: each ends where one ends.
            groups_there |= found
            progress("the source", number + 1, len(queries))
        if is_first:
            result.rows_here = sum(group.rows for group in groups_here.values())
            result.rows_there = sum(group.rows for group in groups_there.values())
            is_first = False
        small = []
        for number in sorted(groups_here.keys() | groups_there.keys()):
            one, other = groups_here.get(number), groups_there.get(number)
            if one and other and (one.rows, one.checksum) == (other.rows, other.checksum):
                continue
            size = max(group.rows for group in (one, other) if group)
            if domain.width is not None and size > settings.range_size:
                # Keys that stand close together, or share their first column.
                ends = [
                    end
                    for group in (one, other)
                    if group
                    for end in (group.start, group.end)
                    if end is not None
                ]
                domains.append(_domain(size, min(ends), max(ends)))
            elif read + size > settings.max_rows:
                result.rows_unread += size
            else:
                read += size
                small.append(number)
        if small:
            yield domain, small


def _domain(rows: int, start: int | None, end: int | None) -> Domain:
    groups = min(max(-(-rows // _GROUP_ROWS), 1), _MOST_GROUPS)
    if start is None or end is None or end - start >= _MOST_SPAN:
        return Domain(None, None, None, groups)
    if start == end:
        return Domain(start, end, None, groups)
    width = -(-(end - start + 1) // groups)
    return Domain(start, end, width, groups)


def _check_suspects(
    table: ComparedTable,
    here: PublishedSide,
    there: SourceSide,
    waiting: Waiting,
    settings: Settings,
    progress: Progress,
    keys: Sequence[Key],
    result: Comparison,
) -> None:
    """Tell of each key whether it differs, or has only changed since.

    A key differs if its row at the source was the same at two looks, `Settings.wait` seconds apart,
    and then no DMS file has a change of it that the published state lacks, and that state still
    has another row. For a change that came before the first look is in a file at the second.
    """
    progress("the rows that differ", 0, 1)
    first = there.look_up(keys)
    explained = waiting(keys)
    now = here.look_up(keys)
    open_keys = [key for key in keys if key not in explained and now.get(key) != first.get(key)]
    result.waiting = [key for key in keys if key in explained]
    if open_keys and settings.wait:
        progress("waiting", 0, 1)
        sleep(settings.wait)
        second = there.look_up(open_keys)
        explained = waiting(open_keys) | {
            key for key in open_keys if first.get(key) != second.get(key)
        }
        # Behind the files: what a run has applied meanwhile is there.
        now = here.look_up(open_keys)
        open_keys = [key for key in open_keys if now.get(key) != second.get(key)]
        result.waiting += [key for key in open_keys if key in explained]
        open_keys = [key for key in open_keys if key not in explained]
        first = second
    for key in open_keys:
        one, other = now.get(key), first.get(key)
        if other is None:
            result.only_here.append(Difference(key, one, None))
        elif one is None:
            result.only_there.append(Difference(key, None, other))
        else:
            names = tuple(
                column.name
                for column, value, other_value in zip(table.columns, one, other, strict=True)
                if value != other_value
            )
            result.different.append(Difference(key, one, other, names))


def _sortable(key: Key) -> list[tuple[bool, int, str]]:
    return [(part is not None, len(part or ""), part or "") for part in key]
