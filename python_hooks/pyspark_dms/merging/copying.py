"""Writes the state of a table after changes: what no change touches, then what the changes bring.

Which change of a key counts has been settled in SQL; here rows are copied, not judged. A row of
the state before goes on unless its key is among the changed ones, and every changed key that is
not deleted comes back once. On the way each row is counted, so no other scan is needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from itertools import starmap

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.merging.changed_keys import ChangedKeys
from pyspark_dms.merging.lake_rows import (
    Output,
    Part,
    batches_of,
    chunks,
    column_paths,
    has_more_rows,
    open_part,
    schema_of,
    writing,
)
from pyspark_dms.reading.batches import gathered
from pyspark_dms.reading.columns import Column, parse_column
from pyspark_dms.versions.written_files import RecordedFolder, changed_files, parse_folder

# A task writes one file of about this size, or a file for each of some small partitions.
_TASK_BYTES = 64 * 1024 * 1024
_TASK_PARTITIONS = 16
# A key of text may well be so much of its row.
_TEXT_SHARE = 0.25
# Listing waits on the network more than it computes.
_LISTERS = 16

REPORT_SCHEMA = pa.schema(
    [
        ("partition", pa.string()),
        ("changed_keys", pa.int64()),
        ("live_keys", pa.int64()),
        ("not_inserts", pa.int64()),
        ("null_keys", pa.int64()),
        ("rows_found", pa.int64()),
        ("rows_updated", pa.int64()),
        ("rows_reinserted", pa.int64()),
        ("rows_deleted", pa.int64()),
        ("rows_written", pa.int64()),
        ("files", pa.list_(pa.string())),
        ("has_too_many_keys", pa.bool_()),
        ("changed_files", pa.string()),
    ]
)


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
        load_generations: if the folders are those of staging, the full loads that are the state
            before, one of each folder of the table; else None.
        replaced: a folder for the rows of the state before whose key is among the changed ones,
            as they were; None if they are not wanted.
        incoming: names of the partitions that changed keys come to; None if there are none.
        counts_only: write nothing, and read no more than keys.
        staged: a folder of staging that has the rows of the changed keys, of which the changes
            then say no more than generation, file and row; None if they have the rows themselves.
        is_partitioned: whether the table has partitions of a business date.
        most_keys: with more changed keys than these nothing is written.
    """

    table: str
    location: str
    before: tuple[RecordedFolder, ...]
    changes: str
    columns: tuple[Column, ...]
    primary_keys: tuple[str, ...]
    load_generations: tuple[int, ...] | None = None
    replaced: str | None = None
    incoming: tuple[str, ...] | None = None
    counts_only: bool = False
    staged: str | None = None
    is_partitioned: bool = False
    most_keys: int | None = None

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of what is written."""
        return schema_of(self.columns)

    @property
    def key(self) -> tuple[Column, ...]:
        """The key columns."""
        return tuple(column for column in self.columns if column.name in self.primary_keys)

    @property
    def share_read(self) -> float:
        """About how much of the bytes of the state before is read."""
        if not self.counts_only:
            return 1
        has_text = any(column.arrow_type in (pa.string(), pa.binary()) for column in self.key)
        return max(len(self.key) / len(self.columns), _TEXT_SHARE if has_text else 0)


@dataclass
class PartitionWork:
    """What a task does for a partition: parts of the state before, and whether rows come to it."""

    partition: str | None
    before: list[Part] = field(default_factory=list)
    takes_live: bool = False

    def add(self, part: Part) -> None:
        """Take on a part; row groups of one file are read in one go."""
        last = self.before[-1] if self.before else None
        if last and last.path == part.path and last.row_groups and part.row_groups:
            last.row_groups += part.row_groups
        else:
            self.before.append(part)


@dataclass
class MergeTask:
    """What one task reads and writes: of some partitions, and in which files new rows may be.

    ``changed_files`` says what somebody has changed in the state before: then nothing is written.
    """

    number: int
    work: list[PartitionWork] = field(default_factory=list)
    live: list[Part] = field(default_factory=list)
    size: int = 0
    changed_files: str | None = None

    def add(self, partition: str | None, part: Part, size: int) -> None:
        """Take on a part of so many bytes of a partition."""
        if not self.work or self.work[-1].partition != partition:
            self.work.append(PartitionWork(partition))
        self.work[-1].add(part)
        self.size += size

    def is_full(self, partition: str | None, size: int) -> bool:
        """Whether a part of so many bytes of a partition is for the next task."""
        is_other = not self.work or self.work[-1].partition != partition
        return (self.size > 0 and self.size + size > _TASK_BYTES) or (
            is_other and len(self.work) >= _TASK_PARTITIONS
        )


def parse_merge(location: str, before: str, changes: str, settings: str) -> MergeJob:
    """Read the options of the data source.

    Args:
        location: the folder to write.
        before: JSON list of objects with ``partition``, ``location`` and, of a version, ``files``.
        changes: the folder of the changed keys.
        settings: JSON object with ``table``, ``columns``, a list of ``[name, data_type]``,
            ``primary_keys``, ``load_generations``, ``replaced``, ``incoming``, ``counts_only``,
            ``staged``, ``is_partitioned`` and ``most_keys``.
    """
    fields = json.loads(settings)
    incoming, generations = fields["incoming"], fields["load_generations"]
    return MergeJob(
        table=fields["table"],
        location=location,
        before=tuple(map(parse_folder, json.loads(before))),
        changes=changes,
        columns=tuple(parse_column(*column) for column in fields["columns"]),
        primary_keys=tuple(fields["primary_keys"]),
        load_generations=None if generations is None else tuple(generations),
        replaced=fields["replaced"],
        incoming=None if incoming is None else tuple(incoming),
        counts_only=fields["counts_only"],
        staged=fields["staged"],
        is_partitioned=fields["is_partitioned"],
        most_keys=fields["most_keys"],
    )


def plan_tasks(job: MergeJob) -> list[MergeTask]:
    """Divide the work into tasks of about equal size; small files are packed into fewer."""
    tasks = [MergeTask(number=0)]
    if has_too_many_keys(job):
        return tasks

    def task_for(partition: str | None, size: int) -> MergeTask:
        if tasks[-1].is_full(partition, size):
            tasks.append(MergeTask(number=len(tasks)))
        return tasks[-1]

    with ThreadPoolExecutor(_LISTERS) as listers:
        listings = listers.map(stores.data_files, [folder.location for folder in job.before])
        before = [*zip(job.before, listings, strict=True)]
    if changed := next(filter(None, starmap(changed_files, before)), None):
        return [MergeTask(0, changed_files=changed)]
    for partition, part, size in _parts(before, job.share_read):
        task_for(partition, size).add(partition, part, size)
    if job.counts_only:
        return tasks
    live = [Part(file.path, file.size) for file in stores.data_files(job.staged or job.changes)]
    if job.incoming is None:
        # One partition, so its new rows may go anywhere: each task takes some of the files. Where
        # many changes fall on a small table, there are more of these than of those.
        needed = sum(part.size for part in live) // _TASK_BYTES
        tasks += [MergeTask(number) for number in range(len(tasks), needed)]
        for task in tasks:
            task.work = task.work or [PartitionWork(None)]
            task.work[0].takes_live = True
        for number, part in enumerate(live):
            tasks[number % len(tasks)].live.append(part)
        return tasks
    first = {work.partition: work for task in reversed(tasks) for work in reversed(task.work)}
    for name in job.incoming:
        if name not in first:
            first[name] = PartitionWork(name)
            task_for(name, 0).work.append(first[name])
        first[name].takes_live = True
    for task in tasks:
        if any(work.takes_live for work in task.work):
            task.live = live
    return tasks


def has_too_many_keys(job: MergeJob) -> bool:
    """Whether there are more changed keys than a worker may hold."""
    return job.most_keys is not None and has_more_rows(job.changes, job.most_keys)


def _parts(
    before: Sequence[tuple[RecordedFolder, list[stores.StoredObject]]], share: float
) -> Iterator[tuple[str | None, Part, int]]:
    """The files of partitions with the bytes of each that are read; large ones in parts."""
    for folder, files in before:
        for file in files:
            for part, size in _parts_of(file, share):
                yield folder.partition, part, size


def _parts_of(file: stores.StoredObject, share: float) -> Iterator[tuple[Part, int]]:
    if file.size * share <= _TASK_BYTES:
        yield Part(file.path, file.size), int(file.size * share)
        return
    metadata = open_part(Part(file.path, file.size)).metadata
    for number in range(metadata.num_row_groups):
        sizes = [
            metadata.row_group(number).column(column).total_compressed_size
            for column in range(metadata.num_columns)
        ]
        yield Part(file.path, file.size, [number]), int(sum(sizes) * share)


@dataclass
class _Counts:
    """A row of `REPORT_SCHEMA`."""

    partition: str | None
    changed_keys: int = 0
    live_keys: int = 0
    not_inserts: int = 0
    null_keys: int = 0
    rows_found: int = 0
    rows_updated: int = 0
    rows_reinserted: int = 0
    rows_deleted: int = 0
    rows_written: int = 0
    files: list[str] = field(default_factory=list)
    has_too_many_keys: bool = False
    changed_files: str | None = None

    def add(self, rows: pa.Table, ops: pa.ChunkedArray | None) -> None:
        """Count rows of the state before, by the newest operation of their keys.

        An insert of a key that is there updates its row; these are counted once more, because
        many of them may follow a TRUNCATE that the files do not have.
        """
        self.rows_found += rows.num_rows
        if ops is not None:
            self.rows_updated += pc.sum(pc.not_equal(ops, "D")).as_py() or 0
            self.rows_reinserted += pc.sum(pc.equal(ops, "I")).as_py() or 0
            self.rows_deleted += pc.sum(pc.equal(ops, "D")).as_py() or 0

    def add_changes(self, keys: pa.Table, key: Sequence[Column]) -> None:
        """Count changed keys, of which some are deleted."""
        self.changed_keys += keys.num_rows
        self.live_keys += pc.sum(pc.not_equal(keys[_OP.name], "D")).as_py() or 0
        self.not_inserts += pc.sum(pc.not_equal(keys[_OP.name], "I")).as_py() or 0
        is_null = [pc.is_null(keys[column.name]) for column in key]
        if is_null:
            self.null_keys += pc.sum(reduce(pc.or_, is_null)).as_py() or 0


def merge(job: MergeJob, task: MergeTask) -> Iterator[pa.RecordBatch]:
    """Write the files of one task, and tell the counts of its partitions as `REPORT_SCHEMA`."""
    if task.changed_files:
        counts = [_Counts(None, changed_files=task.changed_files)]
    # Of a task with work it is known that there are not.
    elif not task.work and has_too_many_keys(job):
        counts = [_Counts(None, has_too_many_keys=True)]
    else:
        counts = _merge(job, task)
        if task.number == 0 and (job.counts_only or not job.is_partitioned):
            counts += _incoming_counts(job)
    rows = [vars(count) for count in counts]
    yield from pa.Table.from_pylist(rows, schema=REPORT_SCHEMA).to_batches()


def _merge(job: MergeJob, task: MergeTask) -> list[_Counts]:
    counts = [_Counts(work.partition) for work in task.work]
    has_before = any(work.before for work in task.work)
    changed = _changed_keys(job, job.key) if job.primary_keys and has_before else None
    if job.counts_only:
        for work, count in zip(task.work, counts, strict=True):
            for part in work.before:
                _count(part, job.key, changed, count)
    else:
        with ExitStack() as files:
            _write(job, task, counts, changed, files)
    return counts


def _incoming_counts(job: MergeJob) -> list[_Counts]:
    """How many keys change, and how many of them stay, in each partition that they come to."""
    columns = (*job.key, _OP, *((_PARTITION,) if job.is_partitioned else ()))
    parts = [Part(file.path, file.size) for file in stores.data_files(job.changes)]
    counts: dict[str | None, _Counts] = {}
    for keys in chunks(parts, columns):
        names = keys[_PARTITION.name].unique().to_pylist() if job.is_partitioned else [None]
        for name in names:
            some = keys
            if job.is_partitioned:
                some = keys.filter(pc.equal(keys[_PARTITION.name], name))
            counts.setdefault(name, _Counts(name)).add_changes(some, job.key)
    return [*counts.values()]


def _write(
    job: MergeJob,
    task: MergeTask,
    counts: Sequence[_Counts],
    changed: ChangedKeys | None,
    files: ExitStack,
) -> None:
    """Write what goes on of each partition, then what comes to each."""
    name = f"part-{task.number:05d}.parquet"
    replaced = (
        files.enter_context(writing(f"{job.replaced}/{name}", job.schema)) if job.replaced else None
    )
    writers: dict[str | None, Output] = {}
    for work, count in zip(task.work, counts, strict=True):
        folder = job.location + (f"/partition_date={work.partition}" if work.partition else "")
        writer = writers[work.partition] = files.enter_context(
            writing(f"{folder}/{name}", job.schema)
        )
        for rows in _rows_before(job, work):
            ops = changed.look_up(rows) if changed else None
            count.add(rows, ops)
            if ops is not None:
                if replaced is not None:
                    replaced.write(rows.filter(pc.is_valid(ops)))
                rows = rows.filter(pc.is_null(ops))
            writer.write(rows)
            count.rows_written += rows.num_rows
        count.files.append(name)
    taking = [count for work, count in zip(task.work, counts, strict=True) if work.takes_live]
    for count, rows in _incoming(job, task, taking):
        writers[count.partition].write(rows)
        count.rows_written += rows.num_rows


def _incoming(
    job: MergeJob, task: MergeTask, taking: Sequence[_Counts]
) -> Iterator[tuple[_Counts, pa.Table]]:
    """The newest rows of the changed keys that are not deleted, by the partition they go to."""
    if not task.live:
        return
    has_partitions = job.incoming is not None
    columns = (*job.columns, _PARTITION) if has_partitions else job.columns
    live = _newest(job, task, columns) if job.staged else _not_deleted(task, columns)
    for rows in gathered(live, schema_of(columns)):
        for count in taking:
            wanted = rows
            if has_partitions:
                wanted = rows.filter(pc.equal(rows[_PARTITION.name], count.partition))
            if wanted.num_rows:
                yield count, wanted.select(job.schema.names)


def _not_deleted(task: MergeTask, columns: Sequence[Column]) -> Iterator[pa.RecordBatch]:
    """The rows of the changes that are not deleted."""
    for rows in chunks(task.live, (*columns, _OP)):
        live = rows.filter(pc.not_equal(rows[_OP.name], "D"))
        yield from live.drop_columns([_OP.name]).to_batches()


def _newest(job: MergeJob, task: MergeTask, columns: Sequence[Column]) -> Iterator[pa.RecordBatch]:
    """The rows of staging that are the newest of their keys, and not deleted."""
    newest = _changed_keys(job, _PLACE)
    for rows in chunks(task.live, (*job.columns, *_PLACE)):
        # A row that is not the newest of its key has no operation here.
        live = rows.filter(pc.not_equal(newest.look_up(rows), "D"))
        if job.incoming is not None:
            live = live.append_column(_PARTITION.name, newest.partitions_of(live))
        yield from live.select([column.name for column in columns]).to_batches()


_OP = parse_column("_dms_op", "string")
_PARTITION = parse_column("_dms_partition", "string")
_IS_LOAD = parse_column("_dms_is_load", "boolean")
_GENERATION = parse_column("_dms_generation", "int")
_PLACE = (
    _GENERATION,
    parse_column("_dms_file_seq", "bigint"),
    parse_column("_dms_row", "bigint"),
)


def _rows_before(job: MergeJob, work: PartitionWork) -> Iterator[pa.Table]:
    """Read the state before: all rows of a snapshot, or those of one full load from staging."""
    if job.load_generations is None:
        yield from chunks(work.before, job.columns)
        return
    generations = pa.array(job.load_generations, pa.int32())
    for rows in chunks(work.before, (*job.columns, _IS_LOAD, _GENERATION)):
        of_generation = pc.is_in(rows[_GENERATION.name], generations)
        of_load = pc.and_(rows[_IS_LOAD.name], of_generation)
        rows = rows.drop_columns([_IS_LOAD.name, _GENERATION.name])
        # Mostly all are, and then they need not be copied.
        yield rows if pc.all(of_load).as_py() else rows.filter(of_load)


def _count(part: Part, key: Sequence[Column], changed: ChangedKeys | None, count: _Counts) -> None:
    """Count rows by their keys; where a footer says that no changed key is there, unread."""
    file = open_part(part)
    places = {path.lower(): place for place, path in enumerate(column_paths(file))}
    key_places = {column.name: places.get(column.name.lower()) for column in key}
    to_read = []
    for group in part.row_groups or range(file.num_row_groups):
        row_group = file.metadata.row_group(group)
        if changed and changed.may_be_in(row_group, key_places):
            to_read.append(group)
        else:
            count.rows_found += row_group.num_rows
    if changed:
        for keys in gathered(batches_of(file, part, to_read, key), schema_of(key)):
            count.add(keys, changed.look_up(keys))


def _changed_keys(job: MergeJob, by: tuple[Column, ...]) -> ChangedKeys:
    """Read the changed keys of a job, by their columns or by others that tell them apart.

    They are held in memory, without the other columns.

    Raises:
        DmsError: a key is there twice.
    """
    try:
        has_partitions = job.incoming is not None and by == _PLACE
        return _read_changed_keys(tuple(stores.data_files(job.changes)), by, has_partitions)
    except ValueError as error:
        name = job.table.rsplit(".", 1)[-1]
        raise DmsError(
            "E506",
            f"{job.table}: {error}. Nothing of this table was published. Build it again: dbt run "
            f"for the same date, with --full-refresh --select +{name}_snapshot",
        ) from error


# The tasks of a job that one worker runs, one after the other, need the same keys.
@lru_cache(maxsize=2)
def _read_changed_keys(
    files: tuple[stores.StoredObject, ...], by: tuple[Column, ...], has_partitions: bool
) -> ChangedKeys:
    columns = (*by, _OP, _PARTITION) if has_partitions else (*by, _OP)
    parts = [Part(file.path, file.size) for file in files]
    keys = pa.concat_tables([schema_of(columns).empty_table(), *chunks(parts, columns)])
    return ChangedKeys(
        keys.select([column.name for column in by]),
        ops=keys[_OP.name],
        partitions=keys[_PARTITION.name] if has_partitions else None,
    )
