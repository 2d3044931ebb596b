"""Which files a run takes of a table: a choice in steps, each made when a rule asks for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from pyspark_dms.landing.events import CDC, LOAD, RESTORED, FileKey, ObjectEvent
from pyspark_dms.landing.known_table import KnownTable, file_name
from pyspark_dms.landing.strays import is_other_format, stem


@dataclass(frozen=True)
class PendingFiles:
    """The files of a table that wait for a run.

    | Step | leaves out |
    |---|---|
    | `waiting` | what the base has applied, what is after the date, what is excluded |
    | `asked` | files of another format than the declared one |
    | `pending` | files that are missing and no loss |
    | `taken` | files of an older load generation; copies, of a table without a key |
    """

    table: KnownTable

    # ------------------------------------------------------------------------- waiting

    @cached_property
    def waiting(self) -> list[ObjectEvent]:
        """The uploads up to the end of the date that the base has not applied.

        A file uploaded again counts once, as it is now; or not at all if that upload is excluded.
        But if the state has applied an earlier upload, that is asked for, so that its changes are
        not lost in silence; so it is if the last upload is gone and no version has applied it. What
        is missing and was replaced by a full load is left out.
        """
        table = self.table
        uploads: dict[str, list[ObjectEvent]] = {}
        for event in table.considered:
            if self._is_upload(event) and table.is_in_range(event):
                uploads.setdefault(event.path, []).append(event)
        waiting = []
        for found in uploads.values():
            file = self._counted(found)
            if file is None or table.is_applied(file) or file.key in self._replaced:
                continue
            if table.is_newer(file, table.base) or file.key in table.wanted:
                waiting.append(file)
        return waiting

    def _is_upload(self, event: ObjectEvent) -> bool:
        """Whether an event is of content to take: a new upload, or a restored one of no version."""
        base = self.table.base
        if event.kind in (LOAD, CDC):
            return True
        if event.kind != RESTORED or base is None:
            return False
        if event.load_generation < base.generation or event.key in self.table.facts.excluded:
            return False
        if event.key in base.files:
            return False
        # Whatever was tried since the base, a run that is repeated takes the same.
        return base.version == 1 or event.key not in self.table.applied_before

    def _counted(self, uploads: list[ObjectEvent]) -> ObjectEvent | None:
        """The one of the uploads of a file that counts; None if it is excluded."""
        last = _newest(uploads)
        if last is None:
            return None
        excluded = self.table.facts.excluded
        if last.key in excluded:
            return self._applied_one(one for one in uploads if one.key not in excluded)
        if self.table.is_missing(last.path):
            return self._applied_one(self._earlier_uploads(last)) or last
        return last

    def _applied_one(self, uploads: Iterable[ObjectEvent]) -> ObjectEvent | None:
        return _newest([upload for upload in uploads if self.table.is_in_state(upload)])

    def _earlier_uploads(self, file: ObjectEvent) -> list[ObjectEvent]:
        """All uploads of a missing file, if there are several.

        Another upload of a full load file is another full load, but for one that no run has taken.
        """
        uploads = [
            one
            for one in self._uploads_of_missing.get(file.path, ())
            if one.generation == file.generation
        ]
        return uploads if len(uploads) > 1 else []

    @cached_property
    def _uploads_of_missing(self) -> dict[str, list[ObjectEvent]]:
        """All uploads of each file that is missing now, by its path."""
        uploads: dict[str, list[ObjectEvent]] = {
            path: [] for path, event in self.table.last_events.items() if event.is_missing
        }
        for event in self.table.events:
            if event.kind in (LOAD, CDC) and event.path in uploads:
                uploads[event.path].append(event)
        return uploads

    @cached_property
    def _replaced(self) -> frozenset[FileKey]:
        """The missing files whose rows a full load has."""
        states = self.table.states if self.table.has_missing else ()
        return frozenset(
            state.last.key for state in states if state.is_missing and state.is_replaced
        )

    # ----------------------------------------------------------------- asked and pending

    @cached_property
    def other_formats(self) -> list[ObjectEvent]:
        """Those of another format than the declared one, which was declared after they came."""
        return [
            file
            for file in self.waiting
            if is_other_format(file.path, self.table.facts.file_format)
            and not self.table.is_missing(file.path)
        ]

    @cached_property
    def asked(self) -> list[ObjectEvent]:
        """The files of the declared format."""
        others = {file.path for file in self.other_formats}
        return [file for file in self.waiting if file.path not in others]

    @cached_property
    def ignored(self) -> dict[str, list[ObjectEvent]]:
        """The files that are missing and no loss, by the reason: see `strays.why_not_missed`."""
        ignored: dict[str, list[ObjectEvent]] = {}
        gone = (file for file in self.asked if not self.is_there(file))
        for file in gone:
            if reason := self.table.why_ignored(file, is_asked=True):
                ignored.setdefault(reason, []).append(file)
        return ignored

    @cached_property
    def pending(self) -> list[ObjectEvent]:
        """The files to read, of any load generation."""
        ignored = {file.path for files in self.ignored.values() for file in files}
        return [file for file in self.asked if file.path not in ignored]

    @cached_property
    def left_out(self) -> frozenset[FileKey]:
        """The files that would have to be read, and are no loss."""
        return frozenset({file.key for file in self.asked} - {file.key for file in self.pending})

    # --------------------------------------------------------------------------- taken

    @cached_property
    def newest(self) -> int:
        """The newest load generation of the files to read; 0 if there are none."""
        return max((file.load_generation for file in self.pending), default=0)

    @cached_property
    def of_newest(self) -> list[ObjectEvent]:
        """The files of the newest load generation, if that is not before the one of the base."""
        if self.table.base and self.newest < self.table.base.generation:
            return []
        return [file for file in self.pending if file.load_generation == self.newest]

    @cached_property
    def copies(self) -> list[tuple[ObjectEvent, ObjectEvent]]:
        """The files of a table without a key that it has from another path, each with that one.

        Nothing but a key tells rows that are there from those that come. The name of a change file
        is its time; full load files of one name may be in several folders below the path.
        """
        if self.table.facts.has_key or not self.table.facts.path or not self.of_newest:
            return []
        # Of one that is left out here, the copy that is read has the rows.
        asked = self.left_out.union(file.key for file in self.of_newest)
        known: dict[str, list[ObjectEvent]] = {}
        for event in self.table.events:
            is_upload = event.kind in (LOAD, CDC) and event.load_generation == self.newest
            if is_upload and (event.key not in asked or self.is_there(event)):
                known.setdefault(_name_of(event), []).append(event)
        found = []
        for file in self.of_newest:
            of_name = known.get(_name_of(file), ())
            others = (other for other in of_name if self._is_copy(file, other))
            if other := next(others, None):
                found.append((file, other))
        return found

    def is_there(self, file: ObjectEvent) -> bool:
        """Whether a file is there, where the table is now."""
        return self.table.is_below_path(file.path) and not self.table.is_missing(file.path)

    def _is_copy(self, file: ObjectEvent, other: ObjectEvent) -> bool:
        """Whether a file may have the rows of another one of its name."""
        if other.path == file.path:
            return False
        is_below = self.table.is_below_path
        if file.kind != CDC and is_below(file.path) == is_below(other.path):
            return False
        # One that is gone again, and was never applied, has left no rows.
        return (
            not self.is_there(file)
            or not self.table.is_missing(other.path)
            or self.table.is_in_state(other)
        )

    @cached_property
    def taken(self) -> list[ObjectEvent]:
        """The files that the run reads, if it makes a version.

        A copy that is gone, or where the table was before path was changed, is left out.
        """
        copies = {file.key for file, _ in self.copies}
        return [file for file in self.of_newest if file.key not in copies]

    @cached_property
    def is_repeated(self) -> bool:
        """Whether a date is run again and would make the same of the same files."""
        current, facts = self.table.current, self.table.facts
        if current is None or current.run_date != self.table.run.run_date:
            return False
        if facts.full_refresh or facts.is_altered:
            return False
        return {file.key for file in self.taken} == current.files

    @property
    def action(self) -> str:
        """What a version would be made by: merge, or build."""
        base = self.table.base
        return "merge" if base and self.newest == base.generation else "build"

    @cached_property
    def lost(self) -> list[ObjectEvent]:
        """The files that the run has to read and that are missing."""
        taken = [] if self.is_repeated else self.taken
        return [file for file in taken if self.table.is_missing(file.path)]


def _newest(uploads: list[ObjectEvent]) -> ObjectEvent | None:
    return max(uploads, key=lambda upload: upload.recency, default=None)


def _name_of(file: ObjectEvent) -> str:
    return file_name(stem(file.path))
