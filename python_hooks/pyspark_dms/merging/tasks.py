"""What a merge is to do, and its tasks: what each reads and writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa

from pyspark_dms import stores
from pyspark_dms.merging.changed_keys import OP
from pyspark_dms.merging.clustering import (
    Cluster,
    Cuts,
    Piece,
    Rows,
    are_as_written,
    cuts,
    divided,
    row_groups,
    whole_files,
)
from pyspark_dms.merging.dated import DatedFiles, by_date
from pyspark_dms.merging.key_passes import PARTITION, PLACE, KeyPasses, plan_passes
from pyspark_dms.merging.lake_rows import Part, add_part, open_part, parts_of, schema_of
from pyspark_dms.reading.columns import Column, parse_column
from pyspark_dms.reading.dates import Dates
from pyspark_dms.side_by_side import side_by_side
from pyspark_dms.versions.written_files import RecordedFolder, changed_files, parse_folder

_TASK_PARTITIONS = 16
# Each task reads all passes of changed keys, so a task is as many times as large; but not too large
# for a file.
_LARGEST_TASK = 8
# A key of text may well be so much of its row.
_TEXT_SHARE = 0.25
# A request each.
_TAKEN_FILES = 16


@dataclass(frozen=True)
class MergeJob:
    """All that a merge needs, as the options of the data source give it.

    Attributes:
        table: source and name of the table, for messages.
        location: the folder to write, fresh and empty; each named partition gets a folder below it.
        before: the partitions of the state before; their keys are unique.
        changes: the folder of the changed keys, each once, with ``_dms_op``, and with
            ``_dms_partition`` if the table is partitioned. It has the other columns too, unless
            these are in staging.
        columns: the columns to write.
        primary_keys: names of the key columns; none if every row is kept.
        file_bytes: about how large a file is that a task writes.
        pass_keys: how many changed keys a worker may hold; more are taken in several passes.
            5,000,000 keys of 40 letters take a GiB with all that is made of them.
        load_generations: if the folders are those of staging, the full loads that are the state
            before, one of each folder of the table; else None.
        replaced: a folder for the rows of the state before whose key is among the changed ones,
            as they were; None if they are not wanted.
        incoming: names of the partitions that changed keys come to; None if the table has no
            partitions of a business date, or if they are not counted yet.
        act: ``merge``; or ``count``: write nothing, and read no more than keys; or ``arrange``:
            write the rows that come, and no others, in the order of the files of the state
            before; nothing, if no task would read many rows of others anyway.
        staged: a folder of staging that has the rows of the changed keys, of which the changes
            then say no more than generation, file and row; None if they have the rows themselves.
        arranged: the folder where the rows that come were arranged, if they were.
        dates: of a full load that becomes partitions of a business date, that; nothing is written,
            if some task would meet many of them.
    """

    table: str
    location: str
    before: tuple[RecordedFolder, ...]
    changes: str
    columns: tuple[Column, ...]
    primary_keys: tuple[str, ...]
    file_bytes: int
    pass_keys: int
    load_generations: tuple[int, ...] | None = None
    replaced: str | None = None
    incoming: tuple[str, ...] | None = None
    act: Literal["merge", "count", "arrange"] = "merge"
    staged: str | None = None
    arranged: str | None = None
    dates: Dates | None = None

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of what is written."""
        return schema_of(self.columns)

    @property
    def key(self) -> tuple[Column, ...]:
        """The key columns."""
        return tuple(column for column in self.columns if column.name in self.primary_keys)

    @property
    def leading_key(self) -> list[Column]:
        """The key columns in the order of the key, which is that of a full load."""
        return sorted(self.key, key=lambda column: self.primary_keys.index(column.name))

    @property
    def held(self) -> tuple[Column, ...]:
        """The columns of the changes of which a worker holds values."""
        return (*self.key, OP, *(PLACE if self.staged else ()), PARTITION)

    @property
    def share_read(self) -> float:
        """About how much of the bytes of the state before is read."""
        if self.act != "count":
            return 1
        has_text = any(column.arrow_type in (pa.string(), pa.binary()) for column in self.key)
        return max(len(self.key) / len(self.columns), _TEXT_SHARE if has_text else 0)


@dataclass
class PartitionWork:
    """What a task does for a partition: parts of the state before, and whether rows come to it.

    Files that are ``taken`` go on as they are.
    """

    partition: str | None
    before: list[Part] = field(default_factory=list)
    takes_live: bool = False
    taken: Sequence[Piece] = ()


@dataclass
class MergeTask:
    """What one task reads and writes: of some partitions, and in which files new rows may be.

    ``keys`` are the changed keys of the job. ``changed_files`` says what somebody has changed in
    the state before: then nothing is written. With a ``cluster`` only rows of its interval come.
    With ``cuts`` it arranges rows that come. One that ``takes_over`` has nothing to write, as far
    as footers tell.
    """

    number: int
    keys: KeyPasses
    work: list[PartitionWork] = field(default_factory=list)
    live: list[Part] = field(default_factory=list)
    size: int = 0
    changed_files: str | None = None
    cluster: Cluster | None = None
    takes_over: bool = False
    cuts: Cuts | None = None

    def file_name(self, of_several: int | None = None) -> str:
        """The name of the file that it writes in a folder, or of one of several."""
        place = "" if of_several is None else f"-{of_several:03d}"
        return f"part-{self.number:05d}{place}.parquet"

    def add(self, partition: str | None, part: Part, size: int) -> None:
        """Take on a part of so many bytes of a partition."""
        if not self.work or self.work[-1].partition != partition:
            self.work.append(PartitionWork(partition))
        add_part(self.work[-1].before, part)
        self.size += size

    def is_full(self, partition: str | None, size: int, most: int) -> bool:
        """Whether a part of so many bytes of a partition is for the next task of ``most`` bytes."""
        is_other = not self.work or self.work[-1].partition != partition
        return (self.size > 0 and self.size + size > most) or (
            is_other and len(self.work) >= _TASK_PARTITIONS
        )


def parse_merge(location: str, before: str, changes: str, settings: str) -> MergeJob:
    """Read the options of the data source.

    Args:
        location: the folder to write.
        before: JSON list of objects with ``partition``, ``location`` and, of a version, ``files``.
        changes: the folder of the changed keys.
        settings: JSON object of the other attributes of `MergeJob`: ``columns`` as a list of
            ``[name, data_type]``, ``dates`` as the name of a column and its granularity.
    """
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in json.loads(settings).items()
    }
    columns = {column[0]: parse_column(*column) for column in fields["columns"]}
    fields["columns"] = tuple(columns.values())
    if dates := fields.get("dates"):
        fields["dates"] = Dates(columns[dates[0]], dates[1])
    # None would be divided without end.
    fields["file_bytes"] = max(fields["file_bytes"], 1)
    folders = tuple(map(parse_folder, json.loads(before)))
    return MergeJob(location=location, before=folders, changes=changes, **fields)


def plan_tasks(job: MergeJob) -> list[MergeTask]:
    """Divide the work into tasks of about equal size; small files are packed into fewer."""
    listings = side_by_side(stores.data_files, [folder.location for folder in job.before])
    keys = plan_passes(job.changes, job.held, job.pass_keys)
    size_of_task = job.file_bytes * min(len(keys.parts), _LARGEST_TASK)
    if changed := next(filter(None, map(changed_files, job.before, listings)), None):
        return [MergeTask(0, keys, changed_files=changed)]
    before = [
        (folder.partition, Part(file.path, file.size))
        for folder, files in zip(job.before, listings, strict=True)
        for file in files
    ]
    parts = [part for _, part in before]
    if job.dates:
        of_load = Rows(job.schema, job.location, job.load_generations)
        return _dated_tasks(by_date(parts, job.dates, of_load, job.file_bytes), keys)
    live = [] if job.act == "count" else parts_of(job.arranged or job.staged or job.changes)
    is_large = sum(part.size for part in parts) > size_of_task
    taken: list[Piece] = []
    if is_large and job.act != "count" and job.incoming is None:
        of_table = Rows(job.schema, job.location, job.load_generations)
        if job.act == "arrange":
            where = cuts(parts, live, job.leading_key, of_table, size_of_task)
            return _arranging(where, live, keys, job.file_bytes)
        if job.primary_keys:
            found = divided(parts, live, job.leading_key, of_table, size_of_task)
            if found:
                return [_task_of(number, keys, one, job) for number, one in enumerate(found)]
        else:
            taken = whole_files(parts, of_table, job.file_bytes)
            gone_on = {piece.part for piece in taken}
            before = [one for one in before if one[1] not in gone_on]
            live = [part for part in live if open_part(part).metadata.num_rows]
    if job.act == "arrange":
        return _arranging(None, [], keys, job.file_bytes)
    tasks = [MergeTask(0, keys)]

    def task_for(partition: str | None, size: int) -> MergeTask:
        if tasks[-1].is_full(partition, size, size_of_task):
            tasks.append(MergeTask(len(tasks), keys))
        return tasks[-1]

    for partition, part, size in _parts(before, job):
        task_for(partition, size).add(partition, part, size)
    if job.act == "count":
        return tasks
    if job.incoming is None:
        # One partition, so its new rows may go anywhere: each task takes some of the files. Where
        # many changes fall on a small table, there are more of these than of those.
        needed = sum(part.size for part in live) // size_of_task
        tasks += [MergeTask(number, keys) for number in range(len(tasks), needed)]
        for task in tasks:
            task.work = task.work or [PartitionWork(None)]
            task.work[0].takes_live = True
        for number, part in enumerate(live):
            tasks[number % len(tasks)].live.append(part)
        if taken and not live and not tasks[0].size:
            tasks = []
        for start in range(0, len(taken), _TAKEN_FILES):
            some = taken[start : start + _TAKEN_FILES]
            tasks.append(MergeTask(len(tasks), keys, [PartitionWork(None, taken=some)]))
        return tasks
    first = {work.partition: work for task in reversed(tasks) for work in reversed(task.work)}
    for name in job.incoming:
        if name not in first:
            first[name] = PartitionWork(name)
            task_for(name, 0).work.append(first[name])
        first[name].takes_live = True
    names_in = _partitions_in(live) if job.staged is None else {}
    for task in tasks:
        names = {work.partition for work in task.work if work.takes_live}
        if names:
            task.live = [part for part in live if names & names_in.get(part.path, names)]
    return tasks


def _dated_tasks(found: DatedFiles | None, keys: KeyPasses) -> list[MergeTask]:
    """Tasks that write a full load by date; one that writes nothing if that cannot be done."""
    if found is None:
        return [MergeTask(0, keys)]
    tasks = [MergeTask(n, keys, [PartitionWork(None, some)]) for n, some in enumerate(found.others)]
    filled = _TAKEN_FILES
    for partition, taken in found.taken.items():
        if filled >= _TAKEN_FILES:
            tasks.append(MergeTask(len(tasks), keys))
            filled = 0
        tasks[-1].work.append(PartitionWork(partition, taken=taken))
        filled += len(taken)
    return tasks


def _arranging(
    where: Cuts | None, live: Sequence[Part], keys: KeyPasses, size: int
) -> list[MergeTask]:
    """Tasks that arrange what comes; one that writes nothing if there is nowhere to cut."""
    tasks = [MergeTask(0, keys, cuts=where)]
    for part in live if where else ():
        if tasks[-1].live and tasks[-1].size + part.size > size:
            tasks.append(MergeTask(len(tasks), keys, cuts=where))
        tasks[-1].live.append(part)
        tasks[-1].size += part.size
    return tasks


def _task_of(number: int, keys: KeyPasses, cluster: Cluster, job: MergeJob) -> MergeTask:
    parts = [piece.part for piece in cluster.pieces]
    work = [PartitionWork(None, parts, takes_live=True)]
    task = MergeTask(number, keys, work, cluster.live, cluster.size, cluster=cluster)
    is_as_written = are_as_written(cluster.pieces, job.file_bytes)
    # Of few keys several tasks may hold all at a time.
    task.takes_over = keys.has_few_keys and is_as_written and not cluster.live
    return task


def together(tasks: Sequence[MergeTask]) -> list[list[MergeTask]]:
    """Tasks as workers have them: many that take files over wait together."""
    taking = [task for task in tasks if task.takes_over]
    starts = range(0, len(taking), _TAKEN_FILES)
    return [
        *([task] for task in tasks if not task.takes_over),
        *(taking[start : start + _TAKEN_FILES] for start in starts),
    ]


def _partitions_in(changes: Sequence[Part]) -> dict[str, set[str | None]]:
    """By file of changed keys, which partitions these come to; empty if there is one file only."""

    def partitions_in(file: Part) -> set[str | None]:
        parquet = open_part(file, read_dictionary=[PARTITION.name])
        return {*parquet.read([PARTITION.name])[PARTITION.name].unique().to_pylist()}

    if len(changes) == 1:
        return {}
    found = side_by_side(partitions_in, changes)
    return {file.path: names for file, names in zip(changes, found, strict=True)}


def _parts(
    before: Sequence[tuple[str | None, Part]], job: MergeJob
) -> Iterator[tuple[str | None, Part, int]]:
    """The files of partitions with the bytes of each that are read; large ones in parts."""
    share = job.share_read
    for partition, file in before:
        if file.size * share <= job.file_bytes:
            yield partition, file, int(file.size * share)
            continue
        for group in row_groups(file, ()):
            yield partition, group.part, int(group.size * share)
