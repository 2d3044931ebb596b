"""What the events of a table say of each of its files: the one place that tells its state.

| A file is | if |
|---|---|
| missing | its last event says so; the events of the index have that of each file once |
| replaced | a later full load has what it said |
| skipped | it is missing since before its full load began again, and no part of that |
| neither | it is there |
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pyspark_dms.landing.events import (
    FILE_KINDS,
    LOAD,
    RESTORED,
    FileKey,
    ObjectEvent,
    is_before,
)
from pyspark_dms.landing.full_loads import FullLoad, folder_number, newest_load


@dataclass(frozen=True)
class FileState:
    """What the events of one path say about its file.

    Attributes:
        path: the file.
        last: its last event; of several that say that it is missing the first.
        seen_at: when it was first seen.
        is_missing: whether it is missing.
        is_replaced: whether a later full load has what it said.
        is_skipped: whether it is missing since before its full load began again, and no part of it.
    """

    path: str
    last: ObjectEvent
    seen_at: datetime
    is_missing: bool
    is_replaced: bool
    is_skipped: bool


@dataclass(frozen=True)
class UploadsLeft:
    """Which of some uploads of files a run could still take.

    Attributes:
        missing: the paths of those that are missing, in order.
        count: how many are there as they were, and of no full load that another one replaced.
    """

    missing: tuple[str, ...]
    count: int


def uploads_left(
    events: Iterable[ObjectEvent], uploads: Collection[FileKey], excluded: Collection[FileKey]
) -> UploadsLeft:
    """Tell which uploads of files of a table are left.

    Args:
        events: all events of the table, those of several folders too.
        uploads: the uploads that are asked about.
        excluded: those that no run takes: a full load among them replaces nothing.
    """
    of_folder: dict[int, list[ObjectEvent]] = defaultdict(list)
    for event in events:
        if event.kind == LOAD and event.key in excluded:
            # It is there, and no full load.
            event = replace(event, kind=RESTORED)
        if event.kind in FILE_KINDS:
            of_folder[folder_number(event.load_generation)].append(event)
    states = {one.path: one for known in of_folder.values() for one in file_states(known)}
    missing, count = [], 0
    for path, etag in uploads:
        state = states.get(path)
        if state and state.is_missing:
            missing.append(path)
        elif not state or (state.last.etag == etag and not state.is_replaced):
            count += 1
    return UploadsLeft(tuple(sorted(missing)), count)


@dataclass
class _Seen:
    """The events of a path that count: the last, the first one's time, and the last full load."""

    last: ObjectEvent
    seen_at: datetime
    load: ObjectEvent | None = None


def file_states(events: Sequence[ObjectEvent]) -> list[FileState]:
    """Tell of every file of a table whether it is missing, and whether a full load replaced it.

    A file is replaced if it is of an earlier load generation, or has changes that were written and
    seen before the first file of the newest one. A full load that no run took does not make the
    next one another. Its files, and changes before it, are skipped if they were missing when a
    first file came, and no other of its files is as it was.
    """
    files = _seen_files(events)
    newest = newest_load(seen.load for seen in files.values() if seen.load)
    there = FullLoad(
        newest.generation, tuple(one for one in newest.files if not files[one.path].last.is_missing)
    )
    begun_at = there.beginnings.seen_at
    if begun_at is None or begun_at != there.seen_at:
        return [_state(seen, newest, None) for seen in files.values()]
    return [_state(seen, there, begun_at) for seen in files.values()]


def _seen_files(events: Iterable[ObjectEvent]) -> dict[str, _Seen]:
    files: dict[str, _Seen] = {}
    for event in sorted(events, key=lambda event: event.indexed_at):
        if event.kind not in FILE_KINDS:
            continue
        seen = files.setdefault(event.path, _Seen(event, event.indexed_at))
        # Recorded again, because a person said that it is not needed, it was missing before.
        if not (seen.last.is_missing and event.is_missing):
            seen.last = event
        # What was put back has a time of its own, but is no full load.
        if event.kind == LOAD:
            seen.load = event
    return files


def _state(seen: _Seen, newest: FullLoad, begun_at: datetime | None) -> FileState:
    """The state of a file.

    Args:
        seen: its events.
        newest: the newest full load.
        begun_at: when a run saw that it had begun again with a first file; None if it has not.
    """
    last = seen.last
    was_missing = (
        begun_at is not None
        and last.is_missing
        and last.generation == newest.generation
        and last.indexed_at <= begun_at
    )
    was_loaded = seen.load is not None and is_before(seen.load.indexed_at, begun_at)
    is_earlier = last.load_generation < newest.generation or (
        not last.is_load
        and is_before(last.modified_at, newest.started_at)
        and is_before(seen.seen_at, newest.seen_at)
    )
    return FileState(
        path=last.path,
        last=last,
        seen_at=seen.seen_at,
        is_missing=last.is_missing,
        is_replaced=(was_missing and was_loaded) or is_earlier,
        is_skipped=was_missing and (was_loaded or is_earlier),
    )
