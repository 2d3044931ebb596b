"""Spark data source ``dms_files``: one row per object of the declared tables.

Spark finds it by the name of this module. Option ``tables``: JSON, see
`pyspark_dms.landing.listing.parse_tables`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pyspark_dms.landing.listing import ListedTable, list_tables, parse_tables

# Listing waits on the network more than it computes; a handful of tables make a task.
_TABLES_PER_TASK = 16


@dataclass
class _Tables(InputPartition):
    tables: list[ListedTable]


class _Reader(DataSourceReader):
    def __init__(self, tables: list[ListedTable]) -> None:
        self._tables = tables

    def partitions(self) -> list[InputPartition]:
        # At least one, also without any table: Spark refuses a source of no partitions.
        return [
            _Tables(self._tables[start : start + _TABLES_PER_TASK])
            for start in range(0, max(len(self._tables), 1), _TABLES_PER_TASK)
        ]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _Tables)
        return list_tables(partition.tables)


class DefaultSource(DataSource):
    """The class that Spark looks for in a module called ``pyspark_*``."""

    @classmethod
    def name(cls) -> str:
        """The word behind ``using`` in SQL."""
        return "dms_files"

    def reader(self, schema: StructType) -> DataSourceReader:
        """Make the reader; the schema is the column list of the view."""
        return _Reader(parse_tables(self.options["tables"]))
