"""Deletes the files of a table that nothing needs any more; never anything else.

Every run writes to folders named after it: below the table's root, in staging, in the logs and in
the histories. The SQL that asks knows which of them a version or a partition still points to.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa

from pyspark_dms import stores
from pyspark_dms.errors import DmsError

REPORT_SCHEMA = pa.schema(
    [
        ("folder", pa.string()),
        ("file_count", pa.int64()),
        ("size", pa.int64()),
        ("refused_count", pa.int64()),
        ("first_refusal", pa.string()),
    ]
)
# What `run_name` makes, what operations and commits put behind it, and the version that a
# history puts above it. Other folders are not ours.
_RUN_FOLDER = re.compile(r"(?:\d+/)?(?P<run>\d{8}T\d{12}Z)(-[a-z0-9-]+)?/")
_DELETE_AT_ONCE = 1000


@dataclass(frozen=True)
class Area:
    """A folder below which the runs of a table write.

    Attributes:
        root: its path or URL.
        needed: the folders below it, relative to it, whose files must stay.
    """

    root: str
    needed: frozenset[str]


@dataclass(frozen=True)
class VacuumJob:
    """What to look through.

    Attributes:
        areas: where the runs of the table write.
        written_before: a run that has written anything since may be at work, so its files stay.
        delete: whether to delete, or only to tell.
    """

    areas: list[Area]
    written_before: datetime
    delete: bool


def parse_job(text: str) -> VacuumJob:
    """Read the option ``job`` of the data source.

    Args:
        text: a JSON object with ``areas`` (a list of objects with ``root`` and ``needed``, the
            addresses of folders), ``written_before`` (seconds since 1970) and ``delete``.

    Raises:
        DmsError: a needed folder is not below its root.
    """
    fields = json.loads(text)
    return VacuumJob(
        areas=[_parse_area(**area) for area in fields["areas"]],
        written_before=datetime.fromtimestamp(fields["written_before"], UTC),
        delete=fields["delete"],
    )


def _parse_area(root: str, needed: list[str]) -> Area:
    prefix = _prefix(root)
    keys = [stores.object_key(folder) for folder in needed]
    for key in keys:
        if not key.startswith(prefix):
            raise DmsError(
                "E419",
                f"{key} is needed and not below {root}, where it is looked for, so what can go "
                "cannot be told. Nothing was deleted. Was the folder moved? Move it back.",
            )
    return Area(root, frozenset(key.removeprefix(prefix) for key in keys))


def vacuum(job: VacuumJob) -> Iterator[pa.RecordBatch]:
    """Find what nothing needs, delete it if asked to, and report it by folder.

    What the store did not delete is counted on its own, with its answer for the first file.
    """
    found: dict[str, list[stores.StoredObject]] = defaultdict(list)
    for stored in _unneeded(job):
        found[stored.path.rpartition("/")[0]].append(stored)
    refusals = (
        _delete([one.path for group in found.values() for one in group]) if job.delete else {}
    )
    rows = []
    for folder, group in found.items():
        gone = [one for one in group if one.path not in refusals]
        rows.append(
            {
                "folder": folder,
                "file_count": len(gone),
                "size": sum(one.size for one in gone),
                "refused_count": len(group) - len(gone),
                "first_refusal": next(
                    (refusals[one.path] for one in group if one.path in refusals), None
                ),
            }
        )
    yield pa.RecordBatch.from_pylist(rows, schema=REPORT_SCHEMA)


def _delete(paths: Sequence[str]) -> dict[str, str]:
    """Delete these; why not, by the path of each that is left."""
    refusals: dict[str, str] = {}
    for start in range(0, len(paths), _DELETE_AT_ONCE):
        refused = stores.delete_objects(paths[start : start + _DELETE_AT_ONCE])
        # Without its number, which the macro puts behind all that it says.
        refusals |= {one.path: one.args[1] for one in refused}
    return refusals


def _unneeded(job: VacuumJob) -> list[stores.StoredObject]:
    unneeded: list[tuple[str, stores.StoredObject]] = []
    at_work: set[str] = set()
    for area in job.areas:
        prefix = _prefix(area.root)
        for stored in stores.lake_objects(area.root):
            below = stores.object_key(stored.path).removeprefix(prefix)
            if not (folder := _RUN_FOLDER.match(below)):
                continue
            if stored.modified_at >= job.written_before:
                at_work.add(folder["run"])
            elif below.rpartition("/")[0] not in area.needed:
                unneeded.append((folder["run"], stored))
    return [stored for run, stored in unneeded if run not in at_work]


def _prefix(root: str) -> str:
    return stores.object_key(root).rstrip("/") + "/"
