"""A Spark Thrift server of one's own, on loopback, with its lake in one folder."""

from __future__ import annotations

import ipaddress
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pyspark_dms.errors import DmsError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 10000
START_SECONDS = 180.0
STOP_SECONDS = 60.0
_MAIN_CLASS = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
_PYTHON_HOOKS = Path(__file__).resolve().parent.parent
_LOG_LINES_SHOWN = 15


@dataclass(frozen=True)
class RunningServer:
    """The process that a pid file tells of, and the port it was started on."""

    pid: int
    port: int


@dataclass(frozen=True)
class ThriftServer:
    """The Spark Thrift server of the installed pyspark.

    It has no authentication, so it is never reachable from another machine.

    Attributes:
        lake: the lake; the server's warehouse, metastore, log and pid file are in ``thrift/``
            below it, apart from those of the embedded session, whose metastore is locked by it.
        port: TCP port to listen on.
        host: a loopback address.
        settings: further Spark settings.
    """

    lake: Path
    port: int = DEFAULT_PORT
    host: str = DEFAULT_HOST
    settings: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        """Refuse an address that others can reach."""
        if not _is_loopback(self.host):
            raise DmsError(
                f"host {self.host} is not a loopback address. The server has no authentication: "
                f"allowed are {DEFAULT_HOST}, ::1 and localhost. From elsewhere, use an SSH tunnel."
            )

    @property
    def folder(self) -> Path:
        """Everything the server keeps."""
        return self.lake.absolute() / "thrift"

    @property
    def log_file(self) -> Path:
        """What the server prints; written anew at each start."""
        return self.folder / "server.log"

    @property
    def pid_file(self) -> Path:
        """JSON with the process id and the port."""
        return self.folder / "server.json"

    def running(self) -> RunningServer | None:
        """The server that was started in this lake, if its process is alive."""
        try:
            noted = json.loads(self.pid_file.read_text(encoding="utf-8"))
            server = RunningServer(int(noted["pid"]), int(noted["port"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None
        return server if _is_our_process(server.pid) else None

    def answers(self) -> bool:
        """Whether a session can be opened and a statement run."""
        # Imported here: the commands that do not connect need not wait for it.
        from pyhive import hive

        if not self._port_is_taken():
            return False
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

        Raises:
            DmsError: the port is taken, or the server did not start in time; the text has the
                end of its log.
        """
        running = self.running()
        if running is not None and running.port != self.port:
            raise DmsError(
                f"A server of this lake already runs on port {running.port} (process "
                f"{running.pid}). Use that port, or stop it first."
            )
        if running is None:
            if self._port_is_taken():
                raise DmsError(
                    f"Port {self.port} on {self.host} is taken by another program. Stop it, or "
                    "choose a port with --port and for dbt with DMS_THRIFT_PORT."
                )
            self._launch()
        self._wait_until_it_answers(timeout_seconds)
        return running is None

    def stop(self, timeout_seconds: float = STOP_SECONDS) -> bool:
        """End the server and wait until it is gone; False if none was running.

        Raises:
            DmsError: it did not end in time, so it was killed; nothing published is harmed.
        """
        running = self.running()
        if running is None:
            self.pid_file.unlink(missing_ok=True)
            return False
        os.kill(running.pid, signal.SIGTERM)
        ended = _wait_for_end(running.pid, timeout_seconds)
        if not ended:
            os.kill(running.pid, signal.SIGKILL)
            _wait_for_end(running.pid, timeout_seconds)
        self.pid_file.unlink(missing_ok=True)
        if not ended:
            raise DmsError(
                f"The server did not end within {timeout_seconds:g} s and was killed (process "
                f"{running.pid}). What was published is untouched; the next run repairs the rest."
            )
        return True

    def _launch(self) -> None:
        # Spark's home is where pyspark is installed, unless SPARK_HOME says otherwise.
        from pyspark.find_spark_home import _find_spark_home

        self.folder.mkdir(parents=True, exist_ok=True)
        with self.log_file.open("wb") as log:
            process = subprocess.Popen(
                self._command(Path(_find_spark_home())),
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # It outlives this command, and Ctrl-C in the terminal is not meant for it.
                start_new_session=True,
            )
        noted = {"pid": process.pid, "port": self.port}
        self.pid_file.write_text(json.dumps(noted), encoding="utf-8")

    def _command(self, spark_home: Path) -> list[str]:
        settings = {
            "spark.app.name": "DMS snapshots",
            "spark.master": os.environ.get("DMS_MASTER", "local[*]"),
            "spark.driver.memory": os.environ.get("DMS_DRIVER_MEMORY", "4g"),
            "spark.driver.host": DEFAULT_HOST,
            "spark.driver.bindAddress": DEFAULT_HOST,
            "spark.driver.extraJavaOptions": (
                f'"-Dderby.stream.error.file={self.folder / "derby.log"}"'
            ),
            "spark.hadoop.javax.jdo.option.ConnectionURL": (
                f"jdbc:derby:;databaseName={self.folder / 'metastore'};create=true"
            ),
            "spark.scheduler.mode": "FAIR",
            "spark.sql.hive.metastorePartitionPruningFallbackOnException": "true",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": os.environ.get("DMS_SHUFFLE_PARTITIONS", "16"),
            "spark.sql.sources.partitionOverwriteMode": "DYNAMIC",
            # Names come from outside: ${env:…} in one must not become what it stands for.
            "spark.sql.variable.substitute": "false",
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            "spark.ui.enabled": os.environ.get("DMS_SPARK_UI", "false"),
            **(self.settings or {}),
        }
        command = [str(spark_home / "bin" / "spark-submit"), "--class", _MAIN_CLASS]
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
        paths = [str(_PYTHON_HOOKS), os.environ.get("PYTHONPATH", "")]
        return {
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }

    def _port_is_taken(self) -> bool:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        with socket.socket(family) as probe:
            probe.settimeout(5)
            return probe.connect_ex((self.host, self.port)) == 0

    def _wait_until_it_answers(self, timeout_seconds: float) -> None:
        deadline = time.monotonic() + timeout_seconds
        while not self.answers():
            if self.running() is None:
                raise DmsError(f"The server ended while it started.\n{self._log_tail()}")
            if time.monotonic() > deadline:
                raise DmsError(
                    f"The server does not answer after {timeout_seconds:g} s; it is left running."
                    f"\n{self._log_tail()}"
                )
            time.sleep(0.3)

    def _log_tail(self) -> str:
        lines = self.log_file.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join([f"The end of {self.log_file}:", *lines[-_LOG_LINES_SHOWN:]])


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_our_process(pid: int) -> bool:
    """Whether the process is alive and, where that can be told, a Thrift server.

    A process id is used again by the system, so an old pid file may point at anything.
    """
    _reap(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return False
    process = Path(f"/proc/{pid}")
    try:
        command = (process / "cmdline").read_bytes()
        # The state stands behind the name, which is in brackets and may hold anything.
        is_zombie = (process / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        # It ended just now, or this system has no /proc.
        return not process.parent.joinpath("self").exists()
    # Between two programs, as the start scripts hand over to Java, there is no command.
    return not is_zombie and (not command or _MAIN_CLASS.encode() in command)


def _wait_for_end(pid: int, timeout_seconds: float) -> bool:
    deadline = time.monotonic() + timeout_seconds
    while _is_our_process(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def _reap(pid: int) -> None:
    # A child that has ended stays a zombie, and so "alive", until its parent asks.
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return


def default_lake() -> Path:
    """The lake that the environment names: DMS_LAKE, or ``lake`` in the current folder.

    Raises:
        DmsError: it is no local folder.
    """
    lake = os.environ.get("DMS_LAKE", "lake")
    if "://" in lake:
        raise DmsError(
            f"DMS_LAKE is {lake}; a server of one's own keeps its metastore in a local folder. "
            "Name one with --lake."
        )
    return Path(lake)
