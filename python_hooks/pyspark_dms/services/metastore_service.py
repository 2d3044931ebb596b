"""The process of the Hive metastore: Hive's own classes from Spark's jars, on loopback.

``python -m pyspark_dms.services.metastore_service SETTINGS`` with SETTINGS as JSON (`Settings`).
Why not Hive's own main class: docs/decisions/0012-a-metastore-in-postgresql.md.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

PASSWORD_VARIABLE = "DMS_METASTORE_PASSWORD"
_MODEL = "org.apache.hadoop.hive.metastore.model"


@dataclass(frozen=True)
class Settings:
    """What the process is told.

    Attributes:
        port: loopback port to listen on.
        jdbc_url: the database.
        jdbc_driver: path of the driver's jar.
        user: user of the database; the password comes from the environment.
        warehouse: folder of the database ``default``.
        hadoop: what Hadoop must be told to reach it.
    """

    port: int
    jdbc_url: str
    jdbc_driver: str
    user: str
    warehouse: str
    hadoop: dict[str, str]

    def to_json(self) -> str:
        """As one argument of a command."""
        return json.dumps(asdict(self))


def serve(settings: Settings, password: str) -> None:
    """Start Java, make the tables of the metastore if there are none, and serve until the end.

    Raises:
        py4j.protocol.Py4JError: Java could not do it, or ended.
    """
    # Imported here: whoever starts this process need not have loaded Spark.
    from pyspark import SparkConf
    from pyspark.find_spark_home import _find_spark_home
    from pyspark.java_gateway import launch_gateway

    options = {
        "spark.driver.memory": "512m",
        "spark.driver.extraClassPath": settings.jdbc_driver,
    }
    launch: Any = launch_gateway  # it has no types
    gateway = launch(SparkConf().setAll(list(options.items())))
    try:
        _serve(gateway.jvm, settings, password, Path(_find_spark_home()) / "jars")
    finally:
        # Java ends with its input. Whoever waits for this process waits for Java too.
        gateway.proc.stdin.close()
        gateway.proc.wait()


def _serve(jvm: Any, settings: Settings, password: str, jars: Path) -> None:
    metastore = jvm.org.apache.hadoop.hive.metastore
    thrift = jvm.org.apache.thrift
    conf = jvm.org.apache.hadoop.hive.conf.HiveConf()
    for name, value in {
        "javax.jdo.option.ConnectionURL": settings.jdbc_url,
        "javax.jdo.option.ConnectionDriverName": "org.postgresql.Driver",
        "javax.jdo.option.ConnectionUserName": settings.user,
        "javax.jdo.option.ConnectionPassword": password,
        # The pool that Spark ships and that notices a database that was away.
        "datanucleus.connectionPoolingType": "HikariCP",
        "datanucleus.schema.autoCreateAll": "true",
        "hive.metastore.schema.verification": "false",
        "hive.metastore.warehouse.dir": settings.warehouse,
        **settings.hadoop,
    }.items():
        conf.set(name, value)

    _create_tables(jvm, conf, jars)
    handler = getattr(metastore, "HiveMetaStore$HMSHandler")("metastore", conf, False)
    retrying = metastore.HiveMetaStore.newRetryingHMSHandler(handler, conf)
    address = jvm.java.net.InetSocketAddress("127.0.0.1", settings.port)
    arguments = getattr(thrift.server, "TThreadPoolServer$Args")(
        thrift.transport.TServerSocket(address)
    )
    arguments.processor(metastore.TSetIpAddressProcessor(retrying))
    thrift.server.TThreadPoolServer(arguments).serve()


def _create_tables(jvm: Any, conf: Any, jars: Path) -> None:
    """Make every table of the metastore before anyone uses one.

    Left to itself it makes each when it is first needed, in a second connection, which PostgreSQL
    lets wait for the transaction of the first one, and so for ever.
    """
    (jar,) = jars.glob("hive-metastore-*.jar")
    with ZipFile(jar) as archive:
        names = re.findall(r'<class name="(\w+)"', archive.read("package.jdo").decode("utf-8"))
    classes = jvm.java.util.HashSet()
    for name in names:
        classes.add(f"{_MODEL}.{name}")
    store = jvm.org.apache.hadoop.hive.metastore.ObjectStore()
    store.setConf(conf)
    factory = store.getPersistenceManager().getPersistenceManagerFactory()
    manager = factory.getNucleusContext().getStoreManager()
    manager.createSchemaForClasses(classes, jvm.java.util.Properties())
    store.shutdown()


if __name__ == "__main__":
    # An exception, so that it comes to the `finally` above.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    serve(Settings(**json.loads(sys.argv[1])), os.environ[PASSWORD_VARIABLE])
