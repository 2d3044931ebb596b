"""Decides what each object of the landing area is now: the events that a run appends to dms_files.

One pure function, `decide`, compares what is known of one table's objects with a listing. It says
what is new, missing or restored, to which load generation a new file belongs, and its place there.
The rules are those of docs/reference/dms.md and of decision 17.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from pyspark_dms.landing.events import (
    CDC,
    EMPTY,
    FILE_KINDS,
    LISTING_FAILED,
    LOAD,
    MISSING,
    RESTORED,
    TIME_ZONE_CHANGED,
    UNKNOWN,
    ListedFolder,
    ListedObject,
    ObjectEvent,
    Run,
    content_tag,
    end_of,
    folder_event,
    last_by_path,
)
from pyspark_dms.landing.file_events import COPIED, UNCHANGED_AFTER_RESTORE, Difference, file_events
from pyspark_dms.landing.stray_events import of_format
from pyspark_dms.landing.strays import ANY_FORMAT


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
    latest = last_by_path(known)
    objects, in_two_formats = of_format([*objects], latest, file_format, run)
    found = _listed_differences(objects, latest, end_of(run.run_date))
    refusals = [folder_event(folder.path, LISTING_FAILED, folder.problem, run)
                for folder in folders if folder.problem is not None]  # fmt: skip
    refusals += _time_zone_events(found, run)
    if refusals := refusals or in_two_formats:
        # Of a listing that broke off, changes could be recorded without the full load before them.
        # And which of two files counts decides about all others, if DMS has loaded the table again.
        return refusals

    listed_paths = {listed.path for listed in objects}
    unlisted = [one for path, one in latest.items() if path not in listed_paths and one.is_there]
    found |= {
        one.path: Difference(MISSING, _as_it_was(one), one)
        for one in unlisted
        if any(_was_listed(one.path, folder) for folder in folders)
    }
    events = _empty_folders(folders, unlisted, run)
    if found:
        events += file_events(known, found, taken_loads, excluded, run, file_format)
    return sorted(events, key=lambda event: event.path)


def _was_listed(path: str, folder: ListedFolder) -> bool:
    """Whether a listing would have found a path, if it were there."""
    return path.startswith(folder.path) and (
        folder.listed_after is None or path > folder.listed_after
    )


def _empty_folders(
    folders: Sequence[ListedFolder], unlisted: Sequence[ObjectEvent], run: Run
) -> list[ObjectEvent]:
    """The events of folders without files, if the table has files that are in none of them.

    One that had files is reported as missing files, and one that never had any is no news.
    """
    paths = tuple(folder.path for folder in folders)
    if all(one.path.startswith(paths) for one in unlisted):
        return []
    return [
        folder_event(folder.path, EMPTY, None, run)
        for folder in folders
        if folder.object_count == 0 and folder.listed_after is None
    ]


def _listed_differences(
    objects: Iterable[ListedObject], latest: Mapping[str, ObjectEvent], end: datetime
) -> dict[str, Difference]:
    """How the objects of a listing differ from their last events, by path."""
    found = {}
    for listed in objects:
        recorded = latest.get(listed.path)
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
            found[listed.path] = Difference(kind, listed, recorded)
    return found


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
            return _difference_of_content(recorded, listed)
    if listed.kind == CDC and listed.file_time is not None and listed.file_time >= end:
        return None
    return listed.kind


def _difference_of_content(recorded: ObjectEvent, listed: ListedObject) -> str | None:
    """How an object with the content of its last event differs from that."""
    if recorded.is_missing:
        return RESTORED
    if listed.modified_at == recorded.modified_at:
        is_restored_load = listed.kind == LOAD and recorded.kind == RESTORED
        return UNCHANGED_AFTER_RESTORE if is_restored_load else None
    # A full load that is written again with the same content is a reload all the same.
    return {LOAD: LOAD, CDC: COPIED}.get(listed.kind)


def _as_it_was(recorded: ObjectEvent) -> ListedObject:
    kind = LOAD if recorded.is_load else CDC
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


def _time_zone_events(found: Mapping[str, Difference], run: Run) -> list[ObjectEvent]:
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
