"""Spark data source ``dms_merge``: writes the state of a table after changes, and counts.

Spark finds it by the name of this module. Options ``location``, ``before``, ``changes`` and
``settings``: see `pyspark_dms.merging.tasks.parse_merge`. Reading from it does the work; reading
again does it again, with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pyspark_dms.merging.copying import merge
from pyspark_dms.merging.tasks import MergeJob, MergeTask, parse_merge, plan_tasks, together
from pyspark_dms.side_by_side import side_by_side
from pyspark_dms.store_reader import StoreReader


@dataclass
class _TaskPartition(InputPartition):
    tasks: list[MergeTask]


class _Reader(StoreReader):
    def __init__(self, job: MergeJob) -> None:
        super().__init__()
        self._job = job

    def partitions(self) -> list[InputPartition]:
        return [_TaskPartition(tasks) for tasks in together(plan_tasks(self._job))]

    def batches(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _TaskPartition)
        # They wait for the store; should one have to write after all, few are in memory.
        done = side_by_side(lambda task: [*merge(self._job, task)], partition.tasks, at_once=4)
        return chain.from_iterable(done)


class DefaultSource(DataSource):
    """The class that Spark looks for in a module called ``pyspark_*``."""

    @classmethod
    def name(cls) -> str:
        """The word behind ``using`` in SQL."""
        return "dms_merge"

    def reader(self, schema: StructType) -> DataSourceReader:
        """Make the reader; the schema is the column list of the view."""
        options = self.options
        return _Reader(
            parse_merge(
                options["location"], options["before"], options["changes"], options["settings"]
            )
        )
