"""Readers of data sources whose tasks reach the object stores as the driver does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from pyspark_dms import stores

Job = TypeVar("Job")
Work = Callable[[Job], pa.RecordBatch | Iterator[pa.RecordBatch]]


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
