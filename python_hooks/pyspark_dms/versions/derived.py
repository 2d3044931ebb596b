"""Writes snapshot_versions and snapshot_dates: the version log as tables, for SQL.

Both are derived: they can be made again at any time. A command that has recorded something writes
the rows that are not there yet, its own and those of commands that died. They come into the newest
partition, which is written again with them to a fresh folder until it is large; then a new one
begins. So there are few partitions and objects, whatever the age, and readers see whole commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
# A partition is complete when it has the rows of so many commands, or so many bytes.
COMMANDS = 64
BYTES = 16 << 20
# So many manifests are in memory at once.
_AT_ONCE = 2_000
# The run that has written the rows, and the last command of which they are.
_FOLDER = re.compile(r"\d{8}T\d{12}Z-(\d+)")

Job = Mapping[str, Any]
Rows = Iterable[pa.Table]


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
            (the folders of `TABLES`), ``partitions`` (the values that these have; none: all rows
            are written) and ``shown`` (those that this command has shown before it was overtaken).

    Returns:
        Under the empty label ``through``, the last command whose rows are there, and
        ``partitions``, in the order in which they are to be shown: ``since`` and ``locations`` by
        table.

    Raises:
        DmsError: the version log or the newest partition cannot be read.
    """
    records, tables = recorded.read(job["root"]), job["tables"]
    if not records.number:
        return {"": {"through": 0, "partitions": []}}
    last = newest_partition(job["partitions"], tables["snapshot_dates"], records.number)
    before = recorded.read(job["root"], last.through) if last else Records()
    own = Written(1, records.number, f"{job['run']}-{records.number}")
    earlier: dict[str, Rows] = {}
    if last and is_complete(last, records.number, _bytes(last.place(tables["snapshot_versions"]))):
        own = Written(last.through + 1, own.through, own.folder)
    elif last:
        own = Written(last.since, own.through, own.folder)
        earlier = {name: [read_rows(last.place(tables[name]), SCHEMAS[name])] for name in TABLES}
    new = {"snapshot_versions": _versions(job["root"], before, records),
           "snapshot_dates": [_dates(before, records)]}  # fmt: skip
    for name in TABLES:
        write_rows(own.place(tables[name]), SCHEMAS[name], chain(earlier.get(name, ()), new[name]))
    # The last folder of one that is complete is shown before rows come into another one; whoever
    # was overtaken may have shown an older folder.
    complete = {*job["shown"], *([last.since] if last else [])} - {own.since}
    found = (
        newest_partition([since], tables["snapshot_dates"], records.number)
        for since in sorted(complete)
    )
    shown = [*filter(None, found), own]
    partitions = [
        {"since": one.since, "locations": {name: one.place(tables[name]) for name in TABLES}}
        for one in shown
    ]
    return {"": {"through": records.number, "partitions": partitions}}


def is_complete(last: Written, number: int, size: int) -> bool:
    """Whether the rows of a command go into a new partition.

    Args:
        last: the newest partition.
        number: the number of the command.
        size: the bytes of that partition's rows of snapshot_versions.
    """
    return number - last.since >= COMMANDS or size >= BYTES


def newest_partition(partitions: Sequence[int], location: str, number: int) -> Written | None:
    """The last partition, as the last command has written it; None if there is none.

    Args:
        partitions: the values of all.
        location: the folder of the table.
        number: the last command; folders of later ones are of a log that is no more.

    Raises:
        DmsError: it has no rows.
    """
    since = max(partitions, default=0)
    if not since:
        return None
    names = stores.folders_in(f"{location}/{PARTITION}={since}")
    found = [(int(match[1]), match[0]) for match in map(_FOLDER.fullmatch, names) if match]
    found = [one for one in found if one[0] <= number]
    if not found:
        raise DmsError(
            "E425",
            f"The rows of {location}/{PARTITION}={since} are gone. What is published is not "
            "concerned. Make them again from the version log: dbt run-operation repair --args "
            "'{select: \"*\", dry_run: false}'.",
        )
    return Written(since, *max(found))


def _bytes(folder: str) -> int:
    return sum(one.size for one in stores.data_files(folder))


def _versions(root: str, before: Records, records: Records) -> Iterator[pa.Table]:
    """The manifests of the versions that were recorded since; those given up have no row."""
    wanted: dict[str, log.Wanted] = {}
    count = 0
    for label in records.tables:
        after, newest = before.newest(label), records.newest(label)
        if newest > after:
            wanted[label], count = log.Wanted(after=after), count + newest - after
        if count >= _AT_ONCE:
            yield _manifests(root, wanted, records)
            wanted, count = {}, 0
    yield _manifests(root, wanted, records)


def _manifests(root: str, wanted: Mapping[str, log.Wanted], records: Records) -> pa.Table:
    rows = [
        manifest
        for label, found in log.read(root, wanted).items()
        # A damaged one stops whatever is done with its table, and says so there.
        if not isinstance(found, DmsError)
        for number, manifest in sorted(found.manifests.items())
        # A later one belongs to a command that has not recorded it yet.
        if number <= records.newest(label)
    ]
    return arrow_table("snapshot_versions", rows)


def _dates(before: Records, records: Records) -> pa.Table:
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}"
    rows = [{**row, "recorded_at": now} for row in records.rows_since(before)]
    return arrow_table("snapshot_dates", rows)
