"""Which versions and which folders vacuum keeps."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pyspark_dms.versions.feeds import feed_base
from pyspark_dms.versions.manifest import Step
from pyspark_dms.versions.states import TableState

# Clocks of machines differ by minutes; what is a day older than asked for is older on all of them.
_CLOCKS_DIFFER = timedelta(days=1)


@dataclass(frozen=True)
class KeptFolders:
    """The folders of kept versions, by what is in them."""

    rows: tuple[str, ...]
    feed: tuple[str, ...]
    staged: tuple[str, ...]
    reports: tuple[str, ...]
    rejects: tuple[str, ...]


def kept_versions(
    state: TableState, since: datetime | None, *, change_feed: bool
) -> tuple[int, ...]:
    """The versions that readers see or have seen since a moment, and what the next run starts from.

    A version counts as seen until the one after it was finished. With a version are kept those of
    the dates that it shows, so that it can be had again.

    Args:
        state: where the table stands.
        since: the moment; None to keep all.
        change_feed: whether the table has a change feed.
    """
    if since is None:
        return tuple(state.versions)
    shown, with_dates = state.shown, state.read_with("dates")
    seen = _seen_since(state, since)
    of_dates = {date.version for number in seen for date in with_dates[number].dates}
    starts = {shown.current.version, shown.current.base_version}
    if change_feed:
        starts.add(feed_base(shown.newest, shown.current.run_date, None))
    kept = {*seen, *of_dates, *shown.dates.values(), *starts}
    # A date may show what was given up since.
    return tuple(sorted(one for one in kept if one is not None and one in state.versions))


def _seen_since(state: TableState, since: datetime) -> list[int]:
    """The versions that readers see or have seen since a moment; reads none much older."""
    seen, is_seen = [], True
    for number in range(state.newest, 0, -1):
        # What a person has given up is no version.
        if number not in state.versions:
            continue
        if is_seen:
            seen.append(number)
        finished = _finished(state.steps[number])
        if finished < since - _CLOCKS_DIFFER:
            break
        is_seen = finished >= since
    return seen


def _finished(version: Step) -> datetime:
    text = version.finished_at or version.started_at
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def kept_folders(state: TableState, kept: Collection[int]) -> KeptFolders:
    """The folders of some versions, and of the changes of every date that the feed has with them.

    What else a run has written was for that run.
    """
    versions = state.read_with("partitions", "staged", "feed_dates")
    manifests = [versions[number] for number in kept]
    # The folders of a load are those of all versions that are built on it.
    staged = {id(one): one for manifest in manifests for one in manifest.staged}.values()
    fed = {date.version for manifest in manifests for date in manifest.feed_dates or ()}
    feed = (one for one in sorted({*kept, *fed}) if one in versions)
    return KeptFolders(
        rows=_once(one.location for manifest in manifests for one in manifest.partitions),
        feed=_once(state.steps[one].feed_location for one in feed),
        staged=_once(one.folder for one in staged),
        reports=_once(one.report for one in staged),
        rejects=_once(one.rejects for one in staged),
    )


def _once(folders: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(folder for folder in folders if folder))
