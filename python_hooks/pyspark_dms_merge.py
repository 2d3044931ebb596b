"""Spark data source ``dms_merge``: writes the state of a table after changes, and counts.

Spark finds it by the name of this module. Options ``location``, ``before``, ``changes`` and
``settings``: see `pyspark_dms.merging.tasks.parse_merge`. Reading from it does the work; reading
again does it again, with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pyspark_dms.merging.copying import merge
from pyspark_dms.merging.tasks import MergeJob, MergeTask, parse_merge, plan_tasks
from pyspark_dms.store_reader import StoreReader


@dataclass
class _TaskPartition(InputPartition):
    task: MergeTask


class _Reader(StoreReader):
    def __init__(self, job: MergeJob) -> None:
        super().__init__()
        self._job = job

    def partitions(self) -> list[InputPartition]:
        return [_TaskPartition(task) for task in plan_tasks(self._job)]

    def batches(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _TaskPartition)
        return merge(self._job, partition.task)


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
