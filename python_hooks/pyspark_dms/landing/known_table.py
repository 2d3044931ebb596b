"""What is known of a table when a run plans it: its events beside its versions. Nothing changes it.

What takes long is looked at only where a rule asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from pyspark_dms.landing.events import (
    FILE_KINDS,
    IGNORED,
    LOAD,
    RESTORED,
    FileKey,
    ObjectEvent,
    Run,
    content_tag,
    end_of,
    last_by_path,
)
from pyspark_dms.landing.facts import TableFacts, Version
from pyspark_dms.landing.file_states import FileState, file_states
from pyspark_dms.landing.strays import is_other_format, stem, why_not_missed
from pyspark_dms.versions.lineage import applied_versions, counting


@dataclass(frozen=True)
class KnownTable:
    """A table before a run.

    Attributes:
        events: the events of the table, up to the start of the run.
        facts: the table and its versions.
        run: the run.
    """

    events: Sequence[ObjectEvent]
    facts: TableFacts
    run: Run

    @property
    def base(self) -> Version | None:
        """The version that the run starts from."""
        return self.facts.base

    @property
    def current(self) -> Version | None:
        """The current version."""
        return self.facts.current

    @property
    def is_first(self) -> bool:
        """Whether nothing was published of the folder yet."""
        return self.base is None or self.facts.is_new_folder

    # ------------------------------------------------------------- which events count

    def is_newer(self, event: ObjectEvent, version: Version | None) -> bool:
        """Whether an event was indexed since the version before a version, or is after its date.

        Files before that were applied or left out by the version or those it was built on. What is
        after its date was indexed by a run for a later date.
        """
        if version is None or version.indexed_from is None:
            return True
        if event.indexed_at > version.indexed_from:
            return True
        return event.file_time is not None and event.file_time >= end_of(version.run_date)

    def is_new(self, event: ObjectEvent) -> bool:
        """Whether no run that published has reported an event yet."""
        if self.base is None or self.base.indexed_through is None:
            return True
        if event.indexed_at > self.base.indexed_through:
            return True
        return event.file_time is not None and event.file_time >= end_of(self.base.newest_date)

    @cached_property
    def newer(self) -> list[ObjectEvent]:
        """The events that the base has not seen to."""
        return [event for event in self.events if self.is_newer(event, self.base)]

    @cached_property
    def wanted(self) -> frozenset[FileKey]:
        """The files that are included again and that the base was not built on."""
        if self.base is None:
            return frozenset()  # all is taken anyway
        wanted, generation = self.facts.included - self.base.files, self.base.generation
        there = {
            event.key
            for event in self.events
            if event.load_generation >= generation and event.key in wanted
        }
        if there and self.base.base_version is not None:
            there -= self.lineage_files(self.base)
        return frozenset(there)

    @cached_property
    def considered(self) -> list[ObjectEvent]:
        """The events of files that the run may have to take."""
        if not self.wanted:
            return self.newer
        paths = {path for path, _ in self.wanted}
        return [e for e in self.events if e.path in paths or self.is_newer(e, self.base)]

    @cached_property
    def has_missing(self) -> bool:
        """Whether a file that the run may have to take was missing."""
        return any(event.is_missing for event in self.considered)

    # ----------------------------------------------------------- dates and folders

    @cached_property
    def end(self) -> datetime:
        """The first moment after the date of the run."""
        return end_of(self.run.run_date)

    @cached_property
    def start(self) -> datetime | None:
        """The first moment of ``cdc_start_date``."""
        day = self.facts.cdc_start_date
        return None if day is None else end_of(day - timedelta(days=1))

    def is_started(self, file: ObjectEvent) -> bool:
        """Whether a change file is not before ``cdc_start_date``; a full load file never is."""
        return file.file_time is None or self.start is None or file.file_time >= self.start

    def is_in_range(self, file: ObjectEvent) -> bool:
        """Whether a change file is of a date that the run takes; a full load file always is."""
        return self.is_started(file) and (file.file_time is None or file.file_time < self.end)

    def is_below_path(self, path: str) -> bool:
        """Whether a file is where the table is now: elsewhere it was before path was changed."""
        folders = (self.facts.path, self.facts.transaction_path)
        return any(folder and path.startswith(folder) for folder in folders)

    # ------------------------------------------------------------- states of files

    @cached_property
    def last_events(self) -> dict[str, ObjectEvent]:
        """The last event of each file."""
        return last_by_path(self.events, FILE_KINDS)

    def is_missing(self, path: str) -> bool:
        """Whether a file is missing."""
        return self.last_events[path].is_missing

    @cached_property
    def states(self) -> list[FileState]:
        """What all events say of each file; looked at only where something is missing."""
        return file_states(self.events)

    @cached_property
    def _there(self) -> list[ObjectEvent]:
        return [event for event in self.last_events.values() if not event.is_missing]

    @cached_property
    def _stems(self) -> set[str]:
        return {stem(event.path) for event in self._there}

    @cached_property
    def _contents(self) -> set[tuple[str, str | None, int]]:
        """Name and content of each file that is there and that runs may read."""
        return {
            _content(event)
            for event in self._there
            if self.is_below_path(event.path) and event.key not in self.facts.excluded
        }

    def can_be_ignored(self, file: ObjectEvent) -> bool:
        """Whether a table can do without a file: its full load may not be gone as a whole."""
        return not file.is_load or any(
            event.kind in (LOAD, RESTORED)
            and event.is_load
            and event.load_generation == file.load_generation
            and event.path != file.path
            for event in self.last_events.values()
        )

    def why_ignored(self, file: ObjectEvent, is_asked: bool) -> str | None:
        """Why the rows of a file that is not there are no loss; None if they are missed.

        Args:
            file: the file. It is missing, or not below the path.
            is_asked: whether a run has to read it. Else it is only asked whether it was a stray
                file: of one that was applied and moved, the copy comes late.
        """
        last = self.last_events[file.path]
        can_be_ignored = last.is_missing and self.can_be_ignored(file)
        facts = {
            "is_allowed": is_asked and can_be_ignored and self.facts.allows_missing,
            "has_copy": is_asked and _content(file) in self._contents,
            "was_allowed": can_be_ignored and last.problem == IGNORED,
            "has_twin": last.is_missing and stem(file.path) in self._stems,
            "is_other_format": is_other_format(file.path, self.facts.file_format),
        }
        is_sure = facts["is_allowed"] or facts["has_copy"]
        # Whether it was applied may need the files of earlier versions.
        is_applied = not is_sure and any(facts.values()) and self.is_in_state(file)
        return why_not_missed(is_applied=is_applied, **facts)

    # ----------------------------------------------------------- applied by versions

    def lineage_files(self, version: Version) -> frozenset[FileKey]:
        """The files that a version and those that it was built on have applied.

        Raises:
            DmsError: one of them was given up, or cannot be read.
        """
        if version.base_version is None:
            return version.files
        return self._files_of(applied_versions(self.facts.history, version.version))

    @cached_property
    def applied_before(self) -> frozenset[FileKey]:
        """The files that any version up to the base has applied, whether it was undone or not."""
        numbers = range(1, self.base.version + 1 if self.base else 1)
        return self._files_of(counting(self.facts.history, numbers))

    def _files_of(self, numbers: Iterable[int]) -> frozenset[FileKey]:
        history = self.facts.history
        return frozenset(
            (file.path, file.etag) for number in numbers for file in history[number].files
        )

    @cached_property
    def _state_files(self) -> frozenset[FileKey]:
        return self.lineage_files(self.current) if self.current else frozenset()

    def is_in_state(self, upload: ObjectEvent) -> bool:
        """Whether the current version, or one it was built on, has applied an upload."""
        if self.current is None:
            return False
        return upload.key in self.current.files or upload.key in self._state_files

    def is_applied(self, file: ObjectEvent) -> bool:
        """Whether the base has applied an upload itself, or stands on it as its full load.

        A full load file can be indexed again: rows of dms_files may be lost. A change file that was
        applied replaces itself; the rows of a full load would be added once more.
        """
        if self.base is None:
            return False
        is_of_base = file.load_generation == self.base.generation
        return file.key in self.base.files or (is_of_base and file.key in self.base.load_files)


def file_name(path: str) -> str:
    """The last part of a path."""
    return path.rsplit("/", 1)[1]


def _content(event: ObjectEvent) -> tuple[str, str | None, int]:
    """What two files share of which one is a copy of the other."""
    return file_name(event.path), content_tag(event.etag), event.load_generation
