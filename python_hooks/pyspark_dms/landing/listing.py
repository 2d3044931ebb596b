"""Lists the objects of a declared table and says what each one is by its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta

from obstore.exceptions import BaseError

from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.landing.events import CDC, ListedFolder, ListedObject, ObjectEvent
from pyspark_dms.landing.file_names import (
    FileName,
    classify,
    classify_transactions,
    in_zone,
    is_transactions,
)
from pyspark_dms.secrets import without_secrets


@dataclass(frozen=True)
class ListedTable:
    """A declared table to list.

    Attributes:
        path: the folder or URL of its files.
        after: the path behind which to start, or None for all.
        timezone: the zone of the times in file names.
        transaction_path: the folder of files with the changes of all tables, or None.
    """

    path: str
    after: str | None = None
    timezone: str = "UTC"
    transaction_path: str | None = None


@dataclass(frozen=True)
class Listing:
    """What a listing has found: the objects of a table, and which folders it has gone through."""

    objects: tuple[ListedObject, ...]
    folders: tuple[ListedFolder, ...]


def start_after(known: Iterable[ObjectEvent], late_file_days: int | None) -> str | None:
    """The path behind which to list a table.

    Args:
        known: the events of its objects.
        late_file_days: begin behind the newest change file that is so many days older than the
            newest one of all; None lists everything, so that no file is too late to be seen.

    Returns:
        A path; None for everything.
    """
    times = [
        (event.file_time, event.path)
        for event in known
        if event.kind == CDC and event.file_time is not None
    ]
    if late_file_days is None or not times:
        return None
    before = max(times)[0] - timedelta(days=late_file_days)
    return max((path for time, path in times if time < before), default=None)


def list_table(table: ListedTable) -> Listing:
    """List every object of a table and say what each one is by its name.

    A folder that cannot be listed comes with the reason; then the objects of that listing do not
    count, for some may be missing.
    """
    objects: list[ListedObject] = []
    folders: list[ListedFolder] = []
    try:
        start = _start_of(table)
        for page in stores.list_objects(table.path, start):
            objects += [_named(table, stored, classify) for stored in page]
        folder = stores.folder_address(table.path)
        folders.append(ListedFolder(folder, start, len(objects), None))
        if table.transaction_path:
            for page in stores.list_objects(table.transaction_path):
                # What else is there, say full loads, is not for this table to tell.
                files = [stored for stored in page if is_transactions(stored.path)]
                objects += [_named(table, stored, classify_transactions) for stored in files]
            folder = stores.folder_address(table.transaction_path)
            folders.append(ListedFolder(folder, None, None, None))
    except (BaseError, OSError, ValueError, DmsError) as problem:
        # What a store refuses is this table's problem alone.
        folders.append(
            ListedFolder(table.path, None, 0, without_secrets(stores.problem_text(problem)))
        )
    return Listing(tuple(objects), tuple(folders))


def _named(
    table: ListedTable, stored: stores.StoredObject, tell: Callable[[str], FileName]
) -> ListedObject:
    name = in_zone(tell(stored.path), table.timezone, stored.modified_at)
    return ListedObject(
        path=stored.path,
        kind=name.kind,
        file_time=name.file_time,
        other_time=name.other_time,
        name_order=name.name_order,
        size=stored.size,
        etag=stored.etag,
        modified_at=stored.modified_at,
    )


def _start_of(table: ListedTable) -> str | None:
    """Where the listing may start: only names that begin with the year sort by time.

    DMS can also write date folders as MMYYYYDD and DDMMYYYY (setting DatePartitionSequence);
    there a newer file may stand before an older one, and all must be listed. So must a folder that
    was not the table's when the file was seen.
    """
    if table.after is None or not table.after.startswith(stores.folder_address(table.path)):
        return None
    below = table.after.removeprefix(stores.folder_address(table.path))
    file_time = classify(table.after).file_time
    # A letter sorts behind LOAD, or before it: only names of digits come before every full load.
    if file_time is None or not below[:1].isdigit():
        return None
    digits = re.sub(r"\D", "", below)
    # A year apart is allowed: around New Year the folder may be the commit's, the name later.
    return table.after if abs(int(digits[:4]) - file_time.year) <= 1 else None
