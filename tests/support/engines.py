"""The two places where the project runs in tests: a Spark session in this process, and a Spark
Thrift server. Both answer queries with the same Python values."""

import os
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pytest
from pyhive import hive
from pyspark.sql import SparkSession

from pyspark_dms.services.s3_lake import spark_settings
from pyspark_dms.services.thrift import ThriftServer
from tests.support.dms_files import Row

REPOSITORY = Path(__file__).resolve().parents[2]
PYTHON_HOOKS = REPOSITORY / "python_hooks"
SHUFFLE_PARTITIONS = 4
# A suite is thousands of small statements: compiling them well costs more than it gives.
QUICK_JVM = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    # With one compiler only, the JVM takes a code cache that Spark fills.
    " -XX:ReservedCodeCacheSize=240m"
    # Each statement leaves much garbage; a small nursery would be swept all the time.
    " -Xmn1g -XX:MetaspaceSize=300m"
)
ENGINES = ("local", "thrift")
# The mark of a module of scenarios that show the main job: on the Thrift server they are thorough.
on_each_engine = pytest.mark.parametrize(
    "engine",
    ["local", pytest.param("thrift", marks=pytest.mark.thorough)],
    indirect=True,
    scope="session",
)


class Engine(Protocol):
    """Runs SQL; ``environment`` is what dbt needs to run against the same place."""

    target: str
    environment: Mapping[str, str]

    def query(self, sql: str) -> list[Row]: ...


def set_spark_environment() -> None:
    """What a Spark process must find in its environment; call it before the first one starts."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    paths = [str(PYTHON_HOOKS), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    os.environ["TZ"] = "UTC"
    time.tzset()


class LocalEngine:
    """The one Spark session of this process, which dbt's connection method `session` takes too."""

    target = "local"

    def __init__(self, lake: str, local: Path | None = None) -> None:
        """``lake`` is a local folder, or one on S3 and then the metastore is in ``local``."""
        local = local or Path(lake)
        self.environment: Mapping[str, str] = {
            "DMS_TARGET": self.target,
            "DMS_LAKE": lake,
            "DMS_MASTER": "local[2]",
            "DMS_DRIVER_MEMORY": "5g",
            "DMS_SHUFFLE_PARTITIONS": str(SHUFFLE_PARTITIONS),
        }
        # dbt starts new threads for each command. With a JVM thread for each of them, Hive would
        # open the metastore anew every time. Commands in processes of their own keep what users
        # have.
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("PYSPARK_PIN_THREAD", "false")
            environment.setenv("DMS_LAKE", lake)
            self._spark = _new_session(lake, local)

    def query(self, sql: str) -> list[Row]:
        # Arrow gives moments of any year as they are; collect() would pass them through the clock
        # of this machine.
        table = self._spark.sql(sql).toArrow()
        columns = [_plain(column).to_pylist() for column in table.columns]
        return list(zip(*columns, strict=True)) if columns else []

    def metastore_columns(self, schema: str, table: str) -> dict[str, str]:
        """The columns of a table as the metastore itself has them, for readers that are no Spark.

        Those of its partitions are left out.
        """
        catalog = self._spark._jsparkSession.sharedState().externalCatalog().unwrapped()
        raw = catalog.client().getRawHiveTableOption(schema, table).get().rawTable()
        return {column.getName(): column.getType() for column in raw.getCols()}

    def stop(self) -> None:
        self._spark.stop()


def _new_session(lake: str, local: Path) -> SparkSession:
    return (
        SparkSession.builder.master("local[2]")
        .config(map=dict(spark_settings(os.environ)))
        .config("spark.driver.memory", "5g")
        # It serves some hundred dbt runs; what it remembers of each query would fill it.
        .config("spark.sql.ui.retainedExecutions", "10")
        .config("spark.ui.retainedJobs", "10")
        .config("spark.ui.retainedStages", "10")
        .config("spark.ui.retainedTasks", "100")
        # Sorts of ten rows and broadcasts of nothing; by default they take 64 and 4 MiB each.
        .config("spark.buffer.pageSize", "1m")
        .config("spark.broadcast.blockSize", "256k")
        # Compiling a small statement costs more than it gives. The Thrift server compiles its
        # queries, as Spark does by default: both ways are tested.
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config(
            "spark.driver.extraJavaOptions",
            f"-Dderby.system.home={local} {QUICK_JVM}"
            # The metastore asks some hundred questions in ever new words; Derby keeps 100.
            " -Dderby.language.statementCacheSize=5000 -Dderby.system.durability=test",
        )
        .config("spark.sql.warehouse.dir", f"{lake}/warehouse")
        .config(
            "spark.hadoop.javax.jdo.option.ConnectionURL",
            f"jdbc:derby:;databaseName={local}/metastore;create=true",
        )
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", str(SHUFFLE_PARTITIONS))
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .enableHiveSupport()
        .getOrCreate()
    )


def _plain(column: Any) -> Any:
    if pa.types.is_timestamp(column.type):
        return column.cast(pa.timestamp("us"))
    return column


class ThriftEngine:
    """A Spark Thrift server that is running, through PyHive."""

    target = "thrift"

    def __init__(self, server: ThriftServer) -> None:
        self.server = server
        self.environment: Mapping[str, str] = {
            "DMS_TARGET": self.target,
            "DMS_THRIFT_HOST": server.host,
            "DMS_THRIFT_PORT": str(server.port),
        }

    def connect(self) -> Any:
        return hive.connect(
            self.server.host,
            self.server.port,
            username="test",
            configuration={"set:spark.sql.session.timeZone": "UTC"},
        )

    def query(self, sql: str) -> list[Row]:
        # A session remembers where a table's files are, so one that has looked before another
        # session moves the table sees the old state: whole, but old.
        with closing(self.connect()) as connection:
            return fetch(connection, sql)


def fetch(connection: Any, sql: str) -> list[Row]:
    """Run one query on a PyHive connection, with values of the same types as Arrow gives."""
    with connection.cursor() as cursor:
        cursor.execute(sql)
        types = [column[1] for column in cursor.description]
        return [
            tuple(_parsed(value, name) for value, name in zip(row, types, strict=True))
            for row in cursor.fetchall()
        ]


def _parsed(value: Any, type_name: str) -> Any:
    """PyHive gives dates and moments as text."""
    if value is None or not isinstance(value, str):
        return value
    match type_name:
        case "DATE_TYPE":
            return date.fromisoformat(value)
        case "TIMESTAMP_TYPE":
            return datetime.fromisoformat(value)
        case "BINARY_TYPE":
            return value.encode("utf-8")
    return value
