"""Full loads and load generations: what is a reload, and to which full load a file belongs.

`is_reload` is the one place that says whether full load files begin another load generation. All
others compare the load generations that dms_files then has. See decision 17.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from pyspark_dms.landing.events import (
    CDC,
    LOAD,
    MISSING,
    RESTORED,
    ListedObject,
    ObjectEvent,
    first_of,
    is_before,
)

# Between the first load generations of two folders of a table: a reload every day for 270 years.
GENERATIONS_OF_A_FOLDER = 100_000

_LOAD_NAME = re.compile(r"LOAD[0-9A-F]+[.][^/]*$", re.IGNORECASE)
_FIRST_LOAD_NAME = re.compile(r"LOAD0*1[.][^/]*$", re.IGNORECASE)


def folder_number(generation: int) -> int:
    """Which folder of its table a load generation is of, from 0."""
    return (generation - 1) // GENERATIONS_OF_A_FOLDER


def begins_a_load(path: str) -> bool:
    """Whether a path is that of the first file of a full load, or of one of its segments."""
    return _FIRST_LOAD_NAME.search(path) is not None


def load_place(path: str) -> str:
    """The folder and segment of a full load file: each has a first file of its own."""
    return _LOAD_NAME.sub("", path)


@dataclass(frozen=True)
class FullLoad:
    """Uploads of full load files of one load generation.

    Attributes:
        generation: the load generation; 0 if there is none.
        files: the uploads.
    """

    generation: int
    files: tuple[ObjectEvent, ...]

    @property
    def started_at(self) -> datetime | None:
        """When DMS wrote the first of the files."""
        return first_of(file.modified_at for file in self.files)

    @property
    def seen_at(self) -> datetime | None:
        """When a run saw the first of the files."""
        return first_of(file.indexed_at for file in self.files)

    @property
    def beginnings(self) -> FullLoad:
        """Its first files: of the load, or of its segments."""
        return FullLoad(self.generation, tuple(f for f in self.files if begins_a_load(f.path)))


def newest_load(uploads: Iterable[ObjectEvent]) -> FullLoad:
    """The full load of the newest load generation that has one, of uploads of full load files."""
    files = [upload for upload in uploads if upload.kind == LOAD and upload.generation is not None]
    newest = max((file.load_generation for file in files), default=0)
    return FullLoad(newest, tuple(file for file in files if file.generation == newest))


def is_reload(
    new: Collection[ListedObject], taken: Mapping[str, bool], gone: Collection[str]
) -> bool:
    """Whether new full load files are another full load, and not more of the newest one.

    | New are | and the applied files of the newest full load | |
    |---|---|---|
    | one of them, written again | | another |
    | others, and a first file | are all gone | another |
    | others, of another folder or segment than these | are all gone | another |
    | any others | | more of the same |

    A full load that no version has applied can be written again without being another.

    Args:
        new: the full load files that have come.
        taken: the files of the newest full load that a version has applied, by path; true if that
            was rolled back. Such may still be there: they count only if there are no others.
        gone: those of them that are missing, or of another format than the declared one.
    """
    if not new or not taken:
        return False
    if any(file.path in taken for file in new):
        return True
    # DMS counts the files of each full load from 1.
    has_first_file = any(file.name_order == 1 for file in new)
    places = {load_place(file.path) for file in new}
    counted = [path for path, is_excluded in taken.items() if not is_excluded] or [*taken]
    return all(
        path in gone and (has_first_file or load_place(path) not in places) for path in counted
    )


@dataclass(frozen=True)
class LoadGenerations:
    """Tells to which load generation a file belongs that differs from its last event.

    Attributes:
        newest: the newest load generation that is known; None before the first file.
        started_at: when DMS began to write the newest full load that is known.
        is_reload: whether the full load files that have come are another full load.
        reload_started_at: when DMS began to write these.
        reload_has_moved: whether these are where no file was before.
        of_times: the newest load generation of the known change files of a time.
    """

    newest: int | None
    started_at: datetime | None
    is_reload: bool
    reload_started_at: datetime | None
    reload_has_moved: bool
    of_times: Mapping[datetime, int]

    def of(self, kind: str, listed: ListedObject, recorded: ObjectEvent | None) -> int:
        """The load generation of a file.

        Args:
            kind: the kind of event that it gives.
            listed: the file.
            recorded: its last event.
        """
        own = recorded.generation if recorded else None
        # Uploaded again, a change file says what it said of the full load that it came with.
        if own is not None and kind in (MISSING, RESTORED, CDC):
            return own
        if self.newest is None:
            return 1
        if kind != CDC:
            return self.newest + self.is_reload
        copied = self.of_times.get(listed.file_time) if listed.file_time is not None else None
        if copied is not None:
            return self._of_copy(copied, self.newest)
        return self._of_change(listed.modified_at, self.newest)

    def _of_copy(self, copied: int, newest: int) -> int:
        """A copy in another folder says no more; but it goes with its full load, if that moved."""
        has_moved = self.is_reload and self.reload_has_moved and copied >= newest
        return newest + 1 if has_moved else copied

    def _of_change(self, modified_at: datetime | None, newest: int) -> int:
        """Changes written before a full load belong to what it replaces, seen with it or later."""
        if self.is_reload:
            return newest if is_before(modified_at, self.reload_started_at) else newest + 1
        return newest - 1 if newest > 1 and is_before(modified_at, self.started_at) else newest
