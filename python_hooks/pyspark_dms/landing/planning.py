"""Plans which files of the landing area a run takes for a table, and what it does with them.

One pure function, `plan_files`, reads the events of one table (`pyspark_dms.landing.objects`) and
the versions that matter, and says: nothing to do, merge or build, with which files; what to warn
of; or why the table fails. The rules are those of docs/reference/dms.md and of the decisions 3, 13
and 17.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

from pyspark_dms.errors import DmsError
from pyspark_dms.landing.events import (
    CDC,
    EMPTY,
    FILE_KINDS,
    FOLDER_KINDS,
    IGNORED,
    LISTING_FAILED,
    LOAD,
    MISSING,
    RESTORED,
    TIME_ZONE_CHANGED,
    TWO_FORMATS,
    UNKNOWN,
    FileKey,
    ObjectEvent,
    Run,
    content_tag,
    end_of,
    is_before,
)
from pyspark_dms.landing.facts import FilePlan, PastVersion, TableFacts, Version
from pyspark_dms.landing.full_loads import begins_a_load, load_place
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.landing.strays import (
    is_other_format,
    stem,
    way_out,
    why_not_missed,
)

_NAMED_PATHS = 3
# DMS names a change file by the time it is written: where the two agree, it is no copy.
_LARGEST_CLOCK_DIFFERENCE = timedelta(hours=1)
_DISCOVER = "dms-snapshots discover <root> --check"
_NOT_PUBLISHED = "Nothing of this table was published"


# ----------------------------------------------------------------------------- planning


def plan_files(events: Sequence[ObjectEvent], facts: TableFacts, run: Run) -> FilePlan:
    """Plan what a run does with a table.

    Args:
        events: all events of the table, those of this run among them.
        facts: the table and its versions.
        run: the run.

    Returns:
        The plan. What fails the table is its error and not an exception.
    """
    planning = _Planning(events, facts, run)
    try:
        return planning.plan()
    except _NeedsHistory:
        return planning.without_files(None, needs_history=True)
    except _TableError as error:
        return planning.without_files(None, error=f"{facts.label}: {error}")


class _TableError(DmsError):
    """What fails the table: what is wrong, what was not done, what to do."""


class _NeedsHistory(Exception):
    """The files of earlier versions are asked for, and were not read."""


@dataclass(frozen=True)
class _FileState:
    """What the events of one path say about its file.

    Attributes:
        path: the file.
        last: its last event.
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


def file_states(events: Sequence[ObjectEvent]) -> list[_FileState]:
    """Tell of every file of a table whether it is missing, and whether a full load replaced it.

    A file is replaced if it is of an earlier load generation, or has changes that were written and
    seen before the first file of the newest one. A full load that no run took does not make the
    next one another. Its files, and changes before it, are skipped if they were missing when a
    first file came, and no other of its files is as it was.
    """
    last: dict[str, ObjectEvent] = {}
    seen: dict[str, datetime] = {}
    # What was put back has a time of its own, but is no full load.
    loaded: dict[str, ObjectEvent] = {}
    for event in sorted(events, key=lambda event: event.indexed_at):
        if event.kind in FILE_KINDS:
            before = last.get(event.path)
            # Recorded again, because a person said that it is not needed, it was missing before.
            if before is None or not before.kind == event.kind == MISSING:
                last[event.path] = event
            seen.setdefault(event.path, event.indexed_at)
            if event.kind == LOAD:
                loaded[event.path] = event

    newest = max((event.generation or 0 for event in loaded.values()), default=0)
    loads = [event for event in loaded.values() if event.generation == newest]
    present = [event for event in loads if last[event.path].kind != MISSING]
    begun_at = _first(event.indexed_at for event in present if begins_a_load(event.path))
    if begun_at is not None and begun_at == _first(event.indexed_at for event in present):
        loads = present
    else:
        begun_at = None
    started_at = _first(event.modified_at for event in loads)
    seen_at = _first(event.indexed_at for event in loads)

    states = []
    for path, event in last.items():
        is_missing = event.kind == MISSING
        was_missing = (
            is_missing
            and event.generation == newest
            and begun_at is not None
            and event.indexed_at <= begun_at
        )
        was_loaded = path in loaded and begun_at is not None and loaded[path].indexed_at < begun_at
        is_earlier = (event.generation or 0) < newest or (
            event.file_time is not None
            and is_before(event.modified_at, started_at)
            and is_before(seen[path], seen_at)
        )
        states.append(
            _FileState(
                path=path,
                last=event,
                seen_at=seen[path],
                is_missing=is_missing,
                is_replaced=(was_missing and was_loaded) or is_earlier,
                is_skipped=was_missing and (was_loaded or is_earlier),
            )
        )
    return states


class _Planning:
    """The plan of one table, step by step."""

    def __init__(self, events: Sequence[ObjectEvent], facts: TableFacts, run: Run) -> None:
        # What a run beside this one indexes meanwhile is taken by the next.
        self.events = [event for event in events if event.indexed_at <= run.started_at]
        self.facts = facts
        self.run = run
        self.base = facts.base
        self.current = facts.current
        self.end = end_of(run.run_date)
        start = facts.cdc_start_date
        self.start = None if start is None else end_of(start - timedelta(days=1))
        self.warnings: list[tuple[str, str]] = []

    def plan(self) -> FilePlan:
        """Plan the table.

        Raises:
            _TableError: the table fails.
            _NeedsHistory: the plan cannot be made without the files of earlier versions.
        """
        self.check_listing()
        self.check_index()
        self.warn_of_unknown_objects()
        asked = self.of_format(self.pending_files())
        pending = self.without_unmissed(asked)
        newest = max((_generation(file) for file in pending), default=0)
        on_base = newest >= self.base.generation if self.base else bool(pending)
        taken = [file for file in pending if _generation(file) == newest] if on_base else []
        # Of one that is left out here, the copy that is read has the rows.
        left_out = {file_key(file) for file in asked} - {file_key(file) for file in pending}
        taken = self.without_copies(taken, left_out)
        is_repeated = self.is_repeated(taken)
        lost = [] if is_repeated else [file for file in taken if self.is_missing(file.path)]
        unread = {path for path, _ in left_out}
        self.report_missing_files(unread | {file.path for file in lost})
        self.report_empty_folder([] if is_repeated else taken)
        self.warn_of_replaced_changes(pending)
        self.warn_of_copied_changes(pending, newest)
        self.warn_of_changes_before_load(pending)
        self.warn_of_no_load(taken)
        if not pending and self.is_first:
            self.report_no_files()
        if is_repeated or (self.base and not taken):
            return self.without_files(self.current if is_repeated else self.base)
        self.check_lost_files(lost)
        self.check_excluded_uploads(taken)
        action = "merge" if self.base and newest == self.base.generation else "build"
        if taken:
            self.check_load(taken, action)
        return self.with_files(action, taken)

    @property
    def is_first(self) -> bool:
        """Whether nothing was published of the folder yet."""
        return self.base is None or self.facts.is_new_folder

    # ------------------------------------------------------------------- the result

    def without_files(
        self, shown: Version | None, error: str | None = None, needs_history: bool = False
    ) -> FilePlan:
        """The plan that takes no files: the date shows a version, or the table fails."""
        start = self.base.indexed_through if self.base else None
        seen = self.events if shown and shown.indexed_through else []
        return FilePlan(
            action="none",
            files=(),
            generation=shown.generation if shown else 1,
            load_file_count=0,
            last_file_seq=shown.last_file_seq if shown else 0,
            indexed_from=start,
            indexed_through=max((e.indexed_at for e in seen), default=start),
            warnings=tuple(self.warnings),
            error=error,
            needs_history=needs_history,
            shown_version=shown.version if shown else None,
        )

    def with_files(self, action: str, taken: Sequence[ObjectEvent]) -> FilePlan:
        """The plan that merges or builds."""
        in_order = sorted(taken, key=lambda file: (file.file_seq or 0, file.path))
        places = [file.file_seq or 0 for file in in_order]
        before = self.base.last_file_seq if self.base and action == "merge" else 0
        start = self.base.indexed_through if self.base else None
        moments = [file.indexed_at for file in in_order] + ([start] if start else [])
        return FilePlan(
            action=action,
            files=tuple(_planned(file) for file in in_order),
            generation=max((_generation(file) for file in in_order), default=1),
            load_file_count=sum(_is_load(file) for file in in_order),
            last_file_seq=max([before, *places]),
            indexed_from=start,
            indexed_through=max(moments, default=None),
            warnings=tuple(self.warnings),
            error=None,
            needs_history=False,
            is_late=action == "merge" and bool(places) and min(places) <= before,
        )

    def is_repeated(self, taken: Sequence[ObjectEvent]) -> bool:
        """Whether a date is run again and would make the same of the same files."""
        current = self.current
        if current is None or current.run_date != self.run.run_date:
            return False
        if self.facts.full_refresh or self.facts.is_altered:
            return False
        return {file_key(file) for file in taken} == current.files

    # ------------------------------------------------------------------ which files

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
    def states(self) -> list[_FileState]:
        """What all events say of each file; looked at only where something is missing."""
        return file_states(self.events)

    @cached_property
    def wanted(self) -> frozenset[FileKey]:
        """The files that are included again and that the base was not built on."""
        if self.base is None:
            return frozenset()  # all is taken anyway
        wanted, generation = self.facts.included - self.base.files, self.base.generation
        there = {
            file_key(event)
            for event in self.events
            if _generation(event) >= generation and file_key(event) in wanted
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
    def last_considered(self) -> dict[str, ObjectEvent]:
        """The last of the events that the run may have to take, by path."""
        return _last_by_path(self.considered, lambda event: event.kind in FILE_KINDS)

    def is_missing(self, path: str) -> bool:
        """Whether a file that the run may have to take is missing."""
        return self.last_considered[path].kind == MISSING

    def is_in_range(self, file_time: datetime | None) -> bool:
        """Whether a change file is of a date that the run takes; a full load file always is."""
        return file_time is None or (self.is_started(file_time) and file_time < self.end)

    def is_started(self, file_time: datetime | None) -> bool:
        """Whether a change file is not before ``cdc_start_date``; a full load file never is."""
        return file_time is None or self.start is None or file_time >= self.start

    def pending_files(self) -> list[ObjectEvent]:
        """The uploads up to the end of the date that the base has not applied.

        A file uploaded again counts once, as it is now; or not at all if that upload is excluded.
        But if the state has applied an earlier upload, that is asked for, so that its changes are
        not lost in silence; so it is if the last upload is gone and no version has applied it. What
        is missing and was replaced by a full load is left out.
        """
        uploads: dict[str, list[ObjectEvent]] = {}
        for event in self.considered:
            if self.is_upload(event) and self.is_in_range(event.file_time):
                uploads.setdefault(event.path, []).append(event)
        has_missing = any(event.kind == MISSING for event in self.considered)
        replaced = {
            file_key(state.last)
            for state in (self.states if has_missing else ())
            if state.is_missing and state.is_replaced
        }
        pending = []
        for path, found in uploads.items():
            file = max(found, key=_recency)
            if self.facts.excluded and file_key(file) in self.facts.excluded:
                left = [one for one in found if file_key(one) not in self.facts.excluded]
                left = [one for one in left if self.is_in_state(one)]
                if not left:
                    continue
                file = max(left, key=_recency)
            elif self.is_missing(path):
                left = [one for one in self.earlier_uploads(file) if self.is_in_state(one)]
                file = max(left or [file], key=_recency)
            if self.is_applied(file) or file_key(file) in replaced:
                continue
            if self.is_newer(file, self.base) or file_key(file) in self.wanted:
                pending.append(file)
        return pending

    def is_applied(self, file: ObjectEvent) -> bool:
        """Whether the base has applied an upload itself, or stands on it as its full load.

        A full load file can be indexed again: rows of dms_files may be lost. A change file that was
        applied replaces itself; the rows of a full load would be added once more.
        """
        if self.base is None:
            return False
        key, is_of_base = file_key(file), _generation(file) == self.base.generation
        return key in self.base.files or (is_of_base and key in self.base.load_files)

    def is_upload(self, event: ObjectEvent) -> bool:
        """Whether an event is of content to take: a new upload, or a restored one of no version."""
        if event.kind in (LOAD, CDC):
            return True
        if event.kind != RESTORED or self.base is None:
            return False
        key = file_key(event)
        if _generation(event) < self.base.generation or key in self.facts.excluded:
            return False
        if key in self.base.files:
            return False
        if self.base.version == 1:
            return True
        # Whatever was tried since the base, a run that is repeated takes the same.
        return not any(
            key in past.files for past in self.history.values() if past.version <= self.base.version
        )

    def earlier_uploads(self, file: ObjectEvent) -> list[ObjectEvent]:
        """All uploads of a missing file, if there are several.

        Another upload of a full load file is another full load, but for one that no run has taken.
        """
        uploads = [
            one
            for one in self.uploads_of_missing.get(file.path, ())
            if one.generation == file.generation
        ]
        return uploads if len(uploads) > 1 else []

    @cached_property
    def uploads_of_missing(self) -> dict[str, list[ObjectEvent]]:
        """All uploads of each file that is missing now, by its path."""
        uploads: dict[str, list[ObjectEvent]] = {
            path: [] for path, event in self.last_events.items() if event.kind == MISSING
        }
        for event in self.events:
            if event.kind in (LOAD, CDC) and event.path in uploads:
                uploads[event.path].append(event)
        return uploads

    @cached_property
    def last_events(self) -> dict[str, ObjectEvent]:
        """The last event of each file."""
        return _last_by_path(self.events, lambda event: event.kind in FILE_KINDS)

    def is_in_state(self, upload: ObjectEvent) -> bool:
        """Whether the current version, or one it was built on, has applied an upload."""
        if self.current is None:
            return False
        key = file_key(upload)
        return key in self.current.files or key in self.lineage_files(self.current)

    # ------------------------------------------------------------------ stray files

    def of_format(self, pending: Sequence[ObjectEvent]) -> list[ObjectEvent]:
        """The files of the declared format. Others were indexed before the format was declared.

        Raises:
            _TableError: others are there, and the state was built from them.
        """
        others = [
            file for file in pending if is_other_format(file.path, self.facts.file_format)
            and not self.is_missing(file.path)
        ]  # fmt: skip
        applied = [file.path for file in others if self.is_in_state(file)]
        if applied:
            raise _TableError(
                "E215",
                f"format is {self.facts.file_format}, and version {self.version_text} has rows of "
                f"files of another one {_named(applied)}. {_NOT_PUBLISHED}. Declare format: auto, "
                f"then: {self.facts.run_command}. If DMS did not write these files, delete them, "
                f"then: {self.rebuild_without_missing}",
            )
        new = {file.path for file in others if self.is_new(file)}
        self.warn_of_other_format(new)
        paths = {file.path for file in others}
        return [file for file in pending if file.path not in paths]

    @property
    def version_text(self) -> str:
        """The number of the current version."""
        return f"{self.current.version if self.current else 0}"

    @property
    def rebuild_without_missing(self) -> str:
        """What takes the rows of deleted files out of the state."""
        command = self.facts.allow_missing_command
        return command if self.facts.full_refresh else f"{command} --full-refresh"

    def applied_of(self, *paths: str | None) -> str | None:
        """The first of some paths of which the state has applied what is there now."""
        known = [self.last_events[path] for path in paths if path in self.last_events]
        return next((event.path for event in known if self.is_in_state(event)), None)

    def warn_of_other_format(self, paths: Collection[str]) -> None:
        """Warn of files that have names of DMS and another format than the declared one."""
        if paths:
            self.warnings.append(
                (
                    f"format is {self.facts.file_format}, so files of another one are not read "
                    f"{_named(paths)}",
                    "If DMS wrote them, declare format: auto. Else nothing is to be done.",
                )
            )

    def without_unmissed(self, pending: Sequence[ObjectEvent]) -> list[ObjectEvent]:
        """The files to read, without those that are missing and no loss (`why_not_missed`)."""
        gone = [
            file
            for file in pending
            if self.is_missing(file.path) or not self.is_below_path(file.path)
        ]
        if not gone:
            return list(pending)
        reasons: dict[str, list[ObjectEvent]] = {}
        for file in gone:
            if reason := self.why_ignored(file, is_asked=True):
                reasons.setdefault(reason, []).append(file)
        for reason, files in reasons.items():
            last = [self.last_considered[file.path] for file in files]
            new = [event.path for event in last if event.kind == MISSING and self.is_new(event)]
            if new:
                self.warnings.append(
                    (
                        f"files to be read are no longer there {_named(new)}",
                        f"They are ignored, {reason}. If DMS wrote them, put them back.",
                    )
                )
        ignored = {file.path for files in reasons.values() for file in files}
        return [file for file in pending if file.path not in ignored]

    def why_ignored(self, file: ObjectEvent, is_asked: bool) -> str | None:
        """Why the rows of a file that is not there are no loss; None if they are missed.

        Args:
            file: the file. It is missing, or not below the path.
            is_asked: whether a run has to read it. Else it is only asked whether it was a stray
                file: of one that was applied and moved, the copy comes late.
        """
        is_missing = self.last_events[file.path].kind == MISSING
        can_be_ignored = is_missing and self.can_be_ignored(file)
        facts = {
            "is_allowed": is_asked and can_be_ignored and self.facts.allows_missing,
            "has_copy": is_asked and _content(file) in self.copies,
            "was_allowed": can_be_ignored and self.last_events[file.path].problem == IGNORED,
            "has_twin": is_missing and stem(file.path) in self.stems,
            "is_other_format": is_other_format(file.path, self.facts.file_format),
        }
        is_sure = facts["is_allowed"] or facts["has_copy"]
        # Whether it was applied may need the files of all versions.
        is_applied = not is_sure and any(facts.values()) and self.is_in_state(file)
        return why_not_missed(is_applied=is_applied, **facts)

    @cached_property
    def there(self) -> list[ObjectEvent]:
        """The files that are there, as their last event says."""
        return [event for event in self.last_events.values() if event.kind != MISSING]

    @cached_property
    def stems(self) -> set[str]:
        """The stems of the files that are there."""
        return {stem(event.path) for event in self.there}

    @cached_property
    def copies(self) -> set[tuple[str, str | None, int]]:
        """Name and content of each file that is there and that runs may read."""
        return {
            _content(event)
            for event in self.there
            if self.is_below_path(event.path) and file_key(event) not in self.facts.excluded
        }

    def can_be_ignored(self, file: ObjectEvent) -> bool:
        """Whether a table can do without a file: its full load may not be gone as a whole."""
        return not _is_load(file) or any(
            event.kind in (LOAD, RESTORED)
            and _is_load(event)
            and _generation(event) == _generation(file)
            and event.path != file.path
            for event in self.last_events.values()
        )

    # ------------------------------------------------------------- earlier versions

    @property
    def history(self) -> Mapping[int, PastVersion]:
        """All versions.

        Raises:
            _NeedsHistory: they were not read.
        """
        if self.facts.history is None:
            raise _NeedsHistory
        return self.facts.history

    def lineage_files(self, version: Version) -> frozenset[FileKey]:
        """The files that a version and those that it was built on have applied.

        Raises:
            _NeedsHistory: it was built on others, and they were not read.
        """
        if version.base_version is None:
            return version.files
        return frozenset().union(*(self.history[one].files for one in self.lineage(version)))

    def lineage(self, version: Version) -> list[int]:
        """The versions whose changes are in the state of one, newest first."""
        lineage = [self.origin(version.version)]
        while (base := self.history[lineage[-1]].base_version) is not None:
            lineage.append(self.origin(base))
        return lineage

    def origin(self, number: int) -> int:
        """The version that made the state which one shows: a copy leads to what it is a copy of."""
        past = self.history[number]
        if past.current_version != number:
            return self.origin(past.current_version)
        return number if past.restored_version is None else self.origin(past.restored_version)

    # ----------------------------------------------------------- listing and folders

    def check_listing(self) -> None:
        """Check that the folders could be listed, and in the time zone of before.

        Raises:
            _TableError: they could not.
        """
        again = f"Then: {self.facts.run_command}"
        of_run = [
            event
            for event in self.events
            if event.kind in FOLDER_KINDS and event.indexed_at == self.run.started_at
        ]
        for event in of_run:
            if event.kind == LISTING_FAILED:
                raise _TableError(
                    "E202",
                    f"{event.path} cannot be listed: {event.problem}. {_NOT_PUBLISHED}. "
                    f"Check path, endpoint and credentials. {again}",
                )
        for event in of_run:
            if event.kind == TWO_FORMATS:
                what, advice = way_out(event.path, event.problem, self.facts.file_format)
                more = f", and {event.size - 1} more" if event.size and event.size > 1 else ""
                if applied := self.applied_of(event.path, event.problem):
                    again += f"; or, if {applied} was deleted: {self.rebuild_without_missing}"
                raise _TableError("E215", f"{what}{more}. {_NOT_PUBLISHED}. {advice}. {again}")
            if event.kind == TIME_ZONE_CHANGED:
                raise _TableError(
                    "E209",
                    f"file_timezone differs from when change files were indexed: {event.problem}. "
                    f"{_NOT_PUBLISHED}. Declare the earlier one again (to change it: "
                    f"docs/reference/dms.md, DatePartitionTimezone). {again}",
                )

    def check_index(self) -> None:
        """Check that the index has the full load on which the base stands.

        If the index was lost, its load generations begin at 1 again: new files would be taken for
        older than the base, or a newer full load for more of the one of the base.

        Raises:
            _TableError: it has not.
        """
        known = [_generation(event) for event in self.events if event.kind in (LOAD, CDC)]
        if self.base and known and max(known) < self.base.generation:
            raise _TableError(
                "E210",
                f"dms_files has load generation {max(known)}, and version {self.base.version} was "
                f"built from load generation {self.base.generation}, so rows of dms_files are "
                f"missing. {_NOT_PUBLISHED}. Bring them back, or build the table again: "
                f"{self.facts.rebuild_command}",
            )
        if self.base is None:
            return
        loads = {file_key(event) for event in self.events if event.kind == LOAD}
        lost = {path for path, _ in self.base.load_files - loads}
        again = sorted(path for path, _ in loads if path in lost)
        if again:
            raise _TableError(
                "E210",
                f"dms_files does not have the full load of version {self.base.version}: {again[0]} "
                f"has been uploaded again since, so rows of dms_files are missing. "
                f"{_NOT_PUBLISHED}. Bring them back, or build the table again: "
                f"{self.facts.rebuild_command}",
            )

    def report_empty_folder(self, taken: Sequence[ObjectEvent]) -> None:
        """Warn of, or fail with, a folder without files of a table whose files were elsewhere.

        One that has had files is reported as missing files. With a wrong root, what else fails
        would name another cause, and files that this run has to take may have been corrected.

        Args:
            taken: the files that this run would take.

        Raises:
            _TableError: there are files to take, or ``on_missing_files`` is ``fail``.
        """
        folder = self.facts.path.rstrip("/") + "/"
        if not any(
            event.kind == EMPTY
            and event.indexed_at == self.run.started_at
            and event.path.rstrip("/") + "/" == folder
            for event in self.newer
        ):
            return
        if any(e.kind not in FOLDER_KINDS and e.path.startswith(folder) for e in self.events):
            return
        way_out = f"If path or DMS_ROOT is wrong, correct it: {_DISCOVER}"
        # Those with the changes of all tables are where they always were.
        elsewhere = {file.path for file in taken if not self.is_below_path(file.path)}
        if elsewhere:
            raise _TableError(
                "E203",
                f"there are no files under {folder}, and those that are to be taken are not below "
                f"it: {_named(elsewhere)}. {_NOT_PUBLISHED}. {way_out}. If the "
                "table has moved, first run it once more with the path of before",
            )
        what = f"there are no files under {folder}, and those that were taken are not below it"
        stays = "The published rows stay" if self.base else "There are no published rows"
        self.fail_or_warn(what, way_out, f"{stays}. {way_out}")

    def report_no_files(self) -> None:
        """Warn of, or fail with, a table without any file.

        Raises:
            _TableError: with ``on_missing_files: fail``.
        """
        what = f"there are no files under {self.facts.path} yet"
        way_out = f"If the table has rows, correct path: {_DISCOVER}"
        advice = "The snapshot is empty" if self.base is None else "No rows are added"
        self.fail_or_warn(what, way_out, f"{advice}. {way_out}")

    def fail_or_warn(self, what: str, way_out: str, advice: str) -> None:
        """Fail or warn, as ``on_missing_files`` says.

        Args:
            what: what is wrong.
            way_out: what to do if the table fails.
            advice: what was done, and what to do, if it does not.

        Raises:
            _TableError: with ``on_missing_files: fail``.
        """
        if self.facts.on_missing_files == "fail":
            raise _TableError(
                "E203", f"{what}. {_NOT_PUBLISHED}, because on_missing_files is fail. {way_out}"
            )
        self.warnings.append((what, advice))

    def warn_of_unknown_objects(self) -> None:
        """Warn once of objects that are no files of DMS."""
        unread = {e.path for e in self.newer if e.kind == UNKNOWN and self.is_new(e)}
        others = {path for path in unread if is_other_format(path, self.facts.file_format)}
        self.warn_of_other_format(others)
        paths = unread - others
        if paths:
            self.warnings.append(
                (
                    f"objects without a name of a DMS file are not read {_named(paths)}",
                    "If one holds changes, upload it under the name that DMS gave it.",
                )
            )

    # ---------------------------------------------------------------- missing files

    def report_missing_files(self, lost: set[str]) -> None:
        """Warn of, or fail with, files that are missing and that no later full load replaced.

        After the first of them the table cannot be built from its files, whichever others go, until
        there is a new full load: so that is reported once. That none is left is reported each time.

        Args:
            lost: the paths that the run has to read; they fail it anyway, or are no loss.

        Raises:
            _TableError: with ``on_missing_files: fail``.
        """
        if not any(event.kind == MISSING for event in self.newer):
            return
        self.report_skipped_files()
        relevant = [
            state
            for state in self.states
            if not state.is_replaced
            and state.path not in lost
            and file_key(state.last) not in self.facts.excluded
            and self.is_started(state.last.file_time)
            and not (state.is_missing and self.why_ignored(state.last, is_asked=False))
        ]
        missing = [s for s in relevant if s.is_missing and self.is_in_range(s.last.file_time)]
        new = [state for state in missing if self.is_missing_since_base(state)]
        if not new:
            return
        noticed_at = max(state.last.indexed_at for state in new)
        # What was first seen when the others were missing may have been written after a TRUNCATE.
        is_any_left = any(
            not state.is_missing and state.seen_at < noticed_at and self.is_below_path(state.path)
            for state in relevant
        )
        if self.facts.on_missing_files == "warn" and is_any_left and len(missing) > len(new):
            return
        what = f"files that were applied are missing {_named(state.path for state in new)}"
        way_out = "Put them back, reload the table in DMS, or set on_missing_files: warn. "
        way_out += f"Then: {self.facts.run_command}"
        if is_any_left:
            advice = "Their rows stay published, but --full-refresh fails until they are back or "
            self.fail_or_warn(what, way_out, f"{advice}DMS reloads the table.")
        else:
            none_left = "None is left, as after TRUNCATE or DROP at the source"
            advice = "deleted rows stay published until DMS reloads the table."
            self.fail_or_warn(what, f"{none_left}. {way_out}", f"{none_left}: {advice}")

    def is_missing_since_base(self, state: _FileState) -> bool:
        """Whether a file went missing after the last run that published."""
        through = self.base.indexed_through if self.base else None
        return through is None or state.last.indexed_at > through

    def report_skipped_files(self) -> None:
        """Warn of, or fail with, files that no run has taken and that their full load now lacks.

        DMS may have loaded the table again, and then all is there; but nothing tells that from a
        first file that a person has written, and then their rows are missing.

        Raises:
            _TableError: with ``on_missing_files: fail``.
        """
        # Reported once, and not again by a full refresh.
        through = self.current.indexed_through if self.current else None
        paths = [
            state.path
            for state in self.skipped_files()
            if through is None or state.last.indexed_at > through
        ]
        if not paths:
            return
        self.fail_or_warn(
            f"files that no run had taken are missing since their full load began again "
            f"{_named(paths)}",
            "Put them back or, after a reload of DMS, set on_missing_files: warn for one run: "
            f"{self.facts.run_command}",
            "They are ignored. After a reload nothing is to be done. Else put them back, or reload "
            "the table in DMS: their rows are missing.",
        )

    def skipped_files(self) -> list[_FileState]:
        """The files that no run has taken and that their full load now lacks."""
        return [
            state
            for state in self.states
            if state.is_skipped
            and self.is_started(state.last.file_time)
            and not self.was_taken(state.last)
        ]

    def was_taken(self, missing: ObjectEvent) -> bool:
        """Whether a version has applied a file that is missing now, or a rollback excluded it.

        What was indexed before the window of a version was applied, or left out and reported.
        """
        key = file_key(missing)
        version = self.base or self.current
        if key in self.facts.excluded or version is None:
            return key in self.facts.excluded
        if key in version.files or (self.current is not None and key in self.current.files):
            return True
        return not any(
            event.path == missing.path and event.etag == missing.etag
            for event in self.events
            if event.kind in (LOAD, CDC) and self.is_newer(event, version)
        )

    def check_lost_files(self, lost: Sequence[ObjectEvent]) -> None:
        """Check that the files to read are there.

        Raises:
            _TableError: some are missing.
        """
        if lost:
            way_out = f"Put them back, or reload the table in DMS. Then: {self.facts.run_command}"
            if all(self.can_be_ignored(file) for file in lost):
                way_out += f". If their rows are not needed: {self.facts.allow_missing_command}"
            raise _TableError(
                "E204",
                f"files that this run has to read are no longer there "
                f"{_named(file.path for file in lost)}. {_NOT_PUBLISHED}. {way_out}",
            )

    def check_excluded_uploads(self, taken: Sequence[ObjectEvent]) -> None:
        """Check that no file to read was replaced by an upload that a rollback excluded.

        Raises:
            _TableError: one was; its changes are part of the state and cannot be read any more.
        """
        replaced = [
            file.path
            for file in taken
            if file_key(file) != file_key(self.last_considered[file.path])
            and file_key(self.last_considered[file.path]) in self.facts.excluded
        ]
        if replaced:
            raise _TableError(
                "E205",
                "uploads that were rolled back have replaced files that this run has to read "
                f"{_named(replaced)}. {_NOT_PUBLISHED}. Upload these files again, as they were or "
                f"as they should be; or, if they are right now: {self.reapply_command}, or "
                "rollback_to",
            )

    @property
    def reapply_command(self) -> str:
        """What undoes the rollback."""
        arguments = f"{{select: {self.facts.label}, dry_run: false}}"
        return f"dbt run-operation reapply --args '{arguments}'"

    def is_below_path(self, path: str) -> bool:
        """Whether a file is where the table is now: elsewhere it was before path was changed."""
        folders = (self.facts.path, self.facts.transaction_path)
        return any(folder and path.startswith(folder) for folder in folders)

    # -------------------------------------------------------- changes and full loads

    def warn_of_replaced_changes(self, pending: Sequence[ObjectEvent]) -> None:
        """Warn once of change files that were written before the full load of the base."""
        base = self.base
        paths = [
            file.path
            for file in pending
            if base and not _is_load(file) and _generation(file) < base.generation
            if self.is_new(file)
        ]
        if paths:
            self.warn_if_by_hand(
                f"change files are ignored, because its full load is newer {_named(paths)}"
            )

    def warn_if_by_hand(self, what: str) -> None:
        """Warn of what is right if DMS has written a full load, and wrong if a person has."""
        self.warnings.append(
            (
                what,
                "If DMS wrote that full load, nothing is to be done. If you wrote its files, "
                "reload the table in DMS: these changes are missing.",
            )
        )

    def warn_of_copied_changes(self, pending: Sequence[ObjectEvent], newest: int) -> None:
        """Warn of a new full load that may be the work of a person who copied or moved files.

        That is one with the content of the one before, though changes came after that, or one
        before which changes were uploaded again, which DMS never does.
        """
        base = self.base
        loads = [file for file in pending if _is_load(file)]
        if base is None or all(_generation(file) <= base.generation for file in loads):
            return
        known = {
            content_tag(event.etag)
            for event in self.events
            if event.kind == LOAD and event.generation == base.generation
        }
        new_loads = [file for file in loads if _generation(file) == newest]
        has_other_content = any(content_tag(file.etag) not in known for file in new_loads)
        copied = [file.problem for file in pending if file.problem]
        again = {f.path for f in pending if not _is_load(f) and _generation(f) < newest}
        uploads: dict[str, int] = {}
        for event in self.events:
            is_change = event.kind == CDC and self.is_in_range(event.file_time)
            if is_change and base.generation <= _generation(event) < newest:
                uploads[event.path] = uploads.get(event.path, 0) + 1
        if not has_other_content:
            paths = set(uploads)
            what = "its full load has come again as it was, and replaces all changes after it"
        else:
            several = {path for path, count in uploads.items() if count > 1}
            several |= uploads.keys() & set(copied[:1])
            paths = several & (again | set(copied))
            what = "change files have come again, and a new full load replaces them"
        if paths:
            self.warnings.append(
                (
                    f"{what} {_named(paths)}",
                    "If DMS reloaded the table, nothing is to be done. If files were copied or "
                    "moved by hand, reload the table in DMS: these changes are missing.",
                )
            )

    def warn_of_no_load(self, taken: Sequence[ObjectEvent]) -> None:
        """Warn of a first version that is made of changes alone."""
        if taken and self.is_first and not any(event.kind == LOAD for event in self.events):
            self.warnings.append(
                (
                    "there are change files and no full load, so rows that no change names are not "
                    f"in it {_named(event.path for event in taken)}",
                    "When a full load has landed, the next run takes it. If the DMS task only "
                    "replicates changes, nothing is to be done.",
                )
            )

    def warn_of_changes_before_load(self, pending: Sequence[ObjectEvent]) -> None:
        """Warn of change files that DMS wrote before the full load they are applied on top of.

        No run has seen another full load that they followed. A store knows when they were written
        if DMS has written them there itself: then their names agree with that. Those below
        ``transaction_path`` are of tables that were loaded before; of them only those count that
        were written behind an earlier upload of that full load.
        """
        has_loads = any(_is_load(file) for file in pending)
        # The run after the first one takes what the first one left for its date.
        is_after_first = self.base is None or self.base.indexed_from is None
        if not has_loads and not (pending and is_after_first):
            return
        last = _last_by_path(self.events, lambda event: event.kind in (LOAD, CDC))
        firsts = [e for e in last.values() if e.kind == LOAD and begins_a_load(e.path)]
        newest = max((_generation(event) for event in firsts), default=0)
        began_at = _first(e.modified_at for e in firsts if _generation(e) == newest)
        # Another upload of it, which no run has taken, may have come before.
        first_began_at = _first(
            event.modified_at
            for event in self.events
            if event.kind == LOAD and event.generation == newest and begins_a_load(event.path)
        )
        changes = [
            event
            for path, event in last.items()
            if event.kind == CDC
            and event.generation == newest
            and (path.startswith(self.facts.path) or is_before(first_began_at, event.modified_at))
            and is_before(event.modified_at, began_at)
            and _agrees(event)
            and self.is_in_range(event.file_time)
        ]
        if not has_loads:
            taken = {file.path for file in pending}
            changes = [event for event in changes if event.path in taken]
        if changes and any(event.kind == MISSING for event in self.considered):
            skipped = {state.path for state in self.skipped_files()}
            changes = [event for event in changes if event.path not in skipped]
        if changes:
            self.warnings.append(
                (
                    "change files were written before its full load, and are applied on top of it "
                    f"{_named(event.path for event in changes)}",
                    "If DMS had loaded the table before, reload it in DMS. If all changes of that "
                    "day are older, set cdc_start_date to the next day: "
                    f"{self.facts.rebuild_command}",
                )
            )

    def check_load(self, taken: Sequence[ObjectEvent], action: str) -> None:
        """Check that a table is built from a whole full load, or from its beginning.

        Raises:
            _TableError: files of it are excluded, as they were, or before its first one.
            _NeedsHistory: they have to be compared with what was published.
        """
        generation = _generation(taken[0])
        loads = [file for file in taken if _is_load(file)]
        excluded = bool(self.facts.excluded) and self.current is not None
        if action == "build" and not loads:
            if self.base or (excluded and generation > 1):
                raise _TableError(
                    "E206",
                    f"change files have come {_named(file.path for file in taken)}, but their full "
                    f"load (load generation {generation}) is excluded, because it was rolled back. "
                    f"{_NOT_PUBLISHED}. Include it again: {self.reapply_command}, or reload the "
                    "table in DMS.",
                )
        elif action == "merge" and not _has_no_files(self.base):
            return
        current = self.current
        is_first_load = generation == 1 and not excluded
        # Readers have this full load already, perhaps without its first file, which was archived.
        is_built_on = (
            current is not None and not _has_no_files(current) and current.generation == generation
        )
        if is_first_load or is_built_on:
            return
        self.check_partial_load(generation, bool(loads))
        if loads and not any(begins_a_load(file.path) for file in loads):
            raise _TableError(
                "E207",
                f"files of a full load have come {_named(file.path for file in loads)}, but not "
                f"its first one, LOAD00000001. {_NOT_PUBLISHED}: the other rows would be lost. "
                "Reload the table in DMS, or write all its files again, which drops earlier "
                f"changes. Then: {self.facts.run_command}",
            )

    def without_copies(
        self, taken: Sequence[ObjectEvent], left_out: Collection[FileKey]
    ) -> list[ObjectEvent]:
        """Those files of a table without a key that it does not have from another path.

        Nothing but a key tells rows that are there from those that come. The name of a change file
        is its time; full load files of one name may be in several folders below the path. A copy
        that is gone, or where the table was before path was changed, is left out.

        Args:
            taken: the files to read.
            left_out: the files that would have to be read, and are no loss.

        Raises:
            _TableError: a file is a copy of another one.
        """
        if self.facts.has_key or not self.facts.path or not taken:
            return list(taken)
        generation = _generation(taken[0])
        keys = {file_key(file) for file in taken}.union(left_out)

        def is_there(file: ObjectEvent) -> bool:
            return self.is_below_path(file.path) and not self.is_missing(file.path)

        known: dict[str, list[ObjectEvent]] = {}
        for event in self.events:
            if (
                event.kind in (LOAD, CDC)
                and _generation(event) == generation
                and (file_key(event) not in keys or is_there(event))
            ):
                known.setdefault(_name(stem(event.path)), []).append(event)
        kept = []
        for file in taken:
            copied = [
                other
                for other in known.get(_name(stem(file.path)), ())
                if other.path != file.path
                and (
                    file.kind == CDC
                    or self.is_below_path(file.path) != self.is_below_path(other.path)
                )
            ]
            # One that is gone again, and was never applied, has left no rows.
            copied = [
                other
                for other in copied
                if not is_there(file)
                or self.last_events[other.path].kind != MISSING
                or self.is_in_state(other)
            ]
            if copied and is_there(file):
                raise _TableError(
                    "E214",
                    f"{file.path} has the name of a file that is known from another path, "
                    f"{copied[0].path}. {_NOT_PUBLISHED}: a table without a key could have its "
                    "rows twice. If it is a copy, take it away. If the files are in another "
                    f"folder now, this takes them from there alone: {self.facts.rebuild_command}",
                )
            if not copied:
                kept.append(file)
        return kept

    def check_partial_load(self, generation: int, has_loads: bool) -> None:
        """Check that no file of the full load before is still there as it was.

        A full load may be written again file by file, but a file that comes again begins another
        full load: the rows of files that do not come again would be lost. Changes written before it
        are left out, as before any full load; the run warns of them.

        Args:
            generation: the load generation that the table is built from.
            has_loads: whether full load files of it have come.

        Raises:
            _TableError: files of the full load before are there.
            _NeedsHistory: they have to be compared with what was published.
        """
        replaced = self.files_left_out_by(generation)
        loads = {file.path for file in replaced if _is_load(file)}
        if loads:
            what = (
                "its full load has come again without these files, which are unchanged"
                if has_loads
                else "changes have come without these files of their full load"
            )
            # Of the same full load they were rolled back.
            own = [file for file in replaced if _is_load(file) and _generation(file) == generation]
            way_out = (
                "Reload the table in DMS, or include those rolled back again: "
                f"{self.reapply_command}"
                if own
                else "Reload it in DMS, delete what DMS no longer writes, or write all again, "
                "without earlier changes"
            )
            raise _TableError(
                "E207",
                f"{what} {_named(loads)}. {_NOT_PUBLISHED}: their rows would be lost. {way_out}. "
                f"Then: {self.facts.run_command}",
            )
        changes = {file.path for file in replaced}
        if changes:
            self.warn_if_by_hand(
                "its full load, published in part or rolled back, has come again and replaces "
                f"change files {_named(changes)}"
            )

    def files_left_out_by(self, generation: int) -> list[ObjectEvent]:
        """The files that a full load leaves out, but should not: as they were uploaded last.

        These are files of the full load before that are there and have not come again, and change
        files that were written before. Of a full load that was published to its last file they are
        those of segments that have not begun again. Of the load itself they are those that a
        rollback excluded.
        """
        current = self.current
        is_published = current is not None and not _has_no_files(current)
        published = current.generation if current is not None and is_published else 0
        applied = (
            self.lineage_files(current) if current is not None and is_published else frozenset()
        )
        files = [e for e in self.events if e.kind in FILE_KINDS and self.is_below_path(e.path)]
        last = _last_by_path(files, lambda event: True)
        uploads = _last_by_path(files, lambda event: event.kind in (LOAD, CDC))
        begun = {
            load_place(event.path)
            for event in files
            if event.kind == LOAD and event.generation == generation and begins_a_load(event.path)
        }
        # The full load that readers have, as it was before another one began.
        of_published = [event for event in files if _generation(event) == published]
        loaded = {event.path for event in of_published if event.kind == LOAD}
        # What was never applied and is missing now is not needed any more.
        is_partly_published = any(
            event.kind != MISSING and file_key(event) not in applied
            for path, event in _last_by_path(of_published, lambda event: True).items()
            if path in loaded
        )
        oldest = published if is_partly_published else published + 1

        def is_left_out(upload: ObjectEvent, now: ObjectEvent) -> bool:
            of = _generation(now)
            is_applied = file_key(now) in applied
            if of < published:
                return False
            if upload.kind == LOAD:
                if now.kind == MISSING:
                    return False
                if of == generation:
                    return file_key(now) in self.facts.excluded
                return of < generation and (of >= oldest or load_place(now.path) not in begun)
            # Of what is missing, only what readers had of changes counts.
            return (
                (now.kind != MISSING or is_applied)
                and oldest <= of < generation
                and self.is_in_range(now.file_time)
            )

        return [uploads[path] for path, now in last.items()
                if path in uploads and is_left_out(uploads[path], now)]  # fmt: skip


def _content(event: ObjectEvent) -> tuple[str, str | None, int]:
    """What two files share of which one is a copy of the other."""
    return _name(event.path), content_tag(event.etag), _generation(event)


def _name(path: str) -> str:
    return path.rsplit("/", 1)[1]


def _has_no_files(version: Version | None) -> bool:
    """Whether no file is applied in the state of a version."""
    return version is None or (not version.rows_after and version.indexed_through is None)


def _last_by_path(
    events: Iterable[ObjectEvent], counts: Callable[[ObjectEvent], bool]
) -> dict[str, ObjectEvent]:
    last: dict[str, ObjectEvent] = {}
    for event in events:
        other = last.get(event.path)
        if counts(event) and (other is None or _recency(event) >= _recency(other)):
            last[event.path] = event
    return last


_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def _recency(event: ObjectEvent) -> tuple[datetime, datetime]:
    """Orders the events of a path: what was put in the place of a file may be the older one."""
    return event.indexed_at, event.modified_at or _LONG_AGO


def _first(moments: Iterable[datetime | None]) -> datetime | None:
    return min((moment for moment in moments if moment is not None), default=None)


def _agrees(event: ObjectEvent) -> bool:
    """Whether the name of a change file tells when the store has got it."""
    if event.modified_at is None or event.file_time is None:
        return False
    return abs(event.modified_at - event.file_time) < _LARGEST_CLOCK_DIFFERENCE


def file_key(event: ObjectEvent) -> FileKey:
    """What tells an upload of a file from the others of its table."""
    return event.path, event.etag or ""


def _generation(event: ObjectEvent) -> int:
    return event.generation or 0


def _is_load(event: ObjectEvent) -> bool:
    """Whether a file is of a full load, also of a restored one: its name has no time."""
    return event.file_time is None


def _planned(event: ObjectEvent) -> IndexedFile:
    return IndexedFile(
        path=event.path,
        size=event.size or 0,
        kind=LOAD if _is_load(event) else CDC,
        etag=event.etag or "",
        generation=_generation(event),
        file_seq=event.file_seq or 0,
        indexed_at=_text(event.indexed_at),
        modified_at=_text(event.modified_at) if event.modified_at else None,
    )


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")


def _named(paths: Iterable[str]) -> str:
    """How many files, and the first of them."""
    in_order = sorted(paths)
    rest = ", …" if len(in_order) > _NAMED_PATHS else ""
    return f"({len(in_order)}): {', '.join(in_order[:_NAMED_PATHS])}{rest}"
