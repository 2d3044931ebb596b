"""The tables of a Hive metastore, copied to a Glue API.

Spark's own Hive cannot write to Glue: the client that can is AWS's, and not on Maven Central. So
definitions and partitions are copied, as that client translates them. What a run itself asks of
Glue is not shown by it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from moto.core.responses import ActionResult
from moto.glue.responses import GlueResponse
from pyspark import SparkConf
from pyspark.java_gateway import launch_gateway

Definition = Mapping[str, Any]
# What Glue takes in one request, and gives in one answer.
_BATCH, _PAGE = 100, 1000


def definitions(address: str, schema: str) -> dict[str, tuple[Definition, list[Definition]]]:
    """Each table of a schema with its partitions, as the metastore has them.

    Args:
        address: ``thrift://host:port``.
        schema: the database in the metastore.
    """
    launch: Any = launch_gateway  # it has no types
    gateway = launch(SparkConf().set("spark.driver.memory", "256m"))
    try:
        hive, thrift = gateway.jvm.org.apache.hadoop.hive, gateway.jvm.org.apache.thrift
        serializer = thrift.TSerializer(getattr(thrift.protocol, "TSimpleJSONProtocol$Factory")())

        def plain(made: Any) -> Definition:
            return json.loads(serializer.toString(made))

        conf = hive.conf.HiveConf()
        conf.set("hive.metastore.uris", address)
        client = hive.metastore.HiveMetaStoreClient(conf)
        found = {}
        for name in client.getAllTables(schema):
            table = plain(client.getTable(schema, name))
            partitions = client.listPartitions(schema, name, -1) if table["partitionKeys"] else []
            found[name] = table, [plain(partition) for partition in partitions]
        client.close()
        return found
    finally:
        gateway.proc.stdin.close()
        gateway.proc.wait()


def create_table(
    glue: Any, schema: str, table: Definition, partitions: Sequence[Definition]
) -> None:
    """Make a table with its partitions in Glue.

    Args:
        glue: boto3's client.
        schema: an existing database.
        table: a definition of `definitions`.
        partitions: those of the table.
    """
    glue.create_table(
        DatabaseName=schema,
        TableInput={
            "Name": table["tableName"],
            "TableType": table["tableType"],
            "Parameters": table["parameters"],
            "PartitionKeys": _columns(table["partitionKeys"]),
            "StorageDescriptor": _storage(table["sd"]),
        },
    )
    for begin in range(0, len(partitions), _BATCH):
        answer = glue.batch_create_partition(
            DatabaseName=schema,
            TableName=table["tableName"],
            PartitionInputList=[
                {
                    "Values": partition["values"],
                    "Parameters": partition["parameters"],
                    "StorageDescriptor": _storage(partition["sd"]),
                }
                for partition in partitions[begin:][:_BATCH]
            ],
        )
        assert not answer.get("Errors"), answer["Errors"]


def _storage(storage: Definition) -> dict[str, Any]:
    serde = storage["serdeInfo"]
    return {
        "Columns": _columns(storage["cols"]),
        "Location": storage["location"],
        "InputFormat": storage["inputFormat"],
        "OutputFormat": storage["outputFormat"],
        "SerdeInfo": {
            "SerializationLibrary": serde["serializationLib"],
            "Parameters": serde["parameters"],
        },
    }


def _columns(fields: Sequence[Definition]) -> list[dict[str, str]]:
    return [
        {"Name": column["name"], "Type": column["type"], "Comment": column.get("comment") or ""}
        for column in fields
    ]


@dataclass(frozen=True)
class PartitionRequest:
    """A request for partitions that the API has answered.

    Attributes:
        action: ``GetPartitions``, of which there is one per segment and page, or
            ``BatchGetPartition``.
        table: the table's name.
        expression: the filter that was sent; empty for none.
        partitions: how many partitions the answer had.
    """

    action: str
    table: str
    expression: str
    partitions: int


@contextmanager
def requests_for_partitions() -> Iterator[list[PartitionRequest]]:
    """What moto's Glue in this process is asked for about partitions, while this lasts.

    moto has no segments and pages, and fails with the empty expression that Trino sends for none.
    So GetPartitions is here as Glue's documentation has it.
    """
    requests: list[PartitionRequest] = []
    batch = GlueResponse.batch_get_partition

    def get_partitions(self: Any) -> ActionResult:
        asked = self.parameters
        expression = asked.get("Expression") or ""
        found = self.glue_backend.get_partitions(
            asked["DatabaseName"], asked["TableName"], expression or None
        )
        segment = asked.get("Segment") or {"SegmentNumber": 0, "TotalSegments": 1}
        own = found[segment["SegmentNumber"] :: segment["TotalSegments"]]
        begin = int(asked.get("NextToken") or 0)
        page = own[begin:][: int(asked.get("MaxResults") or _PAGE)]
        requests.append(
            PartitionRequest("GetPartitions", asked["TableName"], expression, len(page))
        )
        answer: dict[str, Any] = {"Partitions": [one.as_dict() for one in page]}
        if begin + len(page) < len(own):
            answer["NextToken"] = str(begin + len(page))
        return ActionResult(answer)

    def batch_get_partition(self: Any) -> ActionResult:
        asked = self.parameters
        requests.append(
            PartitionRequest(
                "BatchGetPartition", asked["TableName"], "", len(asked["PartitionsToGet"])
            )
        )
        return batch(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GlueResponse, "get_partitions", get_partitions)
        patch.setattr(GlueResponse, "batch_get_partition", batch_get_partition)
        yield requests
