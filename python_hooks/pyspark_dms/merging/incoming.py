"""The rows that come to a table: those of changed keys that are not deleted, as they are now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.merging.changed_keys import OP
from pyspark_dms.merging.clustering import Cuts
from pyspark_dms.merging.key_passes import PARTITION, PLACE
from pyspark_dms.merging.lake_rows import chunks, schema_of
from pyspark_dms.merging.tasks import MergeJob, MergeTask
from pyspark_dms.reading.batches import gathered
from pyspark_dms.reading.columns import Column
from pyspark_dms.reading.output import writing

# Rows that were put in order are in row groups of so many bytes, each with a range of the key.
_ARRANGED_BYTES = 4 * 1024 * 1024


def incoming(job: MergeJob, task: MergeTask, columns: Sequence[Column]) -> Iterator[pa.Table]:
    """Read the rows that come to a task, in tables of at most about 64 MiB."""
    if not task.live:
        return
    if job.arranged:
        live = _of_task(task, chunks(task.live, columns))
    else:
        live = _newest(job, task, columns) if job.staged else _not_deleted(task, columns)
    yield from gathered(chain.from_iterable(map(pa.Table.to_batches, live)), schema_of(columns))


def arrange(job: MergeJob, task: MergeTask) -> list[str]:
    """Write the rows that come to a task, in row groups that have a range of a key column each.

    Returns:
        The name of the file, if a row comes.
    """
    tables = incoming(job, task, job.columns)
    first = next(tables, None)
    if first is None or task.cuts is None:
        return []
    with writing(f"{job.location}/{task.file_name()}", job.schema) as output:
        for rows in chain([first], tables):
            for some in _cut(rows, task.cuts):
                output.write(some)
    return [task.file_name()]


def _cut(rows: pa.Table, cuts: Cuts) -> Iterator[pa.Table]:
    """Rows in the order of a column, cut where clusters begin, and into small row groups."""
    name = cuts.column.name
    rows = rows.sort_by(name)
    most = max(1, rows.num_rows * _ARRANGED_BYTES // max(rows.nbytes, 1))
    for low in (*cuts.lows, None):
        count = rows.num_rows
        if low is not None:
            is_before = pc.less(rows[name], pa.scalar(low, cuts.column.arrow_type))
            count = pc.sum(is_before).as_py() or 0
        for start in range(0, count, most):
            yield rows.slice(start, min(most, count - start))
        rows = rows.slice(count)


def _not_deleted(task: MergeTask, columns: Sequence[Column]) -> Iterator[pa.Table]:
    """The rows of the changes that are not deleted."""
    for rows in _of_task(task, chunks(task.live, (*columns, OP))):
        yield rows.filter(pc.not_equal(rows[OP.name], "D")).drop_columns([OP.name])


def _newest(job: MergeJob, task: MergeTask, columns: Sequence[Column]) -> Iterator[pa.Table]:
    """The rows of staging that are the newest of their keys, and not deleted."""
    by = () if task.cluster is None else (task.cluster.interval.column,)
    find = task.keys.finder(
        PLACE, job.incoming or (), lambda: _of_task(task, chunks(task.live, (*by, *PLACE)))
    )
    for rows in _of_task(task, chunks(task.live, (*job.columns, *PLACE))):
        told = find(rows)
        # A row that is not the newest of its key has no operation here.
        is_live = pc.not_equal(told[OP.name], "D")
        live = rows.filter(is_live)
        if job.incoming is not None:
            partitions = told[PARTITION.name].filter(is_live).cast(pa.string())
            live = live.append_column(PARTITION.name, partitions)
        yield live.select([column.name for column in columns])


def _of_task(task: MergeTask, coming: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Of rows that come those that come to a task."""
    for rows in coming:
        yield task.cluster.interval.rows_of(rows) if task.cluster else rows
