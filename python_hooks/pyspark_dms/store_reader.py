"""A reader of a data source whose tasks reach the object stores as the driver does."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition

from pyspark_dms import stores


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
