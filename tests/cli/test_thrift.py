"""The Thrift server of one's own: start, stop, status, and what becomes of it when it is killed."""

import contextlib
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pyspark_dms.cli import main
from pyspark_dms.errors import DmsError
from pyspark_dms.thrift import ThriftServer


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ThriftServer]:
    """A server in a lake of its own; started by nobody yet, stopped in the end."""
    monkeypatch.setenv("DMS_DRIVER_MEMORY", "1g")
    server = ThriftServer(tmp_path / "lake", free_port())
    yield server
    server.stop()


def thrift(server: ThriftServer, *arguments: str) -> Result:
    options = ["--lake", str(server.lake), "--port", str(server.port)]
    return CliRunner().invoke(main, ["thrift", *arguments, *options])


def addresses_of(pid: int) -> set[str]:
    """The local addresses on which a process listens (Linux), in the kernel's hexadecimal."""
    sockets = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed by now
            sockets.add(str(entry.readlink()))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                found.add(fields[1].split(":")[0])
    return found


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
    assert addresses_of(running.pid) <= loopback

    assert thrift(server, "stop").output == "Stopped.\n"
    assert server.running() is None
    assert thrift(server, "status").exit_code == 1
    assert "No server" in thrift(server, "stop").output


def test_a_killed_server_is_noticed_and_starts_again_with_its_tables(
    server: ThriftServer,
) -> None:
    from pyhive import hive

    def query(sql: str) -> list[tuple[object, ...]]:
        connection = hive.connect(host=server.host, port=server.port, username="test")
        try:
            cursor = connection.cursor()
            cursor.execute(sql)
            return [tuple(row) for row in cursor.fetchall()] if cursor.description else []
        finally:
            connection.close()

    server.start()
    query("create table kept using parquet as select 7 as number")
    running = server.running()
    assert running is not None
    os.kill(running.pid, signal.SIGKILL)
    os.waitpid(running.pid, 0)
    assert thrift(server, "status").exit_code == 1

    assert server.start()
    assert query("select number from kept") == [(7,)]
    # The data sources of the project run in its Python workers.
    query("create temporary view listed (path string) using dms_files options (tables '[]')")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.test", "::"])
def test_an_address_that_others_can_reach_is_refused(host: str, tmp_path: Path) -> None:
    with pytest.raises(DmsError, match="not a loopback address"):
        ThriftServer(tmp_path, 10000, host)


def test_a_port_that_is_taken_is_refused_by_number(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(DmsError, match=f"Port {port} .* is taken"):
            ThriftServer(tmp_path, port).start()
    assert not (tmp_path / "thrift").exists()


def test_a_server_that_cannot_start_shows_the_end_of_its_log(tmp_path: Path) -> None:
    server = ThriftServer(tmp_path, free_port(), settings={"spark.driver.memory": "1k"})
    with pytest.raises(DmsError, match=r"ended while it started[\s\S]*server.log"):
        server.start()


def test_an_old_pid_file_that_points_at_another_process_is_not_believed(tmp_path: Path) -> None:
    server = ThriftServer(tmp_path, free_port())
    server.folder.mkdir(parents=True)
    server.pid_file.write_text(f'{{"pid": {os.getpid()}, "port": {server.port}}}')
    assert server.running() is None
    assert not server.stop()


def test_a_lake_that_is_no_folder_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DMS_LAKE", "s3://bucket/lake")
    result = CliRunner().invoke(main, ["thrift", "status"])
    assert result.exit_code == 1
    assert "--lake" in result.output
