"""Writes snapshot_versions and snapshot_dates: the version log as tables, for SQL.

Both are derived: they can be made again at any time. Each partition has the rows of as many
commands, by their numbers, so that what belongs to it follows from the log alone. A command writes
the rows that are not there yet, its own and those of commands that died, to a fresh folder of the
newest partition. So there are few partitions and objects, whatever the age.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import pyarrow as pa

from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.versions import log, recorded
from pyspark_dms.versions.metadata import SCHEMAS, arrow_table, read_rows, write_rows
from pyspark_dms.versions.recorded import Records

PARTITION = "since_command"
TABLES = ("snapshot_versions", "snapshot_dates")
# A partition has the rows of so many commands.
COMMANDS = 32
# So long after it is complete, a partition is shown again: a command that was overtaken may have
# shown an older folder of it, and died.
_SHOWN_AGAIN = 8
# So many manifests are in memory at once.
_AT_ONCE = 2_000
# The run that has written the rows, and the last command of which they are.
_FOLDER = re.compile(r"\d{8}T\d{12}Z-(\d+)")

Job = Mapping[str, Any]


@dataclass(frozen=True)
class Written:
    """What a partition has: the rows of some commands, and where they are.

    Attributes:
        since: the first command, by its number; the value of the partition.
        through: the last command.
        folder: the folder in it, of each of the tables.
    """

    since: int
    through: int
    folder: str

    def place(self, location: str) -> str:
        """The folder of the rows below that of the table."""
        return f"{location}/{PARTITION}={self.since}/{self.folder}"


def derive(job: Job) -> dict[str, Any]:
    """Write the rows that are not there yet.

    Args:
        job: ``root`` (the folder of the version log), ``run`` (the name of the run), ``tables``
            (the folders of `TABLES`), ``partitions`` (the values that each has), ``shown`` (those
            that this command has shown before it was overtaken) and ``again`` (whether all rows are
            written, whatever is there).

    Returns:
        Under the empty label ``through``, the last command whose rows are there, and
        ``partitions``, in the order in which they are to be shown: ``since`` and ``locations`` by
        table.

    Raises:
        DmsError: the version log or the newest partition cannot be read.
    """
    records, tables = recorded.read(job["root"]), job["tables"]
    done = [_write(job, since, records) for since in _to_show(job, records.number)]
    partitions = [
        {"since": one.since, "locations": {name: one.place(tables[name]) for name in TABLES}}
        for one in done
    ]
    return {"": {"through": records.number, "partitions": partitions}}


def _to_show(job: Job, number: int) -> range:
    """The values of the partitions that may lack rows, or be shown with less than they have."""
    versions, dates = (sorted(job["partitions"][name]) for name in TABLES)
    first = 1
    # If one of the tables was lost, both are made again.
    if versions == dates and versions and not job["again"]:
        first = min([versions[-1], _since(max(number - _SHOWN_AGAIN, 1)), *job["shown"]])
    return range(first, number + 1, COMMANDS)


def _since(number: int) -> int:
    """The first command of the partition that a command belongs to."""
    return (number - 1) // COMMANDS * COMMANDS + 1


def _write(job: Job, since: int, records: Records) -> Written:
    """Write the rows that a partition lacks, together with those that it has."""
    root, tables, through = job["root"], job["tables"], min(since + COMMANDS - 1, records.number)
    last = None if job["again"] else _newest_folder(tables, since, through)
    if last and last.through == through:
        return last
    before = recorded.read(root, last.through if last else since - 1)
    after = records if through == records.number else recorded.read(root, through)
    own = Written(since, through, f"{job['run']}-{through}")
    for name, new in (
        ("snapshot_versions", _versions(root, before, after)),
        ("snapshot_dates", _dates(before, after)),
    ):
        earlier = [read_rows(last.place(tables[name]), SCHEMAS[name])] if last else []
        write_rows(own.place(tables[name]), SCHEMAS[name], chain(earlier, new))
    return own


def _newest_folder(tables: Mapping[str, str], since: int, through: int) -> Written | None:
    """The rows of a partition as the last command has written them; None if there are none.

    Folders of later commands are of a version log that is no more.
    """
    names = set.intersection(
        *({*stores.folders_in(f"{tables[name]}/{PARTITION}={since}")} for name in TABLES)
    )
    found = [(int(match[1]), match[0]) for match in map(_FOLDER.fullmatch, names) if match]
    number, folder = max((one for one in found if one[0] <= through), default=(0, ""))
    return Written(since, number, folder) if folder else None


def _versions(root: str, before: Records, after: Records) -> Iterator[pa.Table]:
    """The manifests of the versions that were recorded since; those given up have no row."""
    wanted: dict[str, log.Wanted] = {}
    count = 0
    for label in after.tables:
        known, newest = before.newest(label), after.newest(label)
        if newest > known:
            wanted[label], count = log.Wanted(after=known), count + newest - known
        if count >= _AT_ONCE:
            yield from _manifests(root, wanted, after)
            wanted, count = {}, 0
    yield from _manifests(root, wanted, after)


def _manifests(root: str, wanted: Mapping[str, log.Wanted], after: Records) -> Iterator[pa.Table]:
    for label, found in log.read(root, wanted).items():
        if isinstance(found, stores.RefusedObject):
            raise found
        # A damaged one stops whatever is done with its table, and says so there.
        if not isinstance(found, DmsError):
            # A later one belongs to a command that has not recorded it yet.
            rows = [one for _, one in sorted(found.manifests.items())
                    if one["version"] <= after.newest(label)]  # fmt: skip
            try:
                yield arrow_table("snapshot_versions", rows)
            except (pa.ArrowException, AttributeError, TypeError, ValueError):
                continue


def _dates(before: Records, after: Records) -> Iterator[pa.Table]:
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}"
    rows = [{**row, "recorded_at": now} for row in after.rows_since(before)]
    yield arrow_table("snapshot_dates", rows)
