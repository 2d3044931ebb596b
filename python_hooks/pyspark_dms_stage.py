"""Spark data source ``dms_stage``: stages files, and sums up each group of them as a row.

Spark finds it by the name of this module. Option ``job``: see
`pyspark_dms.reading.staging.parse_job`. Reading from it does the work; reading again does it again,
with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pyspark_dms.reading.staging import Group, StagingJob, parse_job, plan_groups, stage
from pyspark_dms.store_reader import StoreReader


@dataclass
class _GroupPartition(InputPartition):
    group: Group


class _Reader(StoreReader):
    def __init__(self, job: StagingJob) -> None:
        super().__init__()
        self._job = job

    def partitions(self) -> list[InputPartition]:
        return [
            _GroupPartition(group) for group in plan_groups(self._job.files, self._job.settings)
        ]

    def batches(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _GroupPartition)
        return stage(self._job, partition.group)


class DefaultSource(DataSource):
    """The class that Spark looks for in a module called ``pyspark_*``."""

    @classmethod
    def name(cls) -> str:
        """The word behind ``using`` in SQL."""
        return "dms_stage"

    def reader(self, schema: StructType) -> DataSourceReader:
        """Make the reader; the schema is the column list of the view."""
        return _Reader(parse_job(self.options["job"]))
