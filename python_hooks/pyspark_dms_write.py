"""Spark data source ``dms_write``: writes rows of a metadata table as one object.

Spark finds it by the name of this module. Options ``table``, ``location``, ``rows`` and
``folded``: see `pyspark_dms.versions.metadata.parse_write`; ``release``: that of the macros.
Reading from it does the work; reading again does it again, with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pyspark_dms.release import check_release
from pyspark_dms.store_reader import StoreReader
from pyspark_dms.versions.metadata import WriteJob, parse_write, write


class _Reader(StoreReader):
    def __init__(self, job: WriteJob) -> None:
        super().__init__()
        self._job = job

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(0)]

    def batches(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        yield write(self._job)


class DefaultSource(DataSource):
    """The class that Spark looks for in a module called ``pyspark_*``."""

    @classmethod
    def name(cls) -> str:
        """The word behind ``using`` in SQL."""
        return "dms_write"

    def reader(self, schema: StructType) -> DataSourceReader:
        """Make the reader; the schema is the column list of the view."""
        check_release(self.options.get("release"))
        names = ("table", "location", "rows", "folded")
        return _Reader(parse_write(*(self.options[name] for name in names)))
