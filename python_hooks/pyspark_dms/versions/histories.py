"""What a history has to do: which runs it takes, and from which rows it goes on.

A history has a partition for each date of which it took runs: the rows that these closed. Beside it
lie the rows that were open then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from pyspark_dms.errors import DmsError, sentences
from pyspark_dms.versions.lineage import (
    live_generations,
    origin_version,
    previous_version,
    reloaded_folders,
    walk_lineage,
)
from pyspark_dms.versions.manifest import ALTER, Manifest, Step
from pyspark_dms.versions.states import Recorded


@dataclass(frozen=True)
class ClosedRows:
    """A partition of a history: what a run closed, and the open rows that it left.

    Attributes:
        run_date: its date.
        version: the version up to which it goes.
        closed, open: the folders of these rows.
    """

    run_date: str
    version: int
    closed: str
    open: str


@dataclass(frozen=True)
class HistoryBase:
    """What a history goes on from.

    Attributes:
        rows: the newest of its partitions that still counts.
        manifest: the version of that, if the current version is built on it; None if a full refresh
            has replaced it.
        last_date: the last date before that full refresh whose changes the history has; else None.
    """

    rows: ClosedRows
    manifest: Manifest | None
    last_date: str | None


@dataclass(frozen=True)
class Reload:
    """A full load that replaced what a history has of before.

    Attributes:
        generation: its load generation, or the first of those of all folders.
        generations: all that begin with it.
        shard: the one of several folders whose rows are replaced; None for all.
    """

    generation: int
    generations: tuple[int, ...]
    shard: str | None


@dataclass(frozen=True)
class HistoryRun:
    """A published run whose changes a history takes.

    Attributes:
        manifest: its version.
        starts_at: no change of it counts from earlier (text in UTC); None for any time.
        oldest_generation: changes of earlier load generations do not count.
        reloads: the full loads that it brought.
    """

    manifest: Manifest
    starts_at: str | None
    oldest_generation: int
    reloads: tuple[Reload, ...]


@dataclass(frozen=True)
class HistoryPlan:
    """What a history has to do.

    Attributes:
        is_due: whether there is anything to do: runs were published since, or what was closed last
            is not published any more.
        base: what it goes on from; None for nothing.
        runs: the runs to take, oldest first.
        stale: the dates of partitions that do not count any more, newest first.
    """

    is_due: bool
    base: HistoryBase | None = None
    runs: tuple[HistoryRun, ...] = ()
    stale: tuple[str, ...] = ()


class UnknownFolders(Exception):
    """A plan depends on a partition whose folders are not known."""


@dataclass(frozen=True)
class _Published:
    """A version of the lineage, with the dates that readers saw with it, in their order."""

    manifest: Manifest
    dates: tuple[str, ...]

    @property
    def version(self) -> int:
        return self.manifest.version

    @property
    def run_date(self) -> str:
        return self.manifest.run_date


def plan_history(
    versions: Mapping[int, Manifest],
    newest: int | None,
    recorded: Mapping[int, Recorded],
    closed: Sequence[ClosedRows],
    open_now: str | None,
    older: Sequence[str] = (),
) -> HistoryPlan:
    """Plan what a run of a history has to do.

    It goes on from the newest partition that a version of the current lineage has closed. What
    redone or rolled back runs closed is replaced.

    Args:
        versions: all versions of the table.
        newest: the number of the newest one; None if there is none.
        recorded: what was recorded of versions.
        closed: the partitions of the history, newest first.
        open_now: the folder of open rows that readers see; None for none.
        older: the dates of partitions behind these whose folders are not known, newest first.

    Raises:
        UnknownFolders: one of them may be the partition to go on from.
    """
    if newest is None or (closed and closed[0].version == newest):
        return HistoryPlan(is_due=False)
    found = _find_base(versions, newest, {one.version: one for one in closed}, older)
    lineage = _with_dates(versions, found.lineage, newest, recorded)
    base = None
    if found.rows and found.replaced:
        replaced = _with_dates(versions, found.replaced, newest, recorded)
        last_date = _last_date_taken(lineage[0].manifest, replaced)
        base = HistoryBase(found.rows, None, last_date)
    elif found.rows:
        base = HistoryBase(found.rows, lineage[0].manifest, None)
    runs = _runs(lineage, base)
    dates = (*(one.run_date for one in closed), *older)
    stale = tuple(date for date in dates if not base or date > base.rows.run_date)
    # A command that died may have shown the open rows of a version that was undone since.
    is_stale = base is not None and (bool(stale) or base.rows.open != open_now)
    return HistoryPlan(bool(runs) or is_stale, base, runs, stale)


def check_finished(
    label: str,
    history: str,
    newest: int | None,
    recorded: Mapping[int, Recorded],
    published: Collection[int],
) -> None:
    """Check that staging shows the lineage of the newest version.

    Args:
        label: how messages name the table.
        history: the name of the history.
        newest: the number of the newest version; None if there is none.
        recorded: what was recorded of versions.
        published: the versions that this command has published.

    Raises:
        DmsError: the newest version was committed and is not published whole.
    """
    if newest is not None and newest not in published and newest not in recorded:
        raise DmsError(
            "E408",
            sentences(
                f"{label}: version {newest} was committed, and the command that made it has not "
                "published all of it",
                f"Nothing of {history} was changed",
                "If that command is not at work any more, run dbt run, which finishes it. "
                "Then dbt snapshot",
            ),
        )


# ----------------------------------------------------------------------------- lineage


@dataclass(frozen=True)
class _Found:
    """Numbers of versions, oldest first, up to those whose rows a history goes on from.

    `replaced` are those that the first of `lineage`, a full refresh, has replaced.
    """

    lineage: tuple[int, ...]
    replaced: tuple[int, ...]
    rows: ClosedRows | None


def _find_base(
    versions: Mapping[int, Step],
    newest: int,
    made: Mapping[int, ClosedRows],
    older: Collection[str] = (),
) -> _Found:
    """The newest partition that still counts: of the lineage, or of what a refresh replaced."""

    def closed(number: int) -> ClosedRows | None:
        # What a version closed is the partition of its date, or is there no more.
        if number not in made and versions[number].run_date in older:
            raise UnknownFolders
        return made.get(number)

    lineage: list[int] = []
    for number in walk_lineage(versions, newest):
        lineage.insert(0, number)
        if rows := closed(number):
            return _Found(tuple(lineage), (), rows)
    refresh = versions[lineage[0]]
    replaced: list[int] = []
    for number in _walk_replaced(versions, refresh.version) if made else ():
        replaced.insert(0, number)
        if versions[number].run_date < refresh.run_date and (rows := closed(number)):
            return _Found(tuple(lineage), tuple(replaced), rows)
    return _Found(tuple(lineage), (), None)


def _walk_replaced(versions: Mapping[int, Step], refresh: int) -> Iterator[int]:
    """What a full refresh has replaced, newest first, also over earlier full refreshes."""
    while (before := previous_version(versions, refresh)) is not None:
        for number in walk_lineage(versions, before):
            yield number
            refresh = number


def _with_dates(
    versions: Mapping[int, Manifest],
    numbers: Sequence[int],
    newest: int,
    recorded: Mapping[int, Recorded],
) -> list[_Published]:
    """Versions with the dates that readers saw with them, or with copies of them."""
    dates: dict[int, set[str]] = defaultdict(set)
    for number in range(numbers[0], newest + 1):
        if number in recorded and recorded[number].dates and number in versions:
            dates[origin_version(versions, number)].update(recorded[number].dates)
    return [
        _Published(versions[one], tuple(sorted({versions[one].run_date, *dates[one]})))
        for one in numbers
    ]


def _last_date_taken(refresh: Manifest, replaced: Sequence[_Published]) -> str:
    """The last date before a full refresh after which its changes count.

    It has those of later versions than the first of `replaced` again, under its own date only: they
    count from their own times. But it does not have those of an earlier full load.
    """
    dates = [*replaced[0].dates]
    for one in replaced[1:]:
        is_same_load = live_generations(one.manifest) == live_generations(refresh)
        if one.manifest.action != ALTER and is_same_load:
            break
        dates.extend(one.dates)
    return max(one for one in dates if one < refresh.run_date)


# -------------------------------------------------------------------------------- runs


def _runs(lineage: Sequence[_Published], base: HistoryBase | None) -> tuple[HistoryRun, ...]:
    """The runs that brought changes since the base.

    Each has a window, from the end of the run before it to the end of its own date: no change is
    dated older than a state that readers have seen without it, or newer than one that they see
    with it.
    """
    runs = []
    for before, one in zip([None, *lineage], lineage, strict=False):
        if one.manifest.action == ALTER or (base and one.run_date <= base.rows.run_date):
            continue
        # What readers saw after its date, before it was reapplied, they do not see any more.
        seen = [day for day in before.dates if day < one.run_date] if before else []
        date_before = max(seen) if seen else base.last_date if base else None
        runs.append(_run(one.manifest, before.manifest if before else None, date_before))
    return tuple(runs)


def _run(version: Manifest, before: Manifest | None, date_before: str | None) -> HistoryRun:
    # Of each of several folders a run stages what is of its newest full load, and nothing else.
    oldest = 1 if version.shards else (before or version).generation
    starts_at = (
        f"{date.fromisoformat(date_before) + timedelta(days=1)} 00:00:00" if date_before else None
    )
    return HistoryRun(version, starts_at, oldest, _reloads(version, before) if date_before else ())


def _reloads(version: Manifest, before: Manifest | None) -> tuple[Reload, ...]:
    """The full loads with which a version replaced rows of before; without one it is all rows."""
    generations = live_generations(version)
    of_folders = {shard.name: shard.generation for shard in version.shards}
    names = reloaded_folders(version, before.generation, before.shards) if before else (None,)
    return tuple(
        Reload(min(generations), generations, None)
        if name is None
        else Reload(of_folders[name], (of_folders[name],), name)
        for name in names
    )


# ------------------------------------------------------------------------------ vacuum


def open_folders(
    versions: Mapping[int, Step], closed: Sequence[ClosedRows], kept: Collection[int]
) -> tuple[str, ...]:
    """The open rows from which a history would go on if each of some versions were the newest.

    They are those beside the partition that `plan_history` would go on from.
    """
    made = {one.version: one for one in closed}
    found = (_find_base(versions, number, made).rows for number in kept if made)
    return tuple(dict.fromkeys(rows.open for rows in found if rows))
