"""Makes the events of files from their differences: kind, load generation and place of each.

What differs is found in `pyspark_dms.landing.objects`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pyspark_dms.landing.events import (
    CDC,
    FILE_KINDS,
    LOAD,
    MISSING,
    RESTORED,
    UPLOAD_KINDS,
    FileKey,
    ListedObject,
    ObjectEvent,
    Run,
    content_tag,
    first_of,
    last_by_path,
)
from pyspark_dms.landing.full_loads import FullLoad, LoadGenerations, is_reload, newest_load
from pyspark_dms.landing.strays import is_other_format

# Differences that become events only beside others of their table.
COPIED = "copied"  # change files that were uploaded again with the same content
UNCHANGED_AFTER_RESTORE = "unchanged after restore"


@dataclass(frozen=True)
class Difference:
    """How an object differs from its last event.

    Attributes:
        kind: a kind of event, or one of the two differences that need others beside them.
        listed: the object, or as it was if it is missing.
        recorded: its last event.
    """

    kind: str
    listed: ListedObject
    recorded: ObjectEvent | None


class _Loads:
    """What is known of the full loads of a table."""

    def __init__(self, known: Sequence[ObjectEvent]) -> None:
        generations = [event.generation for event in known if event.generation is not None]
        # The newest load generation, or None before the first file.
        self.generation = max(generations, default=None)
        # The newest load generation that has a full load may be an earlier one.
        last = newest_load(known)
        self.started_at = last.started_at
        self.newest = last if last.generation == self.generation else FullLoad(0, ())
        self.last_place = max((file.file_seq or 0 for file in self.newest.files), default=0)


def file_events(
    known: Sequence[ObjectEvent],
    found: Mapping[str, Difference],
    taken_loads: Collection[FileKey],
    excluded: Collection[FileKey],
    run: Run,
    file_format: str,
) -> list[ObjectEvent]:
    """The events of files, from their differences: those that need others, kinds and places."""
    loads = _Loads(known)
    history: dict[str, list[ObjectEvent]] = {path: [] for path in found}
    for event in known:
        if event.path in history:
            history[event.path].append(event)
    kept = _without_lone(found)
    taken = _taken_loads(kept, loads.newest, set(taken_loads), set(excluded))
    gone = _gone(taken, known, kept, file_format)
    reloads = is_reload([one.listed for one in kept.values() if one.kind == LOAD], taken, gone)
    kinds = {path: _event_kind(one, history[path], reloads, loads) for path, one in kept.items()}
    kept = {path: one for path, one in kept.items() if kinds[path] != UNCHANGED_AFTER_RESTORE}
    generations = _generations(known, kept, kinds, reloads, loads)
    places = _places(known, kept, kinds, 0 if reloads else loads.last_place)
    copied = _copied_path(found.values())
    return [
        ObjectEvent(
            path=path,
            kind=kinds[path],
            # Where clocks go back an hour comes twice: a later upload keeps the time that is known.
            file_time=(one.recorded.file_time if one.recorded else None) or one.listed.file_time,
            size=one.listed.size,
            etag=_entity_tag(one, kinds[path], history[path]),
            modified_at=one.listed.modified_at,
            generation=generations.of(kinds[path], one.listed, one.recorded)
            if kinds[path] in FILE_KINDS
            else None,
            file_seq=places.get(path),
            problem=copied if one.kind == LOAD else None,
            indexed_at=run.started_at,
        )
        for path, one in kept.items()
    ]


def _without_lone(found: Mapping[str, Difference]) -> dict[str, Difference]:
    """The differences without those that become events only beside others, and have none."""
    # An unchanged first file may be that of a reload of which the next file comes only now.
    has_load_after_loss = any(
        one.kind == LOAD and one.recorded and one.recorded.is_missing for one in found.values()
    )
    lone = {COPIED} if has_load_after_loss else {COPIED, UNCHANGED_AFTER_RESTORE}
    return {path: one for path, one in found.items() if one.kind not in lone}


def _copied_path(found: Iterable[Difference]) -> str | None:
    """A change file of the newest load generation that was uploaded again as it was."""
    copied = [one.recorded for one in found if one.kind == COPIED and one.recorded]
    newest = max(copied, key=lambda file: (file.load_generation, file.path), default=None)
    return newest.path if newest else None


def _taken_loads(
    kept: Mapping[str, Difference],
    newest: FullLoad,
    taken_loads: Collection[FileKey],
    excluded: Collection[FileKey],
) -> dict[str, bool]:
    """The files of the newest full load that a version has applied; see `is_reload`."""
    taken: dict[str, bool] = {}
    if any(one.kind == LOAD for one in kept.values()):
        for file in newest.files:
            if file.key in taken_loads or file.key in excluded:
                taken[file.path] = taken.get(file.path, False) or file.key in excluded
    return taken


def _gone(
    paths: Collection[str],
    known: Sequence[ObjectEvent],
    kept: Mapping[str, Difference],
    file_format: str,
) -> set[str]:
    """Those of some known files that are missing now, or of another format than the declared."""
    kinds = {path: one.kind for path, one in last_by_path(
        event for event in known if event.path in paths
    ).items()}  # fmt: skip
    kinds |= {path: kept[path].kind for path in paths if path in kept}
    return {path for path in paths if kinds[path] == MISSING or is_other_format(path, file_format)}


def _is_written_again(one: Difference, history: Sequence[ObjectEvent]) -> bool:
    """Whether a full load file was written after its last upload: a store keeps the time of one
    that only was away.
    """
    if one.listed.kind != LOAD or one.kind == MISSING or one.listed.modified_at is None:
        return False
    uploads = [event for event in history if event.kind == LOAD]
    if not uploads:
        return False
    last = max(uploads, key=lambda event: event.indexed_at)
    return last.modified_at is not None and one.listed.modified_at > last.modified_at


def _entity_tag(one: Difference, kind: str, history: Sequence[ObjectEvent]) -> str | None:
    """The entity tag of an upload: content that comes to its path again is another upload."""
    listed = one.listed
    if one.recorded and kind in (MISSING, RESTORED):
        return one.recorded.etag
    if listed.etag is None:
        return None
    uploads = sum(
        event.kind in UPLOAD_KINDS and content_tag(event.etag) == listed.etag for event in history
    )
    return f"{listed.etag}#{uploads + 1}" if uploads else listed.etag


def _event_kind(
    one: Difference, history: Sequence[ObjectEvent], reloads: bool, loads: _Loads
) -> str:
    """The kind of event of a difference.

    What was away and is back as it was is no full load, but for one that a reload has written again
    as it was, while it wrote others of its files differently.
    """
    is_back = one.kind in (RESTORED, UNCHANGED_AFTER_RESTORE)
    if not is_back or not _is_written_again(one, history):
        return one.kind
    recorded, modified_at = one.recorded, one.listed.modified_at
    is_of_newer_load = (
        recorded is not None
        and recorded.generation is not None
        and loads.generation is not None
        and recorded.generation < loads.generation
        and modified_at is not None
        and loads.started_at is not None
        and modified_at >= loads.started_at
    )
    return LOAD if reloads or is_of_newer_load else one.kind


def _generations(
    known: Sequence[ObjectEvent],
    kept: Mapping[str, Difference],
    kinds: Mapping[str, str],
    reloads: bool,
    loads: _Loads,
) -> LoadGenerations:
    """What tells the load generation of each file that differs."""
    new_loads = [one for path, one in kept.items() if kinds[path] == LOAD]
    new_times = {one.listed.file_time for path, one in kept.items() if kinds[path] == CDC}
    of_times: dict[datetime, int] = {}
    for event in known:
        time, generation = event.file_time, event.generation
        if event.kind == CDC and time in new_times and time is not None and generation is not None:
            of_times[time] = max(of_times.get(time, 0), generation)
    return LoadGenerations(
        newest=loads.generation,
        started_at=loads.started_at,
        is_reload=reloads,
        reload_started_at=first_of(one.listed.modified_at for one in new_loads),
        reload_has_moved=not any(one.recorded and one.recorded.generation for one in new_loads),
        of_times=of_times,
    )


def _places(
    known: Sequence[ObjectEvent],
    kept: Mapping[str, Difference],
    kinds: Mapping[str, str],
    loads_before: int,
) -> dict[str, int]:
    """The place of each file that differs, among the files of its generation.

    Full load files count from 1, change files carry their time in nanoseconds: so loads come first,
    and a file that arrives late still gets the place that its name gives it. Of one name in several
    folders the file that was seen first comes first, then the path decides.

    Args:
        known: all events of the table.
        kept: the differences, by path.
        kinds: the kinds of event, by path.
        loads_before: the last place of the full load files that new ones go on with.
    """
    places: dict[str, int] = {}
    in_order = sorted(kept, key=lambda path: (kept[path].listed.name_order or 0, path))
    free = _free_places(known) if any(kinds[path] == CDC for path in kept) else None
    for path in in_order:
        kind, listed, recorded = kinds[path], kept[path].listed, kept[path].recorded
        if kind == LOAD:
            loads_before += 1
            places[path] = loads_before
        elif (
            kind in (MISSING, RESTORED, CDC)
            and recorded is not None
            and recorded.file_seq is not None
        ):
            # Uploaded again, a change file stays where it was.
            places[path] = recorded.file_seq
        elif kind == CDC and listed.name_order is not None and free is not None:
            places[path] = free(listed.name_order)
    return places


def _free_places(known: Sequence[ObjectEvent]) -> Callable[[int], int]:
    """Gives the first place from a wanted one on that no change file has, and takes it."""
    used = {event.file_seq for event in known if event.kind == CDC}

    def take(wanted: int) -> int:
        while wanted in used:
            wanted += 1
        used.add(wanted)
        return wanted

    return take
