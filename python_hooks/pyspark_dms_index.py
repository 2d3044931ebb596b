"""Spark data source ``dms_index``: indexes the landing area and plans the run for all tables.

Spark finds it by the name of this module. Option ``job``: see
`pyspark_dms.landing.index.parse_job`. Reading from it does the work; reading again does it again,
with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pyspark_dms.landing.index import IndexJob, index, parse_job
from pyspark_dms.store_reader import StoreReader


class _Reader(StoreReader):
    def __init__(self, job: IndexJob) -> None:
        super().__init__()
        self._job = job

    def partitions(self) -> list[InputPartition]:
        # One: it waits on the network more than it computes, and has threads for that.
        return [InputPartition(0)]

    def batches(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        yield index(self._job)


class DefaultSource(DataSource):
    """The class that Spark looks for in a module called ``pyspark_*``."""

    @classmethod
    def name(cls) -> str:
        """The word behind ``using`` in SQL."""
        return "dms_index"

    def reader(self, schema: StructType) -> DataSourceReader:
        """Make the reader; the schema is the column list of the view."""
        return _Reader(parse_job(self.options["job"]))
