"""Rules about what was listed: folders, time zone, names, and an index that has lost rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyspark_dms.landing.events import (
    CDC,
    EMPTY,
    FOLDER_KINDS,
    LISTING_FAILED,
    LOAD,
    TIME_ZONE_CHANGED,
    TWO_FORMATS,
    UNKNOWN,
    ObjectEvent,
)
from pyspark_dms.landing.known_table import KnownTable
from pyspark_dms.landing.outcome import (
    NOT_PUBLISHED,
    TableError,
    Warned,
    failed_or_warned,
    named,
)
from pyspark_dms.landing.pending import PendingFiles
from pyspark_dms.landing.rules.strays import warned_of_other_format
from pyspark_dms.landing.strays import is_other_format, way_out

_DISCOVER = "dms-snapshots discover <root> --check"


def check_listed(files: PendingFiles) -> None:
    """Fail if a folder could not be listed."""
    for event in _of_run(files.table, LISTING_FAILED):
        raise TableError(
            "E202",
            f"{event.path} cannot be listed: {event.problem}. {NOT_PUBLISHED}. "
            f"Check path, endpoint and credentials. Then: {files.table.facts.run_command}",
        )


def check_two_formats(files: PendingFiles) -> None:
    """Fail if a person has to say which of two files counts."""
    table = files.table
    events = sorted(_of_run(table, TWO_FORMATS), key=lambda event: event.path)
    if not events:
        return
    what, advice, before = "", "", ""
    for event in events:
        text, to_do = way_out(event.path, event.problem, table.facts.file_format)
        kind, _, paths = text.partition(": ")
        what += f"; {paths if kind == before else text}"
        # That of a full load has that of changes in it.
        advice, before = max(advice, to_do, key=len), kind
    if count := (events[0].size or 0) - len(events):
        what += f"; and {count} more"
    again = f"Then: {table.facts.run_command}"
    both = [path or "" for event in events for path in (event.path, event.problem)]
    known = filter(None, map(table.last_events.get, both))
    if applied := [one.path for one in known if table.is_in_state(one)]:
        deleted = applied[0] if len(applied) == 1 else "an applied one"
        again += f"; or, if {deleted} was deleted: {table.facts.rebuild_without_missing}"
    raise TableError("E215", f"{what[2:]}. {NOT_PUBLISHED}. {advice}. {again}")


def check_time_zone(files: PendingFiles) -> None:
    """Fail if the folders were not listed in the time zone of before."""
    for event in _of_run(files.table, TIME_ZONE_CHANGED):
        raise TableError(
            "E209",
            f"file_timezone differs from when change files were indexed: {event.problem}. "
            f"{NOT_PUBLISHED}. Declare the earlier one again (to change it: "
            "docs/reference/dms.md, DatePartitionTimezone). "
            f"Then: {files.table.facts.run_command}",
        )


def check_indexed_generation(files: PendingFiles) -> None:
    """Fail if the index does not have the load generation on which the base stands.

    If the index was lost, its load generations begin at 1 again: new files would be taken for older
    than the base, or a newer full load for more of the one of the base.
    """
    table, base = files.table, files.table.base
    known = [event.load_generation for event in table.events if event.kind in (LOAD, CDC)]
    if base and known and max(known) < base.generation:
        raise TableError(
            "E210",
            f"dms_files has load generation {max(known)}, and version {base.version} was built "
            f"from load generation {base.generation}, so rows of dms_files are missing. "
            f"{_bring_back(table)}",
        )


def check_indexed_load(files: PendingFiles) -> None:
    """Fail if the index does not have the full load on which the base stands, but a later one."""
    table, base = files.table, files.table.base
    if base is None:
        return
    loads = {event.key for event in table.events if event.kind == LOAD}
    lost = {path for path, _ in base.load_files - loads}
    again = min((path for path, _ in loads if path in lost), default=None)
    if again is not None:
        raise TableError(
            "E210",
            f"dms_files does not have the full load of version {base.version}: {again} has been "
            f"uploaded again since, so rows of dms_files are missing. {_bring_back(table)}",
        )


def _bring_back(table: KnownTable) -> str:
    return (
        f"{NOT_PUBLISHED}. Bring them back, or build the table again: {table.facts.rebuild_command}"
    )


def warn_of_other_names(files: PendingFiles) -> Iterator[Warned]:
    """Warn once of objects that are no files of DMS, or are of another format."""
    table = files.table
    unread = {e.path for e in table.newer if e.kind == UNKNOWN and table.is_new(e)}
    others = {path for path in unread if is_other_format(path, table.facts.file_format)}
    yield from warned_of_other_format(table, others)
    if unread - others:
        yield (
            f"objects without a name of a DMS file are not read {named(unread - others)}",
            "If one holds changes, upload it under the name that DMS gave it.",
        )


def warn_of_empty_folder(files: PendingFiles) -> Iterator[Warned]:
    """Warn of, or fail with, a folder without files of a table whose files were elsewhere.

    One that has had files is reported as missing files. With a wrong root, what else fails would
    name another cause, and files that this run has to take may have been corrected.
    """
    table = files.table
    folder = table.facts.path.rstrip("/") + "/"
    if not any(event.path.rstrip("/") + "/" == folder for event in _of_run(table, EMPTY)):
        return
    if any(e.kind not in FOLDER_KINDS and e.path.startswith(folder) for e in table.events):
        return
    fix = f"If path or DMS_ROOT is wrong, correct it: {_DISCOVER}"
    # Those with the changes of all tables are where they always were.
    taken = [] if files.is_repeated else files.taken
    elsewhere = {file.path for file in taken if not table.is_below_path(file.path)}
    if elsewhere:
        raise TableError(
            "E203",
            f"there are no files under {folder}, and those that are to be taken are not below "
            f"it: {named(elsewhere)}. {NOT_PUBLISHED}. {fix}. If the table has moved, first run "
            "it once more with the path of before",
        )
    what = f"there are no files under {folder}, and those that were taken are not below it"
    stays = "The published rows stay" if table.base else "There are no published rows"
    yield failed_or_warned(table.facts, what, fix, f"{stays}. {fix}")


def warn_of_no_files(files: PendingFiles) -> Iterator[Warned]:
    """Warn of, or fail with, a table without any file."""
    table = files.table
    if table.is_first and not files.pending:
        what = f"there are no files under {table.facts.path} yet"
        fix = f"If the table has rows, correct path: {_DISCOVER}"
        advice = "The snapshot is empty" if table.base is None else "No rows are added"
        yield failed_or_warned(table.facts, what, fix, f"{advice}. {fix}")


def _of_run(table: KnownTable, kind: str) -> Iterable[ObjectEvent]:
    """The events of a kind that this run has recorded."""
    at = table.run.started_at
    return (event for event in table.events if event.kind == kind and event.indexed_at == at)
