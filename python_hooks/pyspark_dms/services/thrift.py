"""A Spark Thrift server of one's own, with its lake in one folder and a metastore of its own."""

from __future__ import annotations

import ipaddress
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

from pyspark_dms.errors import DmsError
from pyspark_dms.services.background import (
    LEAVE_SECONDS,
    STOP_SECONDS,
    Background,
    RunningServer,
    port_is_left,
    port_is_taken,
    python_environment,
)
from pyspark_dms.services.cluster import driver_host
from pyspark_dms.services.metastore import Metastore
from pyspark_dms.services.missing_class import write_missing_class
from pyspark_dms.services.s3_lake import (
    check_folder,
    is_on_s3,
    local_folder,
    spark_settings,
    take_folder,
)

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 10000
START_SECONDS = 180.0
HIVE_SITE = "hive-site.xml"
MAIN_CLASS = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
# Where the tables of a server are, below a lake on S3.
_WAREHOUSE = "/thrift/warehouse"
_FAIR_SCHEDULER = Path(__file__).with_name("fair_scheduler.xml")
# Ways to log in that Spark's server has, and the setting that each cannot do without.
_AUTHENTICATIONS = {
    "LDAP": "hive.server2.authentication.ldap.url",
    "CUSTOM": "hive.server2.custom.authentication.class",
    "PAM": "hive.server2.authentication.pam.services",
    "KERBEROS": "hive.server2.authentication.kerberos.keytab",
}

MetastoreKind = Literal["postgres", "derby"]


@dataclass(frozen=True)
class ThriftServer:
    """The Spark Thrift server of the installed pyspark.

    Attributes:
        lake: the lake; the server's warehouse, metastore, logs and pid files are in ``thrift/``
            below it, apart from those of the embedded session, whose metastore is locked by it.
        port: TCP port to listen on.
        host: the address to listen on; only with a login one that others can reach.
        settings: further Spark settings.
        metastore: ``postgres`` is a Hive metastore on a PostgreSQL of its own, ``derby`` an
            embedded one for trials; None is what this lake has, and else ``postgres``.
        hive_conf: a folder with a ``hive-site.xml`` that says how to log in, and about TLS.
        warehouse: where tables are, if that is a folder on S3; else it is beside the rest.
    """

    lake: Path
    port: int = DEFAULT_PORT
    host: str = DEFAULT_HOST
    settings: Mapping[str, str] | None = None
    metastore: MetastoreKind | None = None
    hive_conf: Path | None = None
    warehouse: str | None = None

    @classmethod
    def of_lake(cls, lake: str, port: int = DEFAULT_PORT, **rest: Any) -> ThriftServer:
        """The server of a lake that is a local folder, or one on S3.

        Raises:
            DmsError: the lake is in another store, or another lake uses its local folder.
        """
        if "://" in lake and not is_on_s3(lake):
            raise DmsError(
                "E683",
                f"The lake {lake} is neither a local folder nor on S3, where a server of one's own "
                "can have its tables. Name another one with --lake.",
            )
        warehouse = f"{lake.rstrip('/')}{_WAREHOUSE}" if is_on_s3(lake) else None
        if warehouse:
            check_folder(local_folder(lake).absolute(), lake)
        return cls(local_folder(lake), port, warehouse=warehouse, **rest)

    @property
    def folder(self) -> Path:
        """Everything the server keeps."""
        return self.lake.absolute() / "thrift"

    @property
    def log_file(self) -> Path:
        """What the server prints; written again at each start."""
        return self._process.log_file

    @property
    def pid_file(self) -> Path:
        """JSON with the process id and the port."""
        return self._process.pid_file

    @property
    def hive_metastore(self) -> Metastore:
        """The metastore in PostgreSQL, whether or not this lake has it."""
        return Metastore(self.folder, self._warehouse)

    def running(self) -> RunningServer | None:
        """The server that was started in this lake, if its process is alive."""
        return self._process.running()

    def answers(self) -> bool:
        """Whether a session can be opened and a statement run; with a login: whether it listens."""
        # Imported here: the commands that do not connect need not wait for it.
        from pyhive import hive

        if not port_is_taken(self.host, self.port):
            return False
        if self.hive_conf:
            # Users and passwords are not this program's business.
            return True
        try:
            connection = hive.connect(host=self.host, port=self.port, username="dbt")
            try:
                cursor = connection.cursor()
                cursor.execute("select 1")
                return [tuple(row) for row in cursor.fetchall()] == [(1,)]
            finally:
                connection.close()
        except Exception:
            # Whatever goes wrong while it starts means the same: it does not answer yet.
            return False

    def start(self, timeout_seconds: float = START_SECONDS) -> bool:
        """Start the server and wait until it answers; False if it was running already.

        A metastore that is not there any more is started again in either case.

        Raises:
            DmsError: others could come in without a login, the local folder is that of another
                lake or cannot be written, the port is taken, something is not installed, or the
                server did not start in time; the text has the end of its log.
        """
        _require_login(self.host, self.hive_conf)
        if self.warehouse:
            take_folder(self.lake.absolute(), self.warehouse.removesuffix(_WAREHOUSE))
        running = self.running()
        if running is None:
            self._require_port()
        elif running.port != self.port:
            raise DmsError(
                "E682",
                f"A server of this lake already runs on port {running.port} (process "
                f"{running.pid}). Use that port, or stop it first.",
            )
        metastore = self._metastore_settings()
        deadline = time.monotonic() + timeout_seconds
        if running is not None:
            if self._process.lasts_until(self.answers, timeout_seconds):
                return False
            # It had been killed a moment ago, and was not gone yet.
            self._require_port()
        self._launch(metastore)
        self._process.wait_until(self.answers, deadline - time.monotonic())
        return True

    def stop(self, timeout_seconds: float = STOP_SECONDS) -> bool:
        """End the server and its metastore, and wait for that; False if no server was running.

        Raises:
            DmsError: it did not end in time, so it was killed; nothing published is harmed.
        """
        try:
            return self._process.stop(timeout_seconds)
        finally:
            self.hive_metastore.stop()

    @property
    def _warehouse(self) -> str:
        return self.warehouse or str(self.folder / "warehouse")

    @property
    def _process(self) -> Background:
        return Background(self.folder, "server", "The server", MAIN_CLASS)

    @property
    def _classes(self) -> Path:
        return self.folder / "classes"

    @property
    def _derby(self) -> Path:
        return self.folder / "metastore"

    def _require_port(self) -> None:
        noted = self._process.noted()
        may_be_leaving = noted is not None and noted.port == self.port
        if not port_is_left(self.host, self.port, LEAVE_SECONDS if may_be_leaving else 0):
            raise DmsError(
                "E680",
                f"Port {self.port} on {self.host} is taken by another program. Stop it, or "
                "choose a port with --port and for dbt with DMS_THRIFT_PORT.",
            )

    def _metastore_settings(self) -> dict[str, str]:
        """Spark's settings for the metastore, which is started if it does not run."""
        existing: MetastoreKind | None = (
            "postgres"
            if self.hive_metastore.database.exists()
            else "derby"
            if self._derby.is_dir()
            else None
        )
        if existing and self.metastore not in (None, existing):
            raise DmsError(
                "E707",
                f"The tables of {self.folder} are in a metastore of the kind {existing}, not "
                f"{self.metastore}, which would know none of them. Leave --metastore out, or "
                "choose another lake with --lake.",
            )
        if (self.metastore or existing or "postgres") == "postgres":
            return {"spark.hadoop.hive.metastore.uris": self.hive_metastore.start()}
        return {
            "spark.hadoop.javax.jdo.option.ConnectionURL": (
                f"jdbc:derby:;databaseName={self._derby};create=true"
            )
        }

    def _launch(self, metastore: Mapping[str, str]) -> None:
        # Spark's home is where pyspark is installed, unless SPARK_HOME says otherwise.
        from pyspark.find_spark_home import _find_spark_home

        write_missing_class(self._classes)
        command = self._command(Path(_find_spark_home()), metastore)
        self._process.launch(command, self.port, self._environment())

    def _command(self, spark_home: Path, metastore: Mapping[str, str]) -> list[str]:
        jars = spark_home.absolute() / "jars"
        master = os.environ.get("DMS_MASTER", "local[*]")
        address = _driver_host(master)
        settings = {
            "spark.app.name": "DMS snapshots",
            "spark.master": master,
            "spark.driver.memory": os.environ.get("DMS_DRIVER_MEMORY", "4g"),
            "spark.driver.host": address,
            "spark.driver.bindAddress": address,
            **metastore,
            # All sessions share one connection to the metastore. Each that is of another user than
            # the one before, and each that ends, would close it; a session that opens it at that
            # moment can leave the server without any until it is started again.
            "spark.hadoop.hive.server2.enable.doAs": "false",
            "spark.sql.hive.metastore.jars": "path",
            "spark.sql.hive.metastore.jars.path": f"{jars.as_uri()}/*.jar",
            # Many dbt threads and readers at once: a short statement does not wait for a long one.
            "spark.scheduler.mode": "FAIR",
            "spark.scheduler.allocation.file": _FAIR_SCHEDULER.as_uri(),
            "spark.sql.hive.metastorePartitionPruningFallbackOnException": "true",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": os.environ.get("DMS_SHUFFLE_PARTITIONS", "16"),
            # Names come from outside: ${env:…} in one must not become what it stands for.
            "spark.sql.variable.substitute": "false",
            "spark.sql.warehouse.dir": self._warehouse,
            "spark.ui.enabled": os.environ.get("DMS_SPARK_UI", "false"),
            "spark.driver.extraClassPath": os.pathsep.join(
                str(folder.absolute()) for folder in (self._classes, self.hive_conf) if folder
            ),
            **spark_settings(os.environ),
            **(self.settings or {}),
        }
        command = [str(spark_home / "bin" / "spark-submit"), "--class", MAIN_CLASS]
        for name, value in settings.items():
            command += ["--conf", f"{name}={value}"]
        return [
            *command,
            "spark-internal",
            *("--hiveconf", f"hive.server2.thrift.bind.host={self.host}"),
            *("--hiveconf", f"hive.server2.thrift.port={self.port}"),
        ]

    def _environment(self) -> dict[str, str]:
        # The data sources run in Python workers: this interpreter, with these modules.
        return {
            **python_environment(),
            # Spark's start script looks at it.
            "DMS_LAKE": self.warehouse or str(self.lake),
            "DMS_SERVER": "true",
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
        }


def _driver_host(master: str) -> str:
    """Where executors find the server: on loopback, if they are on this machine."""
    if address := os.environ.get("DMS_DRIVER_HOST"):
        return address
    return driver_host(master) if master.startswith("spark://") else DEFAULT_HOST


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _hive_settings(folder: Path) -> dict[str, str]:
    """The settings of the ``hive-site.xml`` of a folder."""
    path = folder / HIVE_SITE
    if not path.is_file():
        raise DmsError(
            "E684", f"{folder} has no {HIVE_SITE}. Put one there, or leave --hive-conf out."
        )
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise DmsError("E684", f"{path} is no XML: {error}") from error
    return {
        entry.findtext("name", "").strip(): entry.findtext("value", "").strip()
        for entry in root.iter("property")
    }


def _require_login(host: str, hive_conf: Path | None) -> None:
    """Refuse what would let others in without a login."""
    wanted = "hive.server2.authentication"
    settings = _hive_settings(hive_conf) if hive_conf else {}
    if _is_loopback(host):
        return
    chosen = settings.get(wanted, "NONE").upper()
    if chosen not in _AUTHENTICATIONS:
        raise DmsError(
            "E685",
            f"host {host} is not a loopback address, and whoever reaches it would need no "
            f"password ({wanted} is {chosen}). Name with --hive-conf a folder with a {HIVE_SITE} "
            f"that sets it to {', '.join(_AUTHENTICATIONS)} (docs/how-to/thrift.md), or listen on "
            f"{DEFAULT_HOST}, ::1 or localhost, which an SSH tunnel reaches from elsewhere.",
        )
    if not settings.get(needed := _AUTHENTICATIONS[chosen]):
        raise DmsError(
            "E685", f"{hive_conf}/{HIVE_SITE} sets {wanted} to {chosen}, but not {needed}."
        )


def default_lake() -> str:
    """The lake that the environment names: DMS_LAKE, or ``lake`` in the current folder."""
    return os.environ.get("DMS_LAKE", "lake")
