"""Spark data source ``dms_versions``: reads the version log, commits a version, records a command.

Spark finds it by the name of this module. Option ``job``: see
`pyspark_dms.versions.jobs.parse_job`. Reading from it does the work.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pyspark_dms.store_reader import StoreReader
from pyspark_dms.versions.jobs import Job, answer, parse_job


class _Reader(StoreReader):
    def __init__(self, job: Job) -> None:
        super().__init__()
        self._job = job

    def partitions(self) -> list[InputPartition]:
        # One: it waits on the network more than it computes, and has threads for that.
        return [InputPartition(0)]

    def batches(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        yield answer(self._job)


class DefaultSource(DataSource):
    """The class that Spark looks for in a module called ``pyspark_*``."""

    @classmethod
    def name(cls) -> str:
        """The word behind ``using`` in SQL."""
        return "dms_versions"

    def reader(self, schema: StructType) -> DataSourceReader:
        """Make the reader; the schema is the column list of the view."""
        return _Reader(parse_job(self.options["job"]))
