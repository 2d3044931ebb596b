"""What the index knows of the objects of a table: events, and what a listing compares them with."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

# Kinds of events. A file is there since its last event load, cdc or restored.
LOAD = "load"
CDC = "cdc"
UNKNOWN = "unknown"
MISSING = "missing"
RESTORED = "restored"
LISTING_FAILED = "listing_failed"
TIME_ZONE_CHANGED = "time_zone_changed"
EMPTY = "empty"
TWO_FORMATS = "two_formats"

# They are about a folder, and count for the run that records them alone.
FOLDER_KINDS = frozenset({LISTING_FAILED, TIME_ZONE_CHANGED, EMPTY, TWO_FORMATS})
# They are about an object, whatever it is.
OBJECT_KINDS = frozenset({LOAD, CDC, UNKNOWN, MISSING, RESTORED})
# They are about content that has come.
UPLOAD_KINDS = frozenset({LOAD, CDC, UNKNOWN})
FILE_KINDS = frozenset({LOAD, CDC, MISSING, RESTORED})
PRESENT_KINDS = frozenset({LOAD, CDC, RESTORED})
# The problem of a missing file of which a person has said that no run needs it.
IGNORED = "ignored"

FileKey = tuple[str, str]  # path and entity tag
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class ObjectEvent:
    """One row of the table dms_files: something that a run found out about an object.

    Attributes:
        path: the object; a folder for the kinds that are about one.
        kind: load, cdc, unknown, missing, restored, listing_failed, time_zone_changed, empty or
            two_formats.
        file_time: when DMS wrote a change file, from its name, UTC; None for the others.
        size: bytes; of two_formats how many such names there are.
        etag: entity tag of the content; ``#2`` behind it where that content came to the path again.
        modified_at: when the store says the object was written, UTC.
        generation: the load generation the file belongs to, from 1; None if it is no file.
        file_seq: the place in that generation: full load files from 1, change files by their time
            in nanoseconds; None if it is no file.
        problem: why a folder could not be listed, or what its times would be in another zone; of a
            full load file, a change file that was uploaded again unchanged together with it; of a
            file in two formats, the other file of its name; of a missing file `IGNORED`, if a
            person has said that no run needs it.
        indexed_at: start of the run that found it, UTC.
    """

    path: str
    kind: str
    file_time: datetime | None
    size: int | None
    etag: str | None
    modified_at: datetime | None
    generation: int | None
    file_seq: int | None
    problem: str | None
    indexed_at: datetime

    @property
    def key(self) -> FileKey:
        """What tells an upload of a file from the others of its table."""
        return self.path, self.etag or ""

    @property
    def load_generation(self) -> int:
        """The load generation that the file belongs to; 0 if it is no file."""
        return self.generation or 0

    @property
    def is_load(self) -> bool:
        """Whether a file is of a full load, also of a restored one: its name has no time."""
        return self.file_time is None

    @property
    def is_there(self) -> bool:
        """Whether the file was there when the event was recorded."""
        return self.kind in PRESENT_KINDS

    @property
    def is_missing(self) -> bool:
        """Whether the file was missing when the event was recorded."""
        return self.kind == MISSING

    @property
    def recency(self) -> tuple[datetime, datetime]:
        """Orders the events of a path: what was put in the place of a file may be the older one."""
        return self.indexed_at, self.modified_at or _LONG_AGO


@dataclass(frozen=True)
class ListedObject:
    """One object of a listing, and what its name says; see `pyspark_dms.landing.file_names`.

    Attributes:
        path: where it is.
        kind: load, cdc or unknown.
        file_time: when DMS wrote a change file, from its name, UTC.
        other_time: of an hour that comes twice, the time that it may be as well; else None.
        name_order: orders the files of one kind: counter of a full load file, nanoseconds since
            1970 of a change file.
        size: bytes.
        etag: entity tag of the content.
        modified_at: when the store says it was written, UTC.
    """

    path: str
    kind: str
    file_time: datetime | None
    other_time: datetime | None
    name_order: int | None
    size: int | None
    etag: str | None
    modified_at: datetime | None


@dataclass(frozen=True)
class ListedFolder:
    """A folder of a table, and how its listing ended.

    Attributes:
        path: the folder, with a slash at its end.
        listed_after: the path behind which the listing began; None for all.
        object_count: how many objects it has; None where none are needed, as below
            ``transaction_path``.
        problem: why it could not be listed; None if it was.
    """

    path: str
    listed_after: str | None
    object_count: int | None
    problem: str | None


@dataclass(frozen=True)
class Run:
    """A run: the date it is for, and when it was started (UTC)."""

    run_date: date
    started_at: datetime

    @property
    def name(self) -> str:
        """The name of the run; names sort by time."""
        return self.started_at.strftime("%Y%m%dT%H%M%S%fZ")


def end_of(day: date) -> datetime:
    """The first moment after a day, in UTC."""
    return datetime.combine(day, time(), UTC) + timedelta(days=1)


def content_tag(etag: str | None) -> str | None:
    """The entity tag that the store gives, of one of an event: without what counts its uploads."""
    return None if etag is None else etag.partition("#")[0]


def last_by_path(
    events: Iterable[ObjectEvent], kinds: Collection[str] = OBJECT_KINDS
) -> dict[str, ObjectEvent]:
    """The last event of each object, of some kinds."""
    last: dict[str, ObjectEvent] = {}
    for event in events:
        if event.kind in kinds:
            other = last.get(event.path)
            if other is None or event.recency >= other.recency:
                last[event.path] = event
    return last


def first_of(moments: Iterable[datetime | None]) -> datetime | None:
    """The earliest of the moments that are known; None if none is."""
    return min((moment for moment in moments if moment is not None), default=None)


def is_before(moment: datetime | None, other: datetime | None) -> bool:
    """Whether both moments are known, and the first is the earlier one."""
    return moment is not None and other is not None and moment < other


def folder_event(path: str, kind: str, problem: str | None, run: Run) -> ObjectEvent:
    """An event that counts for the run that records it alone."""
    return ObjectEvent(path, kind, None, None, None, None, None, None, problem, run.started_at)
