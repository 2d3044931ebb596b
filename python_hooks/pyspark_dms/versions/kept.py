"""Which versions and which folders vacuum keeps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pyspark_dms.versions.feeds import feed_base
from pyspark_dms.versions.manifest import Manifest
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
    shown = state.shown
    seen = _seen_since(state, since)
    of_dates = {date.version for number in seen for date in state.versions[number].dates}
    starts = {shown.current.version, shown.current.base_version}
    if change_feed:
        starts.add(feed_base(shown.newest, shown.current.run_date, None))
    kept = {*seen, *of_dates, *shown.dates.values()}
    return tuple(sorted(kept.union(one for one in starts if one is not None)))


def _seen_since(state: TableState, since: datetime) -> list[int]:
    """The versions that readers see or have seen since a moment; reads none much older."""
    seen, is_seen = [], True
    for number in range(state.newest, 0, -1):
        # What a person has given up is no version.
        if number not in state.versions:
            continue
        if is_seen:
            seen.append(number)
        finished = _finished(state.versions[number])
        if finished < since - _CLOCKS_DIFFER:
            break
        is_seen = finished >= since
    return seen


def _finished(version: Manifest) -> datetime:
    text = version.finished_at or version.started_at
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def kept_folders(versions: Mapping[int, Manifest], kept: Collection[int]) -> KeptFolders:
    """The folders of some versions, and of the changes of every date that the feed has with them.

    What else a run has written was for that run.
    """
    manifests = [versions[number] for number in kept]
    staged = [folder for manifest in manifests for folder in manifest.staged]
    fed = {date.version for manifest in manifests for date in manifest.feed_dates or ()}
    feed = (versions[number].feed_location for number in sorted({*kept, *fed}))
    return KeptFolders(
        rows=_once(one.location for manifest in manifests for one in manifest.partitions),
        feed=_once(feed),
        staged=_once(one.folder for one in staged),
        reports=_once(one.report for one in staged),
        rejects=_once(one.rejects for one in staged),
    )


def _once(folders: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(folder for folder in folders if folder))
