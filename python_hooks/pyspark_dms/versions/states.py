"""What readers see with a version, and from which versions a run or an operation starts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from pyspark_dms.errors import DmsError, sentences
from pyspark_dms.versions.feeds import feed_dates
from pyspark_dms.versions.lineage import counting, is_current, origin_version, previous_version
from pyspark_dms.versions.manifest import REPLAY, Manifest, Step, shown

NOTHING_CHANGED = "Nothing was changed"
ALL_VERSIONS = "dbt run-operation versions"


class DatedTable(Protocol):
    """What a version has to know of its declared table."""

    @property
    def layout(self) -> str: ...
    @property
    def history(self) -> bool: ...
    @property
    def change_feed(self) -> bool: ...


@dataclass(frozen=True)
class Table:
    """What an operation has to know of a declared table.

    Attributes:
        label: how messages name it, as ``hr.people``.
        layout: how it is declared to be divided.
        history: whether it has a snapshot for each date.
        change_feed: whether it has a change feed.
        rebuild_command: what a person pastes to build it from nothing.
    """

    label: str
    layout: str
    history: bool
    change_feed: bool
    rebuild_command: str


@dataclass(frozen=True)
class Command:
    """The command that makes a version: the name of its run, and when it began (text in UTC)."""

    run: str
    started_at: str


@dataclass(frozen=True)
class Recorded:
    """What commands have recorded of a version that was published whole.

    Attributes:
        dates: the unchanged dates that show it, in their order.
        indexed_from, indexed_through: what the run of the last of them has looked at of the index;
            None if no run has recorded anything.
    """

    dates: tuple[str, ...] = ()
    indexed_from: str | None = None
    indexed_through: str | None = None


@dataclass(frozen=True)
class Shown:
    """What readers see with a version, or saw.

    Attributes:
        newest: its manifest.
        current: that of the state that is current with it, as far as its unchanged dates have
            looked at the index.
        dates: the version that each date shows.
    """

    newest: Manifest
    current: Manifest
    dates: Mapping[str, int]


@runtime_checkable
class Logged(Protocol):
    """Versions of a log, which can be read without what is long in them."""

    @property
    def next(self) -> int: ...
    def read_with(self, *fields: str) -> Mapping[int, Manifest]: ...


@dataclass(frozen=True)
class TableState:
    """Where a published table stands, for an operation.

    Attributes:
        newest: the number of its newest version.
        shown: what readers see with it.
        versions: all versions by number.
        recorded: what was recorded of those that were published whole.
        to_record: what is to be recorded of the newest one, once it is published whole.
        published: the version that a command has published last; 0 if none has.
    """

    newest: int
    shown: Shown
    versions: Mapping[int, Manifest]
    recorded: Mapping[int, Recorded]
    to_record: Recorded
    published: int = 0

    @property
    def steps(self) -> Mapping[int, Step]:
        """All versions by number, without what is long in them: rules walk through many of them."""
        return self.read_with()

    def read_with(self, *fields: str) -> Mapping[int, Manifest]:
        """All versions by number, with some fields that are long, and no others of these."""
        versions = self.versions
        return versions.read_with(*fields) if isinstance(versions, Logged) else versions

    @property
    def next_version(self) -> int:
        """The number of the version that comes next; one that was given up is not used again."""
        return self.versions.next if isinstance(self.versions, Logged) else self.newest + 1

    @property
    def is_published(self) -> bool:
        """Whether readers see all of the newest version, and nothing that was given up since."""
        return self.newest == self.published

    @property
    def published_before(self) -> int | None:
        """The version that was published whole last: what readers may still see.

        None if that is not known, because it was given up.
        """
        before = self.published
        if before == self.newest:
            before = max((number for number in self.recorded if number != before), default=0)
        return before if 0 < before < self.newest and before in self.versions else None

    @property
    def given_up_dates(self) -> tuple[str, ...]:
        """The dates whose version was given up since; reads all that dates show."""
        dates = self.shown.dates
        there = counting(self.steps, dates.values())
        return tuple(date for date in sorted(dates) if dates[date] not in there)

    def without_dates(self, dates: Collection[str]) -> TableState:
        """As if nothing had ever been shown for some dates."""
        dates = {date: one for date, one in self.shown.dates.items() if date not in dates}
        return replace(self, shown=replace(self.shown, dates=dates))


def table_state(
    versions: Mapping[int, Manifest],
    newest: int,
    recorded: Mapping[int, Recorded],
    published: int | None = None,
) -> TableState:
    """Where a table with at least one version stands.

    A version that was committed, and is not recorded, still has to be published. A run makes no
    version for an unchanged date: one that was recorded since the command of that version began is
    added to it, if it has the same state again. A version that undoes the state undoes the date.

    Args:
        versions: all versions by number.
        newest: the number of the newest one.
        recorded: what was recorded of those that were published whole.
        published: the one that was recorded last; None: the newest of them.
    """
    added = Recorded() if newest in recorded else _added_dates(versions, newest, recorded)
    known = {**recorded, newest: added} if added.dates else recorded
    if published is None:
        published = max(recorded, default=0)
    shown = versions_at(versions, newest, known)
    return TableState(newest, shown, versions, recorded, added, published)


def _added_dates(
    versions: Mapping[int, Manifest], newest: int, recorded: Mapping[int, Recorded]
) -> Recorded:
    """The unchanged dates that came while a version was made that has the same state again."""
    before = previous_version(versions, newest)
    if before is None or not _keeps_state(versions, newest, before):
        return Recorded()
    seen = recorded.get(versions[before].current_version, Recorded())
    there = {date.run_date for date in versions[newest].dates}
    added = tuple(date for date in seen.dates if date not in there)
    return replace(seen, dates=added) if added else Recorded()


def _keeps_state(versions: Mapping[int, Manifest], newest: int, before: int) -> bool:
    """Whether the current state with a version is the one before it, and has its number."""
    version = versions[newest]
    if version.restored_version is None:
        return version.action == REPLAY
    origin = origin_version(versions, version.restored_version, (newest,))
    return origin == origin_version(versions, before)


def versions_at(
    versions: Mapping[int, Manifest], number: int, recorded: Mapping[int, Recorded]
) -> Shown:
    """What readers see with a version, or saw."""
    newest = versions[number]
    current = versions[newest.current_version]
    seen = recorded.get(current.version, Recorded())
    return Shown(newest, with_recorded(current, seen), shown_dates(newest, seen.dates))


def with_recorded(manifest: Manifest, recorded: Recorded) -> Manifest:
    """A version as far as its unchanged dates have looked at the index.

    What they warned of is not reported again.
    """
    if recorded.indexed_through is None:
        return manifest
    return replace(
        manifest,
        indexed_from=recorded.indexed_from or manifest.indexed_from,
        indexed_through=recorded.indexed_through,
    )


def shown_dates(newest: Manifest, unchanged: tuple[str, ...]) -> dict[str, int]:
    """Which version each date shows: what the newest manifest says, and unchanged dates since."""
    dates = dict.fromkeys(unchanged, newest.current_version)
    return dates | {date.run_date: date.version for date in newest.dates}


def next_fields(
    before: Shown | None, run_date: str, version: int, table: DatedTable
) -> dict[str, Any]:
    """What a version that is made of changes has of the state before it, as a manifest says it.

    Args:
        before: what readers see before it; None at the first.
        run_date: its run date.
        version: its number.
        table: the table.

    Returns:
        ``dates`` (without history, or in another layout, only its own), ``feed_dates``,
        ``excluded_files`` and ``included_files``.
    """
    newest = before.newest if before else None
    keeps = before is not None and table.history and before.current.layout == table.layout
    dates = {**(before.dates if before and keeps else {}), run_date: version}
    return {
        "dates": shown(dates),
        "feed_dates": feed_dates(newest, run_date, version, is_asked_for=table.change_feed),
        "excluded_files": newest.excluded_files if newest else (),
        "included_files": newest.included_files if newest else (),
    }


def replayed_dates(state: TableState) -> dict[str, int]:
    """Which version each date shows once the current state was built again as the next version.

    After a vacuum or a rollback the current version is a copy of the one that dates show. A date
    that a backfill has made stays: its state is not the current one.
    """
    return {
        date: state.next_version if shows_current(state, version) else version
        for date, version in state.shown.dates.items()
    }


def shows_current(state: TableState, version: int) -> bool:
    """Whether a date that shows a version shows the current state; copies of it are the same."""
    versions = state.steps
    return is_current(versions, version) and (
        origin_version(versions, version) == origin_version(versions, state.newest)
    )


def check_published(label: str, newest: int | None) -> int:
    """The number of the newest version of a table.

    Raises:
        DmsError: there is none.
    """
    if newest is None:
        raise DmsError(
            "E420",
            sentences(
                f"{label}: nothing was ever published, so there is nothing to do",
                NOTHING_CHANGED,
                "Publish with dbt run",
            ),
        )
    return newest


def check_layout(table: Table, current: Manifest) -> None:
    """Check that a table is divided as the version was that readers see.

    Raises:
        DmsError: it is declared otherwise.
    """
    if current.layout != table.layout:
        raise DmsError(
            "E402",
            sentences(
                f"{table.label}: the declaration says: {table.layout}; "
                f"it was published as: {current.layout}",
                NOTHING_CHANGED,
                f"Declare it as before, or repartition it: {table.rebuild_command}",
            ),
        )
