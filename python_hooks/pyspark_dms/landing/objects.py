"""Decides what each object of the landing area is now: the events that a run appends to dms_files.

One pure function, `decide`, compares what is known of one table's objects with a listing. It says
what is new, missing or restored, to which load generation a new file belongs, and its place there.
The rules are those of docs/reference/dms.md and of decision 17.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pyspark_dms.landing.events import (
    CDC,
    EMPTY,
    FILE_KINDS,
    LISTING_FAILED,
    LOAD,
    MISSING,
    PRESENT_KINDS,
    RESTORED,
    TIME_ZONE_CHANGED,
    UNKNOWN,
    UPLOAD_KINDS,
    ListedFolder,
    ListedObject,
    ObjectEvent,
    Run,
    content_tag,
    end_of,
    folder_event,
    latest_by_path,
)
from pyspark_dms.landing.stray_events import of_format
from pyspark_dms.landing.strays import ANY_FORMAT, is_other_format

# Differences that become events only beside others of their table.
_COPIED = "copied"  # change files that were uploaded again with the same content
_UNCHANGED_AFTER_RESTORE = "unchanged after restore"

_LOAD_NAME = re.compile(r"LOAD[0-9A-F]+[.][^/]*$", re.IGNORECASE)
_FIRST_LOAD_NAME = re.compile(r"LOAD0*1[.][^/]*$", re.IGNORECASE)


def begins_a_load(path: str) -> bool:
    """Whether a path is that of the first file of a full load, or of one of its segments."""
    return _FIRST_LOAD_NAME.search(path) is not None


def load_place(path: str) -> str:
    """The folder and segment of a full load file: each has a first file of its own."""
    return _LOAD_NAME.sub("", path)


def without_repeats(events: Iterable[ObjectEvent]) -> list[ObjectEvent]:
    """The events of a table in order, without those that say again what the last of a file said.

    Two runs that indexed at the same moment may both have added a file, if one died before it could
    take that back. To take the later event for another upload would apply the file twice.
    """
    last: dict[str, ObjectEvent] = {}
    kept = []
    for event in sorted(events, key=lambda event: event.indexed_at):
        if event.kind in FILE_KINDS:
            before, last[event.path] = last.get(event.path), event
            if before and _upload(before) == _upload(event):
                last[event.path] = before
                continue
        kept.append(event)
    return kept


def _upload(event: ObjectEvent) -> tuple[object, ...]:
    ignored = event.problem if event.kind == MISSING else None
    return event.kind, event.etag, event.modified_at, event.generation, ignored


def decide(
    known: Sequence[ObjectEvent],
    objects: Iterable[ListedObject],
    folders: Sequence[ListedFolder],
    taken_loads: Collection[tuple[str, str]],
    excluded: Collection[tuple[str, str]],
    run: Run,
    file_format: str = ANY_FORMAT,
) -> list[ObjectEvent]:
    """Compare a listing of one table with what is known of its objects.

    Args:
        known: all events of the table.
        objects: what was listed, in any order.
        folders: the folders that were listed, or could not be.
        taken_loads: path and entity tag of the full load files that versions have applied.
        excluded: path and entity tag of the files of versions that were rolled back.
        run: the run that listed.
        file_format: the key ``format``; new files of another one are left alone.

    Returns:
        The events to append, sorted by path; none if nothing differs. What is about a folder comes
        again in each run for which it holds.
    """
    latest = latest_by_path(known)
    end = end_of(run.run_date)
    listed_paths: set[str] = set()
    found: dict[str, _Difference] = {}
    objects, in_two_formats = of_format([*objects], latest, file_format, run)
    for listed in objects:
        recorded = latest.get(listed.path)
        listed_paths.add(listed.path)
        # Nearly all objects are as they were: nothing else is done for them.
        if (
            recorded is not None
            and recorded.etag == listed.etag
            and recorded.modified_at == listed.modified_at
            and recorded.kind == listed.kind
            and recorded.file_time == listed.file_time
        ):
            continue
        if recorded is not None and recorded.kind == UNKNOWN != listed.kind:
            # Seen below path, it is a file only as one of transaction_path.
            recorded = None
        kind = _difference(recorded, listed, end)
        if kind is not None:
            found[listed.path] = _Difference(kind, listed, recorded)

    refusals = [folder_event(folder.path, LISTING_FAILED, folder.problem, run)
                for folder in folders if folder.problem is not None]  # fmt: skip
    refusals += _time_zone_events(found, run)
    if refusals := refusals or in_two_formats:
        # Of a listing that broke off, changes could be recorded without the full load before them.
        # And which of two files counts decides about all others, if DMS has loaded the table again.
        return refusals

    listed_folders = [folder for folder in folders if folder.problem is None]
    has_files_elsewhere = False
    for path, recorded in latest.items():
        if path in listed_paths or recorded.kind not in PRESENT_KINDS:
            continue
        below = [folder for folder in listed_folders if path.startswith(folder.path)]
        if any(folder.listed_after is None or path > folder.listed_after for folder in below):
            found[path] = _Difference(MISSING, _as_it_was(recorded), recorded)
        has_files_elsewhere = has_files_elsewhere or not below

    events = [
        folder_event(folder.path, EMPTY, None, run)
        for folder in listed_folders
        # One that had files is reported as missing files, and one that never had any is no news.
        if has_files_elsewhere and folder.object_count == 0 and folder.listed_after is None
    ]
    if found:
        events += _file_events(known, found, taken_loads, excluded, run, file_format)
    return sorted(events, key=lambda event: event.path)


@dataclass(frozen=True)
class _Difference:
    """How an object differs from its last event.

    Attributes:
        kind: a kind of event, or one of the two differences that need others beside them.
        listed: the object, or as it was if it is missing.
        recorded: its last event.
    """

    kind: str
    listed: ListedObject
    recorded: ObjectEvent | None


def _difference(recorded: ObjectEvent | None, listed: ListedObject, end: datetime) -> str | None:
    """How a listed object differs from its last event; None if it does not.

    Args:
        recorded: its last event.
        listed: the object.
        end: the end of the run's date: change files after it wait.
    """
    if recorded is not None:
        # In another time zone new names would not come behind those that are known.
        times = (listed.file_time, listed.other_time)
        if (
            listed.kind == CDC
            and recorded.file_time is not None
            and recorded.file_time not in times
        ):
            return TIME_ZONE_CHANGED
        if listed.etag is not None and content_tag(recorded.etag) == listed.etag:
            if recorded.kind == MISSING:
                return RESTORED
            if listed.modified_at == recorded.modified_at:
                is_restored_load = listed.kind == LOAD and recorded.kind == RESTORED
                return _UNCHANGED_AFTER_RESTORE if is_restored_load else None
            # A full load that is written again with the same content is a reload all the same.
            return {LOAD: LOAD, CDC: _COPIED}.get(listed.kind)
    if listed.kind == CDC and listed.file_time is not None and listed.file_time >= end:
        return None
    return listed.kind


def _as_it_was(recorded: ObjectEvent) -> ListedObject:
    kind = LOAD if recorded.file_time is None else CDC
    return ListedObject(
        recorded.path,
        kind,
        recorded.file_time,
        None,
        None,
        recorded.size,
        recorded.etag,
        recorded.modified_at,
    )


def _time_zone_events(found: dict[str, _Difference], run: Run) -> list[ObjectEvent]:
    """One event is enough, with the first file as an example."""
    paths = [path for path, difference in found.items() if difference.kind == TIME_ZONE_CHANGED]
    if not paths:
        return []
    path = min(paths)
    listed, recorded = found[path].listed, found[path].recorded
    assert recorded is not None
    problem = f"{path} was {recorded.file_time:%Y-%m-%d %H:%M:%S} UTC"
    problem += f" and would be {listed.file_time:%Y-%m-%d %H:%M:%S} UTC"
    folder = path[: path.rindex("/") + 1] if "/" in path else ""
    event = folder_event(folder, TIME_ZONE_CHANGED, problem, run)
    return [replace(event, file_time=listed.file_time, size=listed.size, etag=listed.etag)]


class _Loads:
    """What is known of the full loads of a table."""

    def __init__(self, known: Sequence[ObjectEvent]) -> None:
        generations = [event.generation for event in known if event.generation is not None]
        # The newest load generation, or None before the first file.
        self.generation = max(generations, default=None)
        loads = [event for event in known if event.kind == LOAD and event.generation is not None]
        newest = [event for event in loads if event.generation == self.generation]
        self.newest = newest
        self.last_place = max((event.file_seq or 0 for event in newest), default=0)
        # The newest generation that has a full load may be an earlier one.
        last = max((event.generation or 0 for event in loads), default=0)
        times = [event.modified_at for event in loads if event.generation == last]
        self.started_at = min((at for at in times if at is not None), default=None)


def _file_events(
    known: Sequence[ObjectEvent],
    found: dict[str, _Difference],
    taken_loads: Collection[tuple[str, str]],
    excluded: Collection[tuple[str, str]],
    run: Run,
    file_format: str,
) -> list[ObjectEvent]:
    """The events of files, from their differences: those that need others, kinds and places."""
    loads = _Loads(known)
    history: dict[str, list[ObjectEvent]] = {path: [] for path in found}
    for event in known:
        if event.path in history:
            history[event.path].append(event)
    rewritten = {path for path, one in found.items() if _is_written_again(one, history[path])}

    new_loads = [one for one in found.values() if one.kind == LOAD]
    # An unchanged first file may be that of a reload of which the next file comes only now.
    has_load_after_loss = any(one.recorded and one.recorded.kind == MISSING for one in new_loads)
    copied = [one.recorded for one in found.values() if one.kind == _COPIED and one.recorded]
    copied_path = max(((e.generation or 0, e.path) for e in copied), default=(0, None))[1]
    kept = {
        path: one
        for path, one in found.items()
        if one.kind != _COPIED and (one.kind != _UNCHANGED_AFTER_RESTORE or has_load_after_loss)
    }
    is_reload = _is_reload(known, kept, loads, taken_loads, excluded, file_format)
    kinds = {path: _event_kind(one, path in rewritten, is_reload, loads)
             for path, one in kept.items()}  # fmt: skip
    kept = {path: one for path, one in kept.items() if kinds[path] != _UNCHANGED_AFTER_RESTORE}

    generation_of = _generations(known, kept, kinds, is_reload, loads)
    places = _places(known, kept, kinds, 0 if is_reload else loads.last_place)
    events = []
    for path, one in kept.items():
        kind, listed, recorded = kinds[path], one.listed, one.recorded
        is_known_file = kind in (MISSING, RESTORED)
        problem = copied_path if one.kind == LOAD else None
        event = ObjectEvent(
            path=path,
            kind=kind,
            # Of an hour that comes twice, a later upload is of the time that is known.
            file_time=recorded.file_time if recorded and recorded.file_time else listed.file_time,
            size=listed.size,
            etag=recorded.etag
            if recorded and is_known_file
            else _upload_tag(listed, history[path]),
            modified_at=listed.modified_at,
            generation=generation_of(path) if kind in FILE_KINDS else None,
            file_seq=places.get(path),
            problem=problem,
            indexed_at=run.started_at,
        )
        events.append(event)
    return events


def _is_written_again(one: _Difference, history: Sequence[ObjectEvent]) -> bool:
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


def _upload_tag(listed: ListedObject, history: Sequence[ObjectEvent]) -> str | None:
    """The entity tag of an upload: content that comes to its path again is another upload."""
    if listed.etag is None:
        return None
    uploads = sum(
        event.kind in UPLOAD_KINDS and content_tag(event.etag) == listed.etag for event in history
    )
    return f"{listed.etag}#{uploads + 1}" if uploads else listed.etag


def _event_kind(one: _Difference, is_rewritten: bool, is_reload: bool, loads: _Loads) -> str:
    """The kind of event of a difference.

    What was away and is back as it was is no full load, but for one that a reload has written again
    as it was, while it wrote others of its files differently.
    """
    if one.kind not in (RESTORED, _UNCHANGED_AFTER_RESTORE) or not is_rewritten:
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
    return LOAD if is_reload or is_of_newer_load else one.kind


def _is_reload(
    known: Sequence[ObjectEvent],
    kept: dict[str, _Difference],
    loads: _Loads,
    taken_loads: Collection[tuple[str, str]],
    excluded: Collection[tuple[str, str]],
    file_format: str,
) -> bool:
    """Whether new full load files are another full load, and not more of the newest one.

    They are if a file of the newest full load that a version has applied is among them, or if all
    of those are missing, or of another format than the declared one. Then a full load begins with
    its first file; but a file of a folder or segment that had none is not more of the same either.
    A full load that no version has applied
    can be written again without being another.
    """
    new_loads = [one.listed for one in kept.values() if one.kind == LOAD]
    if not new_loads or not (taken_loads or excluded):
        return False
    taken_set, excluded_set = set(taken_loads), set(excluded)
    taken: dict[str, bool] = {}  # path -> whether it is excluded
    for event in loads.newest:
        key = (event.path, event.etag or "")
        if key in taken_set or key in excluded_set:
            taken[event.path] = taken.get(event.path, False) or key in excluded_set
    if not taken:
        return False
    if any(path in kept and kept[path].kind == LOAD for path in taken):
        return True
    latest = latest_by_path(event for event in known if event.path in taken)
    # DMS counts the files of each full load from 1.
    has_first_file = any(listed.name_order == 1 for listed in new_loads)
    places = {load_place(listed.path) for listed in new_loads}

    def is_over(path: str) -> bool:
        kind = kept[path].kind if path in kept else latest[path].kind
        is_gone = kind == MISSING or is_other_format(path, file_format)
        return is_gone and (has_first_file or load_place(path) not in places)

    # What was rolled back may still be there.
    counted = [path for path, is_excluded in taken.items() if not is_excluded] or list(taken)
    return all(is_over(path) for path in counted)


def _generations(
    known: Sequence[ObjectEvent],
    kept: dict[str, _Difference],
    kinds: dict[str, str],
    is_reload: bool,
    loads: _Loads,
) -> Callable[[str], int]:
    """Tells the load generation of each file that differs, by its path."""
    new_loads = [path for path in kept if kinds[path] == LOAD]
    times = [kept[path].listed.modified_at for path in new_loads]
    load_started_at = min((at for at in times if at is not None), default=None)
    has_load_in_place = any(_generation(kept[path].recorded) is not None for path in new_loads)
    new_times = {one.listed.file_time for path, one in kept.items() if kinds[path] == CDC}
    copied: dict[datetime, int] = {}
    for event in known:
        time, generation = event.file_time, event.generation
        if event.kind == CDC and time in new_times and time is not None and generation is not None:
            copied[time] = max(copied.get(time, 0), generation)
    newest = loads.generation

    def generation_of(path: str) -> int:
        kind, listed = kinds[path], kept[path].listed
        own = _generation(kept[path].recorded)
        # Uploaded again, a change file says what it said of the full load that it came with.
        if own is not None and kind in (MISSING, RESTORED, CDC):
            return own
        if newest is None:
            return 1
        if kind != CDC:
            return newest + 1 if is_reload else newest
        other = copied.get(listed.file_time) if listed.file_time is not None else None
        if other is not None:
            # A copy in another folder says no more; but it goes with its full load, if that has
            # moved too.
            has_moved = is_reload and not has_load_in_place and other >= newest
            return newest + 1 if has_moved else other
        # Changes written before a reload belong to what it replaces, seen with it or later.
        if is_reload:
            return newest if is_before(listed.modified_at, load_started_at) else newest + 1
        if newest > 1 and is_before(listed.modified_at, loads.started_at):
            return newest - 1
        return newest

    return generation_of


def _generation(recorded: ObjectEvent | None) -> int | None:
    return None if recorded is None else recorded.generation


def is_before(moment: datetime | None, other: datetime | None) -> bool:
    """Whether both moments are known, and the first is the earlier one."""
    return moment is not None and other is not None and moment < other


def _places(
    known: Sequence[ObjectEvent],
    kept: dict[str, _Difference],
    kinds: dict[str, str],
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
