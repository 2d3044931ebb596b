"""Rules about files that are missing: which are reported, and which fail the table."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark_dms.landing.events import CDC, LOAD, ObjectEvent
from pyspark_dms.landing.file_states import FileState
from pyspark_dms.landing.known_table import KnownTable
from pyspark_dms.landing.outcome import (
    NOT_PUBLISHED,
    TableError,
    Warned,
    failed_or_warned,
    named,
)
from pyspark_dms.landing.pending import PendingFiles


def warn_of_skipped_files(files: PendingFiles) -> Iterator[Warned]:
    """Warn of, or fail with, files that no run has taken and that their full load now lacks.

    DMS may have loaded the table again, and then all is there; but nothing tells that from a first
    file that a person has written, and then their rows are missing.
    """
    table = files.table
    if not any(event.is_missing for event in table.newer):
        return
    # Reported once, and not again by a full refresh.
    through = table.current.indexed_through if table.current else None
    skipped = [
        state.path
        for state in skipped_files(table)
        if through is None or state.last.indexed_at > through
    ]
    if skipped:
        yield failed_or_warned(
            table.facts,
            f"files that no run had taken are missing since their full load began again "
            f"{named(skipped)}",
            "Put them back or, after a reload of DMS, set on_missing_files: warn for one run: "
            f"{table.facts.run_command}",
            "They are ignored. After a reload nothing is to be done. Else put them back, or reload "
            "the table in DMS: their rows are missing.",
        )


def skipped_files(table: KnownTable) -> list[FileState]:
    """The files that no run has taken and that their full load now lacks."""
    return [
        state
        for state in table.states
        if state.is_skipped and table.is_started(state.last) and not _was_taken(table, state.last)
    ]


def _was_taken(table: KnownTable, missing: ObjectEvent) -> bool:
    """Whether a version has applied a file that is missing now, or a rollback excluded it.

    What was indexed before the window of a version was applied, or left out and reported.
    """
    version = table.base or table.current
    if missing.key in table.facts.excluded or version is None:
        return missing.key in table.facts.excluded
    if missing.key in version.files or (table.current and missing.key in table.current.files):
        return True
    return not any(
        event.path == missing.path and event.etag == missing.etag
        for event in table.events
        if event.kind in (LOAD, CDC) and table.is_newer(event, version)
    )


def warn_of_missing_files(files: PendingFiles) -> Iterator[Warned]:
    """Warn of, or fail with, files that are missing and that no later full load replaced.

    After the first of them the table cannot be built from its files, whichever others go, until
    there is a new full load: so that is reported once. That none is left is reported each time.
    """
    table = files.table
    if not any(event.is_missing for event in table.newer):
        return
    relevant = _relevant_states(files)
    missing = [s for s in relevant if s.is_missing and table.is_in_range(s.last)]
    through = table.base.indexed_through if table.base else None
    new = [state for state in missing if through is None or state.last.indexed_at > through]
    if not new:
        return
    noticed_at = max(state.last.indexed_at for state in new)
    # What was first seen when the others were missing may have been written after a TRUNCATE.
    is_any_left = any(
        not state.is_missing and state.seen_at < noticed_at and table.is_below_path(state.path)
        for state in relevant
    )
    is_reported = table.facts.on_missing_files == "warn" and is_any_left and len(missing) > len(new)
    if not is_reported:
        yield _missing_files(table, [state.path for state in new], is_any_left)


def _relevant_states(files: PendingFiles) -> list[FileState]:
    """The files whose rows count, without those that the run has to read.

    Of these the missing ones fail it anyway, or are no loss.
    """
    table = files.table
    unread = {path for path, _ in files.left_out} | {file.path for file in files.lost}
    return [
        state
        for state in table.states
        if not state.is_replaced
        and state.path not in unread
        and state.last.key not in table.facts.excluded
        and table.is_started(state.last)
        and not (state.is_missing and table.why_ignored(state.last, is_asked=False))
    ]


def _missing_files(table: KnownTable, paths: list[str], is_any_left: bool) -> Warned:
    what = f"files that were applied are missing {named(paths)}"
    way_out = "Put them back, reload the table in DMS, or set on_missing_files: warn. "
    way_out += f"Then: {table.facts.run_command}"
    if is_any_left:
        advice = "Their rows stay published, but --full-refresh fails until they are back or "
        return failed_or_warned(table.facts, what, way_out, f"{advice}DMS reloads the table.")
    none_left = "None is left, as after TRUNCATE or DROP at the source"
    advice = "deleted rows stay published until DMS reloads the table."
    return failed_or_warned(table.facts, what, f"{none_left}. {way_out}", f"{none_left}: {advice}")


def check_lost_files(files: PendingFiles) -> None:
    """Fail if files to read are missing."""
    table = files.table
    if files.lost:
        way_out = f"Put them back, or reload the table in DMS. Then: {table.facts.run_command}"
        if all(table.can_be_ignored(file) for file in files.lost):
            way_out += f". If their rows are not needed: {table.facts.allow_missing_command}"
        raise TableError(
            "E204",
            "files that this run has to read are no longer there "
            f"{named(file.path for file in files.lost)}. {NOT_PUBLISHED}. {way_out}",
        )


def check_excluded_uploads(files: PendingFiles) -> None:
    """Fail if a file to read was replaced by an upload that a rollback excluded.

    Its changes are part of the state and cannot be read any more.
    """
    table = files.table
    last = [(file, table.last_events[file.path]) for file in files.taken]
    replaced = [
        file.path for file, now in last if file.key != now.key and now.key in table.facts.excluded
    ]
    if replaced:
        raise TableError(
            "E205",
            "uploads that were rolled back have replaced files that this run has to read "
            f"{named(replaced)}. {NOT_PUBLISHED}. Upload these files again, as they were or "
            f"as they should be; or, if they are right now: {table.facts.reapply_command}, or "
            "rollback_to",
        )
