"""Spark data source ``dms_control``: what DMS says that it could not do.

Spark finds it by the name of this module. Option ``job``: see
`pyspark_dms.discovery.control_tables.parse_job`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pyspark_dms.discovery.control_tables import ControlJob, parse_job, read_control_tables
from pyspark_dms.store_reader import StoreReader


class _Reader(StoreReader):
    def __init__(self, job: ControlJob) -> None:
        super().__init__()
        self._job = job

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(0)]

    def batches(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        yield read_control_tables(self._job)


class DefaultSource(DataSource):
    """The class that Spark looks for in a module called ``pyspark_*``."""

    @classmethod
    def name(cls) -> str:
        """The word behind ``using`` in SQL."""
        return "dms_control"

    def reader(self, schema: StructType) -> DataSourceReader:
        """Make the reader; the schema is the column list of the view."""
        return _Reader(parse_job(self.options["job"]))
