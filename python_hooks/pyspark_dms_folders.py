"""Spark data source ``dms_folders``: which of some folders have no files (any more).

Spark finds it by the name of this module. Option ``folders``: JSON list of folders, as the
partitions of a manifest have them. With ``by_name`` (``true``) it gives those whose files are not
the ones that the manifest names, and says how they differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pyspark_dms import stores
from pyspark_dms.side_by_side import side_by_side
from pyspark_dms.store_reader import StoreReader
from pyspark_dms.versions.written_files import RecordedFolder, changed_files, parse_folder

# A request each; a few hundred make a task.
_FOLDERS_PER_TASK = 200
_SCHEMA = pa.schema([("folder", pa.string()), ("changed_files", pa.string())])


@dataclass
class _Folders(InputPartition):
    folders: list[RecordedFolder]


class _Reader(StoreReader):
    def __init__(self, folders: list[RecordedFolder], by_name: bool) -> None:
        super().__init__()
        self._folders = folders
        self._by_name = by_name

    def partitions(self) -> list[InputPartition]:
        return [
            _Folders(self._folders[start : start + _FOLDERS_PER_TASK])
            for start in range(0, max(len(self._folders), 1), _FOLDERS_PER_TASK)
        ]

    def batches(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _Folders)
        found = [*filter(None, side_by_side(self._look, partition.folders))]
        yield pa.RecordBatch.from_pylist(found, schema=_SCHEMA)

    def _look(self, folder: RecordedFolder) -> dict[str, str] | None:
        if not self._by_name:
            return None if stores.has_objects(folder.location) else {"folder": folder.location}
        changed = changed_files(folder, stores.data_files(folder.location))
        return {"folder": folder.location, "changed_files": changed} if changed else None


class DefaultSource(DataSource):
    """The class that Spark looks for in a module called ``pyspark_*``."""

    @classmethod
    def name(cls) -> str:
        """The word behind ``using`` in SQL."""
        return "dms_folders"

    def reader(self, schema: StructType) -> DataSourceReader:
        """Make the reader; the schema is the column list of the view."""
        folders = [*map(parse_folder, json.loads(self.options["folders"]))]
        return _Reader(folders, self.options.get("by_name") == "true")
