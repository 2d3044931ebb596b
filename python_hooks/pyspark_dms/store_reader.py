"""Readers of data sources whose tasks reach the object stores as the driver does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar
from zipimport import zipimporter

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pyspark_dms import stores

Job = TypeVar("Job")
Work = Callable[[Job], pa.RecordBatch | Iterator[pa.RecordBatch]]


def _keep_archives_read() -> None:
    """Spare each task of this process the directories of the archives that Spark is imported from.

    Before each one Spark 4.0 and 4.1 ask all finders of modules to look again, and those of
    ``pyspark.zip``, one for each of its packages, and of a jar read their directories anew: 0.1 s
    a task, and each statement on a data source has three. What Spark runs from stays as it is.
    """
    for finder in sys.path_importer_cache.values():
        if isinstance(finder, zipimporter):
            finder.invalidate_caches = _nothing  # type: ignore[method-assign]


def _nothing() -> None:
    pass


_keep_archives_read()


class StoreReader(DataSourceReader):
    """Made on the driver, and sent with each task to a worker, which may be another machine.

    It carries what the environment of the driver says about the stores: Spark sends its own keys of
    S3 the same way. So they are in no setting of Spark, in no command line and in no log.
    """

    def __init__(self) -> None:
        self._variables = stores.store_variables()

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read a partition, with the stores of the driver."""
        stores.take_store_variables(self._variables)
        return self.batches(partition)

    def batches(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """What a partition has: for the reader of a data source to say."""
        raise NotImplementedError


class _Task(StoreReader, Generic[Job]):
    def __init__(self, job: Job, work: Work[Job]) -> None:
        super().__init__()
        self._job = job
        self._work = work

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(0)]

    def batches(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        answer = self._work(self._job)
        return iter([answer]) if isinstance(answer, pa.RecordBatch) else answer


def source_of_one_task(
    named: str, parse_job: Callable[[str], Job], work: Work[Job]
) -> type[DataSource]:
    """Make the data source ``named``, whose option ``job`` says what its one task does.

    One, because it waits on the network more than it computes, and has threads for that. The job is
    read on the driver; reading from the source does the work, and gives the answer.
    """

    class OneTask(DataSource):
        @classmethod
        def name(cls) -> str:
            return named

        def reader(self, schema: StructType) -> DataSourceReader:
            return _Task(parse_job(self.options["job"]), work)

    return OneTask
