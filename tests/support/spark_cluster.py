"""A standalone Spark cluster of processes: a master, and workers that share as little as possible.

As root on Linux each worker is in namespaces of its own, like a machine of its own:

* network: it has one address on a bridge, and no way to the loopback of the driver;
* processes: when it is killed, its executors and their Python workers end in the same moment;
* mounts: the modules of the project are hidden, and ``/tmp`` is its own, so it sees neither the
  driver's folders nor what another worker writes.

It shares Spark and the Python environment with the driver, read as if installed at the same path.
Elsewhere (`is_isolated`) workers are plain processes on loopback, with an environment and folders
of their own, and nothing keeps them from the driver's folders.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.find_spark_home import _find_spark_home

from pyspark_dms.services.background import free_port
from tests.support.engines import PYTHON_HOOKS

MASTER_CLASS = "org.apache.spark.deploy.master.Master"
WORKER_CLASS = "org.apache.spark.deploy.worker.Worker"
_START_SECONDS = 90
_TMP = Path("/tmp")
# The daemons say when they are ready; they have none of the settings of the project.
_LOGGING = """
rootLogger.level = info
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1}: %m%n
"""


def can_isolate() -> bool:
    """Whether this process may make namespaces and a bridge."""
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("ip"):
        return False
    bridge = f"dmst{os.getpid()}"
    if _try("ip", "link", "add", bridge, "type", "bridge"):
        _try("ip", "link", "del", bridge)
        return _try("unshare", "--net", "--mount", "--pid", "--fork", "true")
    return False


def _try(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], capture_output=True, check=True)


@dataclass
class Worker:
    """One worker: its address, where its log is, and the process that all of it ends with."""

    number: int
    address: str
    log: Path
    process: subprocess.Popen[bytes]


@dataclass
class SparkCluster:
    """A running master and its workers.

    Attributes:
        folder: logs, and a folder for each worker.
        host: the address of this machine on the cluster; S3 servers listen there.
        port: of the master.
        is_isolated: whether workers are in namespaces of their own.
        hidden: folders that no worker may see.
    """

    folder: Path
    host: str
    port: int
    is_isolated: bool
    hidden: Sequence[Path] = ()
    workers: list[Worker] = field(default_factory=list)
    started: int = 0

    @property
    def master(self) -> str:
        """The address for ``DMS_MASTER``."""
        return f"spark://{self.host}:{self.port}"

    def start_worker(self) -> Worker:
        """Start another worker with one core, and wait until the master knows it."""
        self.started += 1
        folder = self.folder / f"worker{self.started}"
        has_own_tmp = self.is_isolated and not Path(sys.prefix).is_relative_to(_TMP)
        seen = _TMP if has_own_tmp else folder
        _prepare(folder)
        environment = _minimal(seen) | {
            "SPARK_WORKER_CORES": "1",
            "SPARK_WORKER_MEMORY": "2g",
            "SPARK_LOCAL_DIRS": str(seen / "local"),
            "SPARK_WORKER_DIR": str(seen / "work"),
        }
        address, prefix = self.host, []
        if self.is_isolated:
            address = f"{self.host.rpartition('.')[0]}.{self.started + 1}"
            prefix = self._isolated(folder, address, seen if has_own_tmp else None)
        command = [
            *prefix, f"{_find_spark_home()}/bin/spark-class", WORKER_CLASS,
            "--host", address, "--webui-port", "0", self.master,
        ]  # fmt: skip
        log = self.folder / f"worker{self.started}.log"
        process = _start(command, environment, log, folder)
        worker = Worker(self.started, address, log, process)
        self.workers.append(worker)
        _wait_for(process, log, "Successfully registered with master")
        return worker

    def _isolated(self, folder: Path, address: str, own_tmp: Path | None) -> list[str]:
        """Make the network of a worker; gives the command that starts one in it."""
        name, link = self._network(self.started), self._link(self.started)
        _ip("netns", "add", name)
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name)
        _ip("link", "set", link, "master", self._bridge, "up")
        for command in (f"addr add {address}/24 dev eth0", "link set eth0 up", "link set lo up"):
            _ip("-n", name, *command.split())
        mounts = [f'mount --bind "{folder}/nothing" "{hidden}"' for hidden in self.hidden]
        if own_tmp:
            mounts.append(f'mount --bind "{folder}" "{own_tmp}"')
        script = " && ".join([*mounts, f'cd "{own_tmp or folder}"', 'exec "$@"'])
        return [
            "ip", "netns", "exec", name,
            "unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child",
            "--mount-proc", "sh", "-c", script, "sh",
        ]  # fmt: skip

    @property
    def _bridge(self) -> str:
        return f"dmsb{os.getpid()}"

    def _network(self, number: int) -> str:
        return f"dms{os.getpid()}w{number}"

    def _link(self, number: int) -> str:
        return f"dmsw{number}x{os.getpid() % 10000}"

    def kill_worker(self, worker: Worker) -> None:
        """End a worker with SIGKILL, and with it all that it has started."""
        self.workers.remove(worker)
        _kill(worker.process)

    def stop(self) -> None:
        """End all workers, and take their networks away."""
        for worker in [*self.workers]:
            self.kill_worker(worker)
        if self.is_isolated:
            for number in range(1, self.started + 1):
                # The network of a process that is still ending would keep its link for a while.
                _try("ip", "link", "del", self._link(number))
                _try("ip", "netns", "del", self._network(number))
            _try("ip", "link", "del", self._bridge)


@contextmanager
def spark_cluster(folder: Path, workers: int = 2) -> Iterator[SparkCluster]:
    """Run a master and some workers; all is stopped at the end."""
    is_isolated = can_isolate()
    host = f"10.217.{os.getpid() % 250 + 1}.1" if is_isolated else "127.0.0.1"
    hidden = sorted({PYTHON_HOOKS, *_installed_modules()})
    cluster = SparkCluster(folder, host, free_port(), is_isolated, hidden)
    master = None
    try:
        if is_isolated:
            _ip("link", "add", cluster._bridge, "type", "bridge")
            _ip("addr", "add", f"{host}/24", "dev", cluster._bridge)
            _ip("link", "set", cluster._bridge, "up")
        _prepare(folder / "master")
        command = [
            f"{_find_spark_home()}/bin/spark-class", MASTER_CLASS,
            "--host", host, "--port", str(cluster.port), "--webui-port", "0",
        ]  # fmt: skip
        log = folder / "master.log"
        master = _start(command, _minimal(folder / "master"), log, folder / "master")
        _wait_for(master, log, "I have been elected leader")
        for _ in range(workers):
            cluster.start_worker()
        yield cluster
    finally:
        cluster.stop()
        if master:
            _kill(master)


def _installed_modules() -> list[Path]:
    """Where this Python finds the modules of the project without being told."""
    found = subprocess.run(
        [sys.executable, "-c", "import pyspark_dms; print(pyspark_dms.__path__[0])"],
        env={}, cwd="/", capture_output=True, text=True, check=False,
    )  # fmt: skip
    return [Path(found.stdout.strip()).parent] if found.returncode == 0 else []


def _prepare(folder: Path) -> None:
    for name in ("conf", "home", "local", "work", "tmp", "nothing"):
        (folder / name).mkdir(parents=True)
    (folder / "conf/log4j2.properties").write_text(_LOGGING, encoding="utf-8")


def _minimal(folder: Path) -> dict[str, str]:
    """An environment in which nothing is left of this process."""
    environment = {
        "PATH": os.pathsep.join(("/usr/sbin", "/usr/bin", "/sbin", "/bin")),
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "SPARK_HOME": _find_spark_home(),
        "SPARK_CONF_DIR": str(folder / "conf"),
        "SPARK_DAEMON_MEMORY": "256m",
    }
    if java := os.environ.get("JAVA_HOME"):
        environment["JAVA_HOME"] = java
    return environment


def _start(
    command: Sequence[str], environment: dict[str, str], log: Path, folder: Path
) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        return subprocess.Popen(
            command,
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_for(process: subprocess.Popen[bytes], log: Path, words: str) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if words in log.read_text(encoding="utf-8", errors="replace"):
            return
        time.sleep(0.1)
    raise AssertionError(log.read_text(encoding="utf-8", errors="replace")[-3000:])
