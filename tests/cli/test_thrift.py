"""The Thrift server of one's own: start, stop, status, and what becomes of it when it is killed."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pyhive import hive

from pyspark_dms.cli import main
from pyspark_dms.errors import DmsError
from pyspark_dms.services import metastore_service, postgres
from pyspark_dms.services.background import Background, free_port, port_is_taken
from pyspark_dms.services.metastore import Metastore
from pyspark_dms.services.thrift import HIVE_SITE, MAIN_CLASS, ThriftServer
from tests.support.engines import ThriftEngine
from tests.support.project import Project


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ThriftServer]:
    """A server in a lake of its own; started by nobody yet, stopped in the end."""
    monkeypatch.setenv("DMS_DRIVER_MEMORY", "1g")
    server = ThriftServer(tmp_path / "lake", free_port())
    yield server
    server.stop()


def thrift(server: ThriftServer, command: str) -> Result:
    options = ["--lake", str(server.lake)]
    if command == "start":
        options += ["--port", str(server.port)]
    return CliRunner().invoke(main, ["thrift", command, *options])


def addresses_of(pid: int) -> set[str]:
    """The local addresses on which a process listens (Linux), in the kernel's hexadecimal."""
    sockets = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed by now
            sockets.add(str(entry.readlink()))
    return {
        fields[1].split(":")[0]
        for fields in tcp_sockets(pid)
        if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets
    }


def tcp_sockets(pid: int) -> list[list[str]]:
    """The fields of each socket that a process can see (Linux)."""
    tables = [Path(f"/proc/{pid}/net/{table}").read_text() for table in ("tcp", "tcp6")]
    return [line.split() for table in tables for line in table.splitlines()[1:]]


def pids_of(server: ThriftServer) -> dict[str, int]:
    """The processes that a running server consists of."""
    running = server.running()
    metastore = server.hive_metastore.running()
    assert running is not None
    assert metastore is not None
    (service_java,) = children_of(metastore.pid)
    database = server.hive_metastore.database.pid()
    return {
        "server": running.pid,
        "metastore": metastore.pid,
        "its java": service_java,
        "database": database,
    }


def children_of(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid: int) -> bool:
    process = Path(f"/proc/{pid}")
    try:
        # Of a process that was killed, the first thread is gone before the others and the sockets.
        others = list((process / "task").iterdir())[1:]
        return bool(others) or (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_it_starts_once_answers_on_loopback_only_and_stops(server: ThriftServer) -> None:
    first = thrift(server, "start")
    assert first.exit_code == 0, first.output
    assert f"Started: jdbc:hive2://127.0.0.1:{server.port}" in first.output
    assert "dbt run --target thrift" in first.output
    running = server.running()
    assert running is not None
    assert server.answers()

    assert "Already running" in thrift(server, "start").output
    assert server.running() == running
    status = thrift(server, "status")
    assert (status.exit_code, f"process {running.pid}" in status.output) == (0, True)
    loopback = {"0100007F", "0000000000000000FFFF00000100007F"}
    pids = pids_of(server)
    for name, pid in pids.items():
        listening = addresses_of(pid)
        assert listening <= loopback, name
        assert listening or name == "metastore"

    with pytest.raises(DmsError, match="of the kind postgres, not derby"):
        ThriftServer(server.lake, server.port, metastore="derby").start()

    assert thrift(server, "stop").output == "Stopped.\n"
    assert server.running() is None
    assert not any(is_alive(pid) for pid in pids.values())
    assert thrift(server, "status").exit_code == 1
    assert "No server" in thrift(server, "stop").output


def query(server: ThriftServer, sql: str) -> list[tuple[object, ...]]:
    return ThriftEngine(server).query(sql)


def run(server: ThriftServer, sql: str) -> None:
    with contextlib.closing(ThriftEngine(server).connect()) as connection:
        connection.cursor().execute(sql)


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    while is_alive(pid):
        time.sleep(0.05)


def dbt_show(project: Project, sql: str) -> "subprocess.Popen[str]":
    command = [str(Path(sys.executable).with_name("dbt")), "show", "--inline", sql]
    return subprocess.Popen(
        [*command, *project.dbt_options],
        env={**os.environ, **project.environment_variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def outcome(process: "subprocess.Popen[str]") -> tuple[int, str]:
    printed, _ = process.communicate(timeout=120)
    return process.returncode, printed


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.thorough
def test_a_start_that_is_interrupted_leaves_no_second_metastore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metastore = Metastore(tmp_path, str(tmp_path / "warehouse"))
    begin = subprocess.Popen

    def begin_and_interrupt(command: list[str], **options: Any) -> "subprocess.Popen[str]":
        process = begin(command, **options)
        if metastore_service.__name__ in command:
            interrupt()
        return process

    try:
        with monkeypatch.context() as changed:
            changed.setattr(subprocess, "Popen", begin_and_interrupt)
            with pytest.raises(KeyboardInterrupt):
                metastore.start()
        while (left := metastore.running()) is None:
            time.sleep(0.05)
        assert metastore.start() == f"thrift://127.0.0.1:{left.port}"
        running = metastore.running()
        assert running is not None
        assert processes_with(metastore_service.__name__, str(tmp_path)) == [running.pid]
    finally:
        metastore.stop()


def processes_with(*words: str) -> list[int]:
    """The processes that have some words in their commands."""
    found = []
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if all(word in command.read_text(errors="replace") for word in words):
                found.append(int(command.parent.name))
    return found


@pytest.mark.thorough
def test_a_killed_part_starts_again_with_the_tables_and_dbt_says_what_was_away(
    server: ThriftServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(tmp_path / "away", ThriftEngine(server))
    server.start()
    run(server, "create table kept using parquet as select 7 as number")
    # The server goes on with a metastore that had to be started again, at the same address.
    for part in ("metastore", "its java", "database"):
        kill(pids_of(server)[part])
        if part == "database":
            with monkeypatch.context() as changed:
                changed.setattr(postgres.Postgres, "start", interrupt)
                with pytest.raises(KeyboardInterrupt):
                    server.start()
        assert not server.start()
        assert query(server, "select number from kept") == [(7,)], part
        run(server, f"create table after_{part.replace(' ', '_')} (id int) using parquet")

    running = server.running()
    assert running is not None
    dying = dbt_show(
        project,
        "select java_method('java.lang.System', 'setProperty', 'dbt', 'is at work'),"
        " java_method('java.lang.Thread', 'sleep', 60000 + id) from range(1)",
    )
    at_work = "select java_method('java.lang.System', 'getProperty', 'dbt', '')"
    while query(server, at_work) != [("is at work",)]:
        assert dying.poll() is None, outcome(dying)
    kill(running.pid)
    code, printed = outcome(dying)
    assert code
    assert "TSocket read 0 bytes" in printed
    assert thrift(server, "status").exit_code == 1
    code, printed = outcome(dbt_show(project, "select 1"))
    assert code
    assert f"Could not connect to any of [('127.0.0.1', {server.port})]" in printed

    # One that was killed a moment ago is still there, and ends while its answer is waited for.
    launch_instead_of(server, LEAVING)
    assert server.running() is not None
    assert server.start()
    assert query(server, "select number from kept") == [(7,)]
    # The data sources of the project run in its Python workers.
    gone = str(tmp_path / "gone")
    folders = json.dumps([{"location": gone}])
    with contextlib.closing(ThriftEngine(server).connect()) as connection:
        cursor = connection.cursor()
        cursor.execute(
            "create temporary view missing (folder string, changed_files string)"
            f" using dms_folders options (folders '{folders}')"
        )
        cursor.execute("select folder from missing")
        assert cursor.fetchall() == [(gone,)]


# Ends when it is first asked something; what holds its port is asked twice more before it goes.
LEAVING = """
import os, socket, sys, time
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
listener.settimeout(60)
listener.accept()
process = os.getpid()
if os.fork() == 0:
    while os.getppid() == process:
        time.sleep(0.01)
    for _ in range(2):
        listener.accept()
"""


def launch_instead_of(server: ThriftServer, program: str) -> None:
    """Run a Python program that is taken for the server."""
    process = Background(server.folder, "server", "The server", MAIN_CLASS)
    command = [sys.executable, "-c", program, str(server.port), MAIN_CLASS]
    process.launch(command, server.port, os.environ)


@pytest.mark.parametrize("is_gone", [False, True], ids=["there", "gone"])
def test_a_start_waits_until_a_server_that_was_killed_has_left_its_port(
    is_gone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = ThriftServer(tmp_path, free_port(), metastore="derby")
    launch_instead_of(server, LEAVING)
    if is_gone:
        while not port_is_taken(server.host, server.port):
            time.sleep(0.05)
        while server.running() is not None:
            time.sleep(0.05)
    taken = []

    def launch(_: Background, command: Sequence[str], port: int, *__: object) -> None:
        taken.append(port_is_taken(server.host, port))
        interrupt()

    monkeypatch.setattr(Background, "launch", launch)
    with pytest.raises(KeyboardInterrupt):
        server.start()
    assert taken == [False]


# Its first thread ends when it is asked to, the other one a moment later, as those of Java do.
LINGERING = """
import ctypes, os, signal, threading, time
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
asked = threading.Event()
threading.Thread(target=lambda: asked.wait() and time.sleep(1) or os._exit(0)).start()
signal.sigwait({signal.SIGTERM})
asked.set()
ctypes.CDLL(None).pthread_exit(None)
"""


def test_a_stop_waits_for_every_thread_of_the_server(tmp_path: Path) -> None:
    server = ThriftServer(tmp_path, free_port())
    launch_instead_of(server, LINGERING)
    running = server.running()
    assert running is not None
    while len(list(Path(f"/proc/{running.pid}/task").iterdir())) < 2:
        time.sleep(0.05)
    assert server.stop()
    assert not is_alive(running.pid)


def connections_to(port: int) -> set[int]:
    """The ports from which connections to a port of this machine are open."""
    return {
        int(local.split(":")[1], 16)
        for _, local, remote, state, *_ in tcp_sockets(os.getpid())
        if state == "01" and int(remote.split(":")[1], 16) == port
    }


@pytest.mark.thorough
def test_no_session_closes_the_connection_to_the_metastore_of_the_others(
    server: ThriftServer,
) -> None:
    server.start()
    port = int(server.hive_metastore.start().rsplit(":", 1)[1])
    with contextlib.closing(ThriftEngine(server).connect()) as stays:
        with contextlib.closing(stays.cursor()) as cursor:
            cursor.execute("show databases")
        (connection,) = connections_to(port)
        for user in ("Ann", "Bob"):
            with contextlib.closing(hive.connect("127.0.0.1", server.port, user)) as other:
                cursor = other.cursor()
                cursor.execute("show databases")
                assert cursor.fetchall()
            assert connections_to(port) == {connection}
        with contextlib.closing(stays.cursor()) as cursor:
            cursor.execute("show databases")
        assert connections_to(port) == {connection}


def write_hive_site(folder: Path, settings: Mapping[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    properties = "".join(
        f"<property><name>{name}</name><value>{value}</value></property>"
        for name, value in settings.items()
    )
    (folder / HIVE_SITE).write_text(f"<configuration>{properties}</configuration>")
    return folder


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.test", "::"])
def test_an_address_that_others_can_reach_is_refused_without_a_login(
    host: str, tmp_path: Path
) -> None:
    with pytest.raises(DmsError, match=r"not a loopback address.*--hive-conf"):
        ThriftServer(tmp_path, 10000, host).start()
    open_to_all = write_hive_site(tmp_path / "none", {"hive.server2.authentication": "NONE"})
    with pytest.raises(DmsError, match=r"hive\.server2\.authentication is NONE"):
        ThriftServer(tmp_path, 10000, host, hive_conf=open_to_all).start()
    half = write_hive_site(tmp_path / "half", {"hive.server2.authentication": "LDAP"})
    with pytest.raises(DmsError, match=r"but not hive\.server2\.authentication\.ldap\.url"):
        ThriftServer(tmp_path, 10000, host, hive_conf=half).start()


def test_a_hive_conf_without_its_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DmsError, match=f"has no {HIVE_SITE}"):
        ThriftServer(tmp_path, 10000, hive_conf=tmp_path).start()
    (tmp_path / HIVE_SITE).write_text("hive.server2.authentication=LDAP")
    with pytest.raises(DmsError, match=f"{HIVE_SITE} is no XML"):
        ThriftServer(tmp_path, 10000, hive_conf=tmp_path).start()


def test_a_server_can_be_looked_at_and_stopped_when_its_hive_conf_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = ThriftServer(tmp_path, free_port())
    launch_instead_of(server, "import signal; signal.pause()")
    monkeypatch.setenv("DMS_THRIFT_HIVE_CONF", str(tmp_path / "gone"))
    try:
        status = thrift(server, "status").output
        assert f"it does not answer: jdbc:hive2://127.0.0.1:{server.port}" in status
        assert thrift(server, "stop").output == "Stopped.\n"
    finally:
        server.stop()


def test_without_postgresql_or_its_driver_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = ThriftServer(tmp_path, free_port())
    with monkeypatch.context() as changed:
        changed.setenv("DMS_POSTGRES_JAR", "/nowhere.jar")
        with pytest.raises(DmsError, match=r"not in /nowhere.jar.*libpostgresql-jdbc-java"):
            server.start()
    monkeypatch.setattr(postgres, "_DEBIAN_FOLDER", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DmsError, match=r"PostgreSQL is not installed.*--metastore derby"):
        server.start()


def test_postgresql_takes_another_port_if_its_first_is_taken_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = postgres.Postgres(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        ports = iter([other.getsockname()[1], free := free_port()])
        monkeypatch.setattr(postgres, "free_port", lambda: next(ports))
        try:
            database.start()
            assert database.port() == free
        finally:
            database.stop()


def test_a_port_that_is_taken_is_refused_by_number(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(DmsError, match=f"Port {port} .* is taken"):
            ThriftServer(tmp_path, port).start()
    assert not (tmp_path / "thrift").exists()


def test_a_server_that_cannot_start_shows_the_end_of_its_log(tmp_path: Path) -> None:
    server = ThriftServer(
        tmp_path, free_port(), metastore="derby", settings={"spark.driver.memory": "1k"}
    )
    with pytest.raises(DmsError, match=r"ended while it started[\s\S]*server.log"):
        server.start()


def test_an_old_pid_file_that_points_at_another_process_is_not_believed(tmp_path: Path) -> None:
    server = ThriftServer(tmp_path, free_port())
    server.folder.mkdir(parents=True)
    server.pid_file.write_text(f'{{"pid": {os.getpid()}, "port": {server.port}}}')
    assert server.running() is None
    assert not server.stop()


def test_a_lake_in_a_store_other_than_s3_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DMS_LAKE", "gs://bucket/lake")
    result = CliRunner().invoke(main, ["thrift", "status"])
    assert result.exit_code == 1
    assert "--lake" in result.output
