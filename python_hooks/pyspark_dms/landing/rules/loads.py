"""Rules about the full load that a table is built from: it is whole, or a new one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pyspark_dms.landing.events import (
    CDC,
    FILE_KINDS,
    LOAD,
    FileKey,
    ObjectEvent,
    last_by_path,
)
from pyspark_dms.landing.facts import Version
from pyspark_dms.landing.full_loads import begins_a_load, load_place
from pyspark_dms.landing.known_table import KnownTable
from pyspark_dms.landing.outcome import (
    NOT_PUBLISHED,
    TableError,
    Warned,
    named,
    warned_if_by_hand,
)
from pyspark_dms.landing.pending import PendingFiles


def check_excluded_load(files: PendingFiles) -> None:
    """Fail if changes have come without their full load, because that is excluded."""
    table = files.table
    if files.action != "build" or not files.taken or _loads(files):
        return
    if table.base or (_has_excluded(table) and files.newest > 1):
        raise TableError(
            "E206",
            f"change files have come {named(file.path for file in files.taken)}, but their full "
            f"load (load generation {files.newest}) is excluded, because it was rolled back. "
            f"{NOT_PUBLISHED}. Include it again: {table.facts.reapply_command}, or reload the "
            "table in DMS.",
        )


def check_partial_load(files: PendingFiles) -> None:
    """Fail if files of the full load before are still there as they were.

    A full load may be written again file by file, but a file that comes again begins another full
    load: the rows of files that do not come again would be lost.
    """
    if not _is_built_anew(files):
        return
    left_out = [file for file in _LeftOut(files.table, files.newest).files if file.is_load]
    if not left_out:
        return
    what = (
        "its full load has come again without these files, which are unchanged"
        if _loads(files)
        else "changes have come without these files of their full load"
    )
    # Of the same full load they were rolled back.
    way_out = (
        f"Reload the table in DMS, or include those rolled back again: "
        f"{files.table.facts.reapply_command}"
        if any(file.load_generation == files.newest for file in left_out)
        else "Reload it in DMS, delete what DMS no longer writes, or write all again, "
        "without earlier changes"
    )
    raise TableError(
        "E207",
        f"{what} {named({file.path for file in left_out})}. {NOT_PUBLISHED}: their rows would be "
        f"lost. {way_out}. Then: {files.table.facts.run_command}",
    )


def warn_of_partial_load(files: PendingFiles) -> Iterator[Warned]:
    """Warn of changes that a full load replaces which was published in part or rolled back.

    Changes written before it are left out, as before any full load.
    """
    left_out = _LeftOut(files.table, files.newest).files if _is_built_anew(files) else ()
    if left_out:
        yield warned_if_by_hand(
            "its full load, published in part or rolled back, has come again and replaces "
            f"change files {named({file.path for file in left_out})}"
        )


def check_first_file(files: PendingFiles) -> None:
    """Fail if files of a full load have come without its first one."""
    loads = [file.path for file in _loads(files)]
    if loads and _is_built_anew(files) and not any(map(begins_a_load, loads)):
        raise TableError(
            "E207",
            f"files of a full load have come {named(loads)}, but not its first one, LOAD00000001. "
            f"{NOT_PUBLISHED}: the other rows would be lost. Reload the table in DMS, or write all "
            "its files again, which drops earlier changes. "
            f"Then: {files.table.facts.run_command}",
        )


def _loads(files: PendingFiles) -> list[ObjectEvent]:
    return [file for file in files.taken if file.is_load]


def _has_excluded(table: KnownTable) -> bool:
    return bool(table.facts.excluded) and table.current is not None


def _is_built_anew(files: PendingFiles) -> bool:
    """Whether a state is made of a full load that readers do not have yet."""
    table = files.table
    if not files.taken or (files.action == "merge" and has_files(table.base)):
        return False
    is_first_load = files.newest == 1 and not _has_excluded(table)
    # Readers have this full load already, perhaps without its first file, which was archived.
    return not is_first_load and _published_generation(table.current) != files.newest


def has_files(version: Version | None) -> bool:
    """Whether any file is applied in the state of a version."""
    return version is not None and (version.rows_after > 0 or version.indexed_through is not None)


def _published_generation(current: Version | None) -> int:
    """The load generation that readers have; 0 for none."""
    return current.generation if current is not None and has_files(current) else 0


@dataclass(frozen=True)
class _LeftOut:
    """The files that a full load leaves out, but should not: as they were uploaded last.

    These are files of the full load before that are there and have not come again, and change
    files that were written before. Of a full load that was published to its last file they are
    those of segments that have not begun again. Of the load itself they are those that a rollback
    excluded.

    Attributes:
        table: the table.
        generation: the load generation that it is built from.
    """

    table: KnownTable
    generation: int

    @property
    def files(self) -> list[ObjectEvent]:
        """The files."""
        uploads = last_by_path(self._events, (LOAD, CDC))
        return [
            uploads[path]
            for path, now in last_by_path(self._events).items()
            if path in uploads and self._is_left_out(uploads[path], now)
        ]

    @cached_property
    def _events(self) -> Sequence[ObjectEvent]:
        return [
            event
            for event in self.table.events
            if event.kind in FILE_KINDS and self.table.is_below_path(event.path)
        ]

    @cached_property
    def _published(self) -> int:
        return _published_generation(self.table.current)

    @cached_property
    def _applied(self) -> frozenset[FileKey]:
        """The files that readers have."""
        current = self.table.current
        return self.table.lineage_files(current) if current and self._published else frozenset()

    @cached_property
    def _oldest(self) -> int:
        """The oldest load generation that counts: the published one only if it is not whole."""
        of_published = [one for one in self._events if one.load_generation == self._published]
        loaded = {event.path for event in of_published if event.kind == LOAD}
        # What was never applied and is missing now is not needed any more.
        is_partly_published = any(
            not last.is_missing and last.key not in self._applied
            for path, last in last_by_path(of_published).items()
            if path in loaded
        )
        return self._published if is_partly_published else self._published + 1

    @cached_property
    def _begun(self) -> set[str]:
        """The folders and segments in which the full load has begun."""
        return {
            load_place(event.path)
            for event in self._events
            if event.kind == LOAD
            and event.generation == self.generation
            and begins_a_load(event.path)
        }

    def _is_left_out(self, upload: ObjectEvent, now: ObjectEvent) -> bool:
        of, is_applied = now.load_generation, now.key in self._applied
        if of < self._published:
            return False
        if upload.kind != LOAD:
            # Of what is missing, only what readers had of changes counts.
            return (
                (not now.is_missing or is_applied)
                and self._oldest <= of < self.generation
                and self.table.is_in_range(now)
            )
        if now.is_missing:
            return False
        if of == self.generation:
            return now.key in self.table.facts.excluded
        return of < self.generation and (
            of >= self._oldest or load_place(now.path) not in self._begun
        )
