"""Rules about changes beside full loads: what may be lost if a person has written files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from pyspark_dms.landing.events import CDC, LOAD, ObjectEvent, content_tag, is_before, last_by_path
from pyspark_dms.landing.full_loads import FullLoad, newest_load
from pyspark_dms.landing.outcome import Warned, named, warned_if_by_hand
from pyspark_dms.landing.pending import PendingFiles
from pyspark_dms.landing.rules.missing import skipped_files

# DMS names a change file by the time it is written: where the two agree, it is no copy.
_LARGEST_CLOCK_DIFFERENCE = timedelta(hours=1)


def warn_of_replaced_changes(files: PendingFiles) -> Iterator[Warned]:
    """Warn once of change files that were written before the full load of the base."""
    table, base = files.table, files.table.base
    paths = [
        file.path
        for file in files.pending
        if base and not file.is_load and file.load_generation < base.generation
        if table.is_new(file)
    ]
    if paths:
        yield warned_if_by_hand(
            f"change files are ignored, because its full load is newer {named(paths)}"
        )


def warn_of_copied_changes(files: PendingFiles) -> Iterator[Warned]:
    """Warn of a new full load that may be the work of a person who copied or moved files.

    That is one with the content of the one before, though changes came after that, or one before
    which changes were uploaded again, which DMS never does.
    """
    base = files.table.base
    if base is None:
        return
    loads = [file for file in files.pending if file.is_load]
    if all(file.load_generation <= base.generation for file in loads):
        return
    if _has_content_of_before(files, base.generation):
        paths = {*_uploaded_changes(files, base.generation)}
        what = "its full load has come again as it was, and replaces all changes after it"
    else:
        paths = _changes_uploaded_again(files, base.generation)
        what = "change files have come again, and a new full load replaces them"
    if paths:
        yield (
            f"{what} {named(paths)}",
            "If DMS reloaded the table, nothing is to be done. If files were copied or moved by "
            "hand, reload the table in DMS: these changes are missing.",
        )


def _has_content_of_before(files: PendingFiles, before: int) -> bool:
    """Whether each file of the new full load has the content of one of the full load before."""
    known = {
        content_tag(event.etag)
        for event in files.table.events
        if event.kind == LOAD and event.generation == before
    }
    return all(
        content_tag(file.etag) in known
        for file in files.pending
        if file.is_load and file.load_generation == files.newest
    )


def _uploaded_changes(files: PendingFiles, since: int) -> Counter[str]:
    """How often each change file was uploaded between two full loads."""
    return Counter(
        event.path
        for event in files.table.events
        if event.kind == CDC
        and files.table.is_in_range(event)
        and since <= event.load_generation < files.newest
    )


def _changes_uploaded_again(files: PendingFiles, since: int) -> set[str]:
    """The change files between two full loads that were uploaded again, some as they were."""
    copied = [file.problem for file in files.pending if file.problem]
    uploads = _uploaded_changes(files, since)
    several = {path for path, count in uploads.items() if count > 1}
    several |= uploads.keys() & set(copied[:1])
    again = {
        file.path
        for file in files.pending
        if not file.is_load and file.load_generation < files.newest
    }
    return several & (again | {*copied})


def warn_of_no_load(files: PendingFiles) -> Iterator[Warned]:
    """Warn of a first version that is made of changes alone."""
    table = files.table
    if files.taken and table.is_first and not any(event.kind == LOAD for event in table.events):
        yield (
            "there are change files and no full load, so rows that no change names are not in it "
            f"{named(file.path for file in files.taken)}",
            "When a full load has landed, the next run takes it. If the DMS task only replicates "
            "changes, nothing is to be done.",
        )


def warn_of_changes_before_load(files: PendingFiles) -> Iterator[Warned]:
    """Warn of change files that DMS wrote before the full load they are applied on top of.

    No run has seen another full load that they followed.
    """
    table = files.table
    has_loads = any(file.is_load for file in files.pending)
    # The run after the first one takes what the first one left for its date.
    is_after_first = table.base is None or table.base.indexed_from is None
    if not has_loads and not (files.pending and is_after_first):
        return
    changes = _changes_before_load(files)
    if not has_loads:
        taken = {file.path for file in files.pending}
        changes = [event for event in changes if event.path in taken]
    if changes and table.has_missing:
        skipped = {state.path for state in skipped_files(table)}
        changes = [event for event in changes if event.path not in skipped]
    if changes:
        yield (
            "change files were written before its full load, and are applied on top of it "
            f"{named(event.path for event in changes)}",
            "If DMS had loaded the table before, reload it in DMS. If all changes of that "
            "day are older, set cdc_start_date to the next day: "
            f"{table.facts.rebuild_command}",
        )


def _changes_before_load(files: PendingFiles) -> list[ObjectEvent]:
    """The change files of the newest full load that DMS wrote before its first file.

    A store knows when they were written if DMS has written them there itself: then their names
    agree with that. Those below ``transaction_path`` are of tables that were loaded before; of them
    only those count that were written behind an earlier upload of that full load.
    """
    table = files.table
    last = last_by_path(table.events, (LOAD, CDC))
    newest = newest_load(FullLoad(0, tuple(last.values())).beginnings.files)
    # Another upload of it, which no run has taken, may have come before.
    uploads = [one for one in table.events if one.kind == LOAD]
    of_newest = [one for one in uploads if one.generation == newest.generation]
    first_began_at = FullLoad(newest.generation, tuple(of_newest)).beginnings.started_at
    return [
        event
        for event in last.values()
        if event.kind == CDC
        and event.generation == newest.generation
        and is_before(event.modified_at, newest.started_at)
        and (
            event.path.startswith(table.facts.path) or is_before(first_began_at, event.modified_at)
        )
        and _agrees(event)
        and table.is_in_range(event)
    ]


def _agrees(event: ObjectEvent) -> bool:
    """Whether the name of a change file tells when the store has got it."""
    if event.modified_at is None or event.file_time is None:
        return False
    return abs(event.modified_at - event.file_time) < _LARGEST_CLOCK_DIFFERENCE
