"""Spark data source ``dms_repair``: finds files of versions that were changed by hand, or restores.

Spark finds it by the name of this module. Option ``job``: see `pyspark_dms.merging.repairing`; one
with ``columns`` restores. Reading from it does the work.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pyspark_dms.merging.repairing import look, restore
from pyspark_dms.store_reader import StoreReader


class _Reader(StoreReader):
    def __init__(self, job: Mapping[str, Any]) -> None:
        super().__init__()
        self._job = job

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(0)]

    def batches(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return restore(self._job) if "columns" in self._job else look(self._job)


class DefaultSource(DataSource):
    """The class that Spark looks for in a module called ``pyspark_*``."""

    @classmethod
    def name(cls) -> str:
        """The word behind ``using`` in SQL."""
        return "dms_repair"

    def reader(self, schema: StructType) -> DataSourceReader:
        """Make the reader; the schema is the column list of the view."""
        return _Reader(json.loads(self.options["job"]))
