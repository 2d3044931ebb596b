"""The tables of a Hive metastore, copied to a Glue API.

Spark's own Hive cannot write to Glue: the client that can is AWS's, and not on Maven Central. So
definitions and partitions are copied, as that client translates them. What a run itself asks of
Glue is not shown by it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from moto.glue.responses import GlueResponse
from pyspark import SparkConf
from pyspark.java_gateway import launch_gateway

Definition = Mapping[str, Any]
# What Glue takes in one request.
_BATCH = 100


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
        assert not answer["Errors"], answer["Errors"]


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


@contextmanager
def requests_of_glue() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """What moto's Glue in this process is asked for about partitions: action and parameters."""
    asked: list[tuple[str, dict[str, Any]]] = []

    def recording(name: str) -> Any:
        original = getattr(GlueResponse, name)

        def method(self: Any) -> Any:
            asked.append((name, dict(self.parameters)))
            return original(self)

        return method

    with pytest.MonkeyPatch.context() as patch:
        for name in ("get_partitions", "batch_get_partition", "get_partition"):
            patch.setattr(GlueResponse, name, recording(name))
        yield asked
