"""Spark data source ``dms_folders``: which of some folders have no files (any more).

Spark finds it by the name of this module. Option ``folders``: JSON list of paths or URLs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pyspark_dms.store_reader import StoreReader
from pyspark_dms.stores import has_objects

# A request each; a few hundred make a task.
_FOLDERS_PER_TASK = 200
_SCHEMA = pa.schema([("folder", pa.string())])


@dataclass
class _Folders(InputPartition):
    folders: list[str]


class _Reader(StoreReader):
    def __init__(self, folders: list[str]) -> None:
        super().__init__()
        self._folders = folders

    def partitions(self) -> list[InputPartition]:
        return [
            _Folders(self._folders[start : start + _FOLDERS_PER_TASK])
            for start in range(0, max(len(self._folders), 1), _FOLDERS_PER_TASK)
        ]

    def batches(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _Folders)
        missing = [folder for folder in partition.folders if not has_objects(folder)]
        yield pa.RecordBatch.from_pydict({"folder": missing}, schema=_SCHEMA)


class DefaultSource(DataSource):
    """The class that Spark looks for in a module called ``pyspark_*``."""

    @classmethod
    def name(cls) -> str:
        """The word behind ``using`` in SQL."""
        return "dms_folders"

    def reader(self, schema: StructType) -> DataSourceReader:
        """Make the reader; the schema is the column list of the view."""
        return _Reader(json.loads(self.options["folders"]))
