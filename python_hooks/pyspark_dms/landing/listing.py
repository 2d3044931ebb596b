"""Lists the objects of the declared tables and says what each one is: the rows of the index."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from pyspark_dms import stores
from pyspark_dms.landing.file_names import (
    FileName,
    classify,
    classify_transactions,
    in_zone,
    is_transactions,
)
from pyspark_dms.secrets import without_secrets

LISTING_SCHEMA = pa.schema(
    [
        ("source_name", pa.string()),
        ("table_name", pa.string()),
        ("path", pa.string()),
        ("kind", pa.string()),
        ("file_time", pa.timestamp("us", "UTC")),
        ("other_time", pa.timestamp("us", "UTC")),
        ("name_order", pa.int64()),
        ("size", pa.int64()),
        ("etag", pa.string()),
        ("modified_at", pa.timestamp("us", "UTC")),
        ("problem", pa.string()),
        ("listed_after", pa.string()),
    ]
)


@dataclass(frozen=True)
class ListedTable:
    """A declared table to list.

    Attributes:
        source_name, table_name: how the declaration names it.
        path: the folder or URL of its files.
        after: the path behind which to start, or None for all.
        timezone: the zone of the times in file names.
        transaction_path: the folder of files with the changes of all tables, or None.
    """

    source_name: str
    table_name: str
    path: str
    after: str | None = None
    timezone: str = "UTC"
    transaction_path: str | None = None


def parse_tables(text: str) -> list[ListedTable]:
    """Read the option ``tables``, a JSON list of objects with the fields of `ListedTable`."""
    return [ListedTable(**entry) for entry in json.loads(text)]


def list_tables(tables: list[ListedTable]) -> Iterator[pa.RecordBatch]:
    """List every object of every table, one batch of `LISTING_SCHEMA` per page of a listing.

    Each folder ends with one row of the kind ``listed``, with its path, the number of its objects
    as size (not of ``transaction_path``, which may be empty) and, if the listing did not start with
    its first object, the path behind which it did: what else is known there is gone.

    A folder that cannot be listed gives one row of the kind ``unlisted`` that says why: the run
    of that table fails with it, and the other tables go on.
    """
    for table in tables:
        try:
            count, start = 0, _start_of(table)
            for page in stores.list_objects(table.path, start):
                count += len(page)
                yield _page_to_batch(table, page, classify)
            folder = stores.folder_address(table.path)
            yield _about_folder(table, path=folder, kind="listed", size=count, listed_after=start)
            if table.transaction_path:
                for page in stores.list_objects(table.transaction_path):
                    # What else is there, say full loads, is not for this table to tell.
                    files = [file for file in page if is_transactions(file.path)]
                    yield _page_to_batch(table, files, classify_transactions)
                folder = stores.folder_address(table.transaction_path)
                yield _about_folder(table, path=folder, kind="listed")
        except Exception as problem:  # whatever a store may raise is this table's problem alone
            reason = without_secrets(str(problem))
            yield _about_folder(table, path=table.path, kind="unlisted", problem=reason)


def _about_folder(table: ListedTable, **values: str | int | None) -> pa.RecordBatch:
    row = {"source_name": table.source_name, "table_name": table.table_name, **values}
    return pa.RecordBatch.from_pylist([row], schema=LISTING_SCHEMA)


def _start_of(table: ListedTable) -> str | None:
    """Where the listing may start: only names that begin with the year sort by time.

    DMS can also write date folders as MMYYYYDD and DDMMYYYY (setting DatePartitionSequence);
    there a newer file may stand before an older one, and all must be listed. So must a folder that
    was not the table's when the file was seen.
    """
    if table.after is None or not table.after.startswith(stores.folder_address(table.path)):
        return None
    digits = re.sub(r"\D", "", table.after.removeprefix(table.path))
    file_time = classify(table.after).file_time
    if file_time is None or not digits:
        return None
    # A year apart is allowed: around New Year the folder may be the commit's, the name later.
    return table.after if abs(int(digits[:4]) - file_time.year) <= 1 else None


def _page_to_batch(
    table: ListedTable, page: list[stores.StoredObject], tell: Callable[[str], FileName]
) -> pa.RecordBatch:
    names = [in_zone(tell(stored.path), table.timezone, stored.modified_at) for stored in page]
    columns = {
        "source_name": [table.source_name] * len(page),
        "table_name": [table.table_name] * len(page),
        "path": [stored.path for stored in page],
        "kind": [name.kind for name in names],
        "file_time": [name.file_time for name in names],
        "other_time": [name.other_time for name in names],
        "name_order": [name.name_order for name in names],
        "size": [stored.size for stored in page],
        "etag": [stored.etag for stored in page],
        "modified_at": [stored.modified_at for stored in page],
        "problem": [None] * len(page),
        "listed_after": [None] * len(page),
    }
    return pa.RecordBatch.from_pydict(columns, schema=LISTING_SCHEMA)
