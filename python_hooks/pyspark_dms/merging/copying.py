"""Writes the state of a table after changes: what no change touches, then what the changes bring.

Which change of a key counts has been settled in SQL; here rows are copied, not judged. A row of
the state before goes on unless its key is among the changed ones, and every changed key that is
not deleted comes back once. On the way each row is counted, so no other scan is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, fields
from functools import reduce
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.errors import DmsError
from pyspark_dms.merging.changed_keys import OP, RepeatedKeyError
from pyspark_dms.merging.clustering import GENERATION, IS_LOAD, Cluster, Piece, are_as_written
from pyspark_dms.merging.incoming import arrange, incoming
from pyspark_dms.merging.key_passes import PARTITION, many
from pyspark_dms.merging.key_ranges import row_group
from pyspark_dms.merging.lake_rows import (
    batches_of,
    chunks,
    open_part,
    parts_of,
    schema_of,
)
from pyspark_dms.merging.placing import Files, first_rows, placed
from pyspark_dms.merging.tasks import MergeJob, MergeTask, PartitionWork
from pyspark_dms.reading.batches import gathered
from pyspark_dms.reading.columns import Column
from pyspark_dms.reading.dates import Dates
from pyspark_dms.reading.output import Output, writing
from pyspark_dms.store_copy import copy_object


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
    changed_files: str | None = None

    def add_changed(self, ops: pa.ChunkedArray) -> None:
        """Count rows of the state before, by the newest operation of their keys.

        An insert of a key that is there updates its row; these are counted once more, because
        many of them may follow a TRUNCATE that the files do not have.
        """
        self.rows_updated += pc.sum(pc.not_equal(ops, "D")).as_py() or 0
        self.rows_reinserted += pc.sum(pc.equal(ops, "I")).as_py() or 0
        self.rows_deleted += pc.sum(pc.equal(ops, "D")).as_py() or 0


_KINDS = {"int": pa.int64(), "list[str]": pa.list_(pa.string()), "str | None": pa.string()}
REPORT_SCHEMA = pa.schema([(one.name, _KINDS[str(one.type)]) for one in fields(_Counts)])


def merge(job: MergeJob, task: MergeTask) -> Iterator[pa.RecordBatch]:
    """Write the files of one task, and tell the counts of its partitions as `REPORT_SCHEMA`.

    Raises:
        DmsError: a key is among the changed ones twice.
    """
    try:
        counts = _merge(job, task)
    except RepeatedKeyError as error:
        name = job.table.rsplit(".", 1)[-1]
        raise DmsError(
            "E506",
            f"{job.table}: {error}. Nothing of this table was published. Build it again: dbt "
            f"run for the same date, with --full-refresh --select +{name}_snapshot",
        ) from error
    rows = [vars(count) for count in counts]
    yield from pa.Table.from_pylist(rows, schema=REPORT_SCHEMA).to_batches()


def _merge(job: MergeJob, task: MergeTask) -> list[_Counts]:
    if task.changed_files:
        return [_Counts(None, changed_files=task.changed_files)]
    if job.dates:
        return _write_dates(job, task, job.dates)
    if job.act == "arrange":
        return [_Counts(None, files=arrange(job, task))]
    counts = [_Counts(work.partition) for work in task.work]
    with ExitStack() as files:
        if job.act == "count":
            _count(job, task, counts)
        elif task.work and task.work[0].taken:
            _take_over(job, task, task.work[0].taken, counts[0])
        elif task.cluster:
            _write_cluster(job, task, task.cluster, counts[0], files)
        else:
            _write(job, task, counts, files)
    return counts + (_incoming_counts(job) if task.number == 0 and job.incoming is None else [])


def _incoming_counts(job: MergeJob) -> list[_Counts]:
    """How many keys change, and how many of them stay, in each partition that they come to."""
    columns = (*job.key, OP, PARTITION)
    counts: dict[str | None, _Counts] = {}
    for keys in chunks(parts_of(job.changes), columns):
        is_null = [pc.is_null(keys[column.name]) for column in job.key]
        told = {
            "live_keys": pc.not_equal(keys[OP.name], "D"),
            "not_inserts": pc.not_equal(keys[OP.name], "I"),
            "null_keys": reduce(pc.or_, is_null) if is_null else pa.repeat(False, keys.num_rows),
        }
        table = pa.table({"partition": keys[PARTITION.name], **told})
        sums = [(name, "sum") for name in told]
        for row in table.group_by("partition").aggregate([([], "count_all"), *sums]).to_pylist():
            count = counts.setdefault(row["partition"], _Counts(row["partition"]))
            count.changed_keys += row["count_all"]
            count.live_keys += row["live_keys_sum"]
            count.not_inserts += row["not_inserts_sum"]
            count.null_keys += row["null_keys_sum"]
    return [*counts.values()]


def _write(job: MergeJob, task: MergeTask, counts: Sequence[_Counts], files: ExitStack) -> None:
    """Write what goes on of each partition, then what comes to each."""
    goes_on = _goes_on(job, task, files)
    writers: dict[str | None, Output] = {}
    for work, count in zip(task.work, counts, strict=True):
        writers[work.partition] = files.enter_context(_writing(job, task, count))
        _add(writers[work.partition], count, goes_on(work, count))
    taking = [count for work, count in zip(task.work, counts, strict=True) if work.takes_live]
    if job.incoming is None:
        _add(writers[None], taking[0], incoming(job, task, job.columns))
        return
    for rows in incoming(job, task, (*job.columns, PARTITION)):
        for count in taking:
            wanted = rows.filter(pc.equal(rows[PARTITION.name], count.partition))
            _add(writers[count.partition], count, [wanted.select(job.schema.names)])


def _write_dates(job: MergeJob, task: MergeTask, dates: Dates) -> list[_Counts]:
    """Bring the rows of a full load into a folder for each partition."""
    counts: dict[str | None, _Counts] = {}
    writers: dict[str | None, Output] = {}
    with ExitStack() as files:
        for work in task.work:
            if work.taken:
                counts[work.partition] = _Counts(work.partition)
                _take_over(job, task, work.taken, counts[work.partition])
                continue
            for rows in _rows_before(job, work, job.columns):
                for partition, some in dates.divided(rows):
                    if partition not in writers:
                        counts[partition] = count = _Counts(partition)
                        writers[partition] = files.enter_context(_writing(job, task, count))
                    _add(writers[partition], counts[partition], [some])
    return [*counts.values()]


def _writing(job: MergeJob, task: MergeTask, count: _Counts) -> AbstractContextManager[Output]:
    """Write the file that a task has in a partition."""
    count.files.append(task.file_name())
    return writing(f"{_folder(job, count.partition)}/{task.file_name()}", job.schema)


def _folder(job: MergeJob, partition: str | None) -> str:
    return job.location + (f"/partition_date={partition}" if partition else "")


def _add(output: Output | Files, count: _Counts, tables: Iterable[pa.Table]) -> None:
    for rows in tables:
        output.write(rows)
        count.rows_written += rows.num_rows


def _write_cluster(
    job: MergeJob, task: MergeTask, cluster: Cluster, count: _Counts, files: ExitStack
) -> None:
    """Write the rows of a cluster in the order of the key; take its files over if none changes."""
    if not _is_touched(job, task, cluster):
        _take_over(job, task, cluster.pieces, count)
        if job.replaced and task.number == 0:
            # Who reads the rows that were replaced finds a folder, if there are none.
            files.enter_context(writing(f"{job.replaced}/{task.file_name()}", job.schema))
        return
    coming = incoming(job, task, job.columns)
    live = first_rows(coming, job.schema)
    row_count = cluster.row_count + live.num_rows
    size = cluster.size * row_count // max(cluster.row_count, 1)
    most_rows = -(-row_count // max(1, round(size / job.file_bytes)))
    before = _goes_on(job, task, files)(task.work[0], count)
    with Files(job.location, task.file_name, job.schema, max(most_rows, 1)) as output:
        _add(output, count, chain(placed(before, live, cluster.interval.column.name), coming))
    count.files += output.names


def _take_over(job: MergeJob, task: MergeTask, pieces: Sequence[Piece], count: _Counts) -> None:
    """Bring files of the state before into the new one, as they are."""
    for number, piece in enumerate(pieces):
        count.files.append(task.file_name(number))
        target = f"{_folder(job, count.partition)}/{count.files[-1]}"
        size = copy_object(piece.part.path, target)
        if size != piece.part.size:
            count.changed_files = (
                f"{piece.part.path} had {piece.part.size} bytes, and has {size} now"
            )
        count.rows_found += piece.row_count
        count.rows_written += piece.row_count


def _goes_on(
    job: MergeJob, task: MergeTask, files: ExitStack
) -> Callable[[PartitionWork, _Counts], Iterator[pa.Table]]:
    """What reads the rows that no change touches, counts, and writes the others as they were."""
    replaced = (
        files.enter_context(writing(f"{job.replaced}/{task.file_name()}", job.schema))
        if job.replaced
        else None
    )
    find = _find_changed(job, task)

    def read(work: PartitionWork, count: _Counts) -> Iterator[pa.Table]:
        for rows in _rows_before(job, work, job.columns):
            count.rows_found += rows.num_rows
            if find:
                ops = find(rows)[OP.name]
                count.add_changed(ops)
                if replaced is not None:
                    replaced.write(rows.filter(pc.is_valid(ops)))
                rows = rows.filter(pc.is_null(ops))
            yield rows

    return read


def _is_touched(job: MergeJob, task: MergeTask, cluster: Cluster) -> bool:
    """Whether some row of a cluster may change, or one comes to it."""
    if not are_as_written(cluster.pieces, job.file_bytes):
        return True
    return any(
        changed.has_live_in(cluster.interval) or any(map(changed.may_be_in, cluster.groups))
        for changed in task.keys.read(job.key, ())
    )


def _find_changed(job: MergeJob, task: MergeTask) -> Callable[[pa.Table], pa.Table] | None:
    """What tells the operations of rows of the state before; None if it has none that change."""
    if not job.primary_keys or not any(work.before for work in task.work):
        return None
    return task.keys.finder(
        job.key, (), lambda: chain(*(_rows_before(job, work, job.key) for work in task.work))
    )


def _rows_before(
    job: MergeJob, work: PartitionWork, columns: Sequence[Column]
) -> Iterator[pa.Table]:
    """Read the state before: all rows of a snapshot, or those of one full load from staging."""
    if job.load_generations is None:
        yield from chunks(work.before, columns)
        return
    generations = pa.array(job.load_generations, pa.int32())
    for rows in chunks(work.before, (*columns, IS_LOAD, GENERATION)):
        of_generation = pc.is_in(rows[GENERATION.name], generations)
        of_load = pc.and_(rows[IS_LOAD.name], of_generation)
        rows = rows.drop_columns([IS_LOAD.name, GENERATION.name])
        # Mostly all are, and then they need not be copied.
        yield rows if pc.all(of_load).as_py() else rows.filter(of_load)


def _count(job: MergeJob, task: MergeTask, counts: Sequence[_Counts]) -> None:
    """Count rows by their keys; where a footer says that no changed key is there, unread."""
    parts = [
        (part, count) for work, count in zip(task.work, counts, strict=True) for part in work.before
    ]
    key = job.key
    passes = task.keys.read(key, ()) if key and parts else (None,)
    for number, changed in enumerate(passes):
        for part, count in parts:
            file = open_part(part)
            groups = part.row_groups or range(file.num_row_groups)
            if number == 0:
                count.rows_found += sum(file.metadata.row_group(one).num_rows for one in groups)
            if changed:
                to_read = [
                    one for one in groups if changed.may_be_in(row_group(file.metadata, one, key))
                ]
                keys = many(gathered(batches_of(file, part, to_read, key), schema_of(key)))
                for told in map(changed.look_up, keys):
                    count.add_changed(told[OP.name])
