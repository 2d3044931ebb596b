"""Deletes the files of a table that no kept version needs; never anything else.

A version's files lie in a folder of its own below the table's root, named after the run that wrote
it. Later versions may share its slices, so a folder can be needed in part.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pyarrow as pa

from pyspark_dms import stores

REPORT_SCHEMA = pa.schema(
    [("folder", pa.string()), ("file_count", pa.int64()), ("size", pa.int64())]
)
# What `run_version` makes, and what operations put behind it. Other folders are nobody's business.
_RUN_FOLDER = re.compile(r"\d{8}T\d{12}Z(-[a-z0-9-]+)?")
_DELETE_AT_ONCE = 1000


@dataclass(frozen=True)
class VersionFiles:
    """The folders of one version.

    Attributes:
        is_kept: whether it must stay as it is.
        locations: the folders of its slices.
    """

    is_kept: bool
    locations: list[str]


@dataclass(frozen=True)
class VacuumJob:
    """What to look through.

    Attributes:
        root: the folder of the table.
        versions: every version of the ledger, oldest first.
        grace: files younger than this may be those of a run at work.
        delete: whether to delete, or only to tell.
    """

    root: str
    versions: list[VersionFiles]
    grace: timedelta
    delete: bool


def parse_job(text: str) -> VacuumJob:
    """Read the option ``job`` of the data source, a JSON object."""
    fields = json.loads(text)
    entries = sorted(fields["versions"], key=lambda entry: entry["version"])
    return VacuumJob(
        root=fields["root"],
        versions=[VersionFiles(entry["is_kept"], entry["locations"]) for entry in entries],
        grace=timedelta(seconds=fields["grace_seconds"]),
        delete=fields["delete"],
    )


def vacuum(job: VacuumJob) -> Iterator[pa.RecordBatch]:
    """Find what nothing needs, delete it if asked to, and report it by folder."""
    found: dict[str, list[stores.StoredObject]] = defaultdict(list)
    for stored in _unneeded(job):
        found[stored.path.rpartition("/")[0]].append(stored)
    if job.delete:
        paths = [stored.path for group in found.values() for stored in group]
        for start in range(0, len(paths), _DELETE_AT_ONCE):
            stores.delete_objects(paths[start : start + _DELETE_AT_ONCE])
    rows = [
        {"folder": folder, "file_count": len(group), "size": sum(one.size for one in group)}
        for folder, group in found.items()
    ]
    yield pa.RecordBatch.from_pylist(rows, schema=REPORT_SCHEMA)


def _unneeded(job: VacuumJob) -> Iterator[stores.StoredObject]:
    root = stores.object_key(job.root).rstrip("/") + "/"
    needed, own = _needed(job, root)
    youngest = datetime.now(UTC) - job.grace
    for page in stores.list_objects(job.root):
        for stored in page:
            below = stores.object_key(stored.path).removeprefix(root)
            top = below.split("/", 1)[0]
            if (
                _RUN_FOLDER.fullmatch(top)
                and top not in own
                and below.rpartition("/")[0] not in needed
                and stored.modified_at <= youngest
            ):
                yield stored


def _needed(job: VacuumJob, root: str) -> tuple[set[str], set[str]]:
    """The folders of slices that kept versions have, and the run folders that they wrote."""
    needed: set[str] = set()
    own: set[str] = set()
    seen: set[str] = set()
    for version in job.versions:
        folders = {stores.object_key(location).removeprefix(root) for location in version.locations}
        written = {folder.split("/", 1)[0] for folder in folders} - seen
        seen |= written
        if version.is_kept:
            needed |= folders
            own |= written
    return needed, own
