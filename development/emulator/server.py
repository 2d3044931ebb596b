"""A private MariaDB server in one directory, on a free loopback port, and how to reach a server."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import pymysql
from pymysql.constants import CLIENT

from development.emulator.errors import EmulatorError
from pyspark_dms.services.background import free_port

# PyMySQL has no type information.
Connection: TypeAlias = Any

# Debian keeps the server here, outside the PATH of ordinary users.
SERVER_FOLDERS = "/usr/sbin:/usr/local/sbin:/usr/libexec:/usr/local/libexec"
START_SECONDS = 60
STOP_SECONDS = 30


@dataclass(frozen=True)
class ServerAddress:
    """Where a source server is and who connects; the password stays out of ``repr``."""

    host: str
    port: int
    user: str
    password: str = field(default="", repr=False)

    def connect(self) -> Connection:
        """A new connection in UTC and utf8mb4, with autocommit and several statements per call.

        Raises ``pymysql.err.OperationalError`` if the server cannot be reached.
        """
        return pymysql.connect(
            host=self.host,
            port=self.port,
            user=self.user,
            password=self.password,
            charset="utf8mb4",
            autocommit=True,
            client_flag=CLIENT.MULTI_STATEMENTS,
            # TIMESTAMP values are then UTC, which is what DMS writes.
            init_command="set time_zone = '+00:00'",
        )


class MariaDb:
    """A MariaDB server of one's own: row binlog, full images and metadata, no outside access.

    ``directory`` holds the data, the socket and ``server.log``. A directory that holds data from
    an earlier server is started again with it. The server listens on 127.0.0.1 only and its root
    user has no password: it is for throw-away data.
    """

    def __init__(self, directory: Path, address: ServerAddress, process: "subprocess.Popen[bytes]"):
        self.directory = directory
        self.address = address
        self._process = process

    @classmethod
    def start(cls, directory: str | Path) -> Self:
        """Create the data files if there are none, start the server and wait until it answers.

        Raises ``EmulatorError`` if MariaDB is not installed or does not start.
        """
        directory = Path(directory).resolve()
        data = directory / "data"
        if not (data / "mysql").is_dir():
            directory.mkdir(parents=True, exist_ok=True)
            _create_data(data, directory / "install.log")
        port = free_port()
        address = ServerAddress("127.0.0.1", port, "root")
        log = directory / "server.log"
        with log.open("ab") as output:
            process = subprocess.Popen(
                _server_command(data, port), stdout=output, stderr=subprocess.STDOUT
            )
        server = cls(directory, address, process)
        try:
            server._wait_until_it_answers(log)
        except BaseException:
            server.stop()
            raise
        return server

    def stop(self) -> None:
        """Stop the server and keep its files. Stopping twice is allowed."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection as ``ServerAddress.connect`` makes it, closed at the end of the block."""
        connection = self.address.connect()
        try:
            yield connection
        finally:
            connection.close()

    def execute(self, script: str) -> None:
        """Run a script of one or more statements in a session of its own.

        ``set timestamp = unix_timestamp('2020-11-13 09:00:00')`` in the script sets the time of
        the statements after it, in the binlog too. Raises ``pymysql.err.MySQLError``.
        """
        with self.connection() as connection, connection.cursor() as cursor:
            # Closing the cursor reads on to the last statement, and raises its errors.
            cursor.execute(script)

    def _wait_until_it_answers(self, log: Path) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self.address.connect().close()
                return
            except pymysql.err.OperationalError as error:
                if self._process.poll() is not None:
                    raise EmulatorError(f"MariaDB stopped while starting; see {log}") from error
                if time.monotonic() > deadline:
                    raise EmulatorError(
                        f"MariaDB did not answer within {START_SECONDS} s; see {log}"
                    ) from error
            time.sleep(0.05)


def _program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path=SERVER_FOLDERS)
    if found is None:
        raise EmulatorError(
            f"{name} was not found. Install MariaDB 10.5 or later (Debian and Ubuntu: "
            "apt-get install mariadb-server)."
        )
    return found


def _as_root() -> list[str]:
    # mariadbd refuses to run as root unless it is told to.
    return ["--user=root"] if os.geteuid() == 0 else []


def _create_data(data: Path, log: Path) -> None:
    command = [
        _program("mariadb-install-db"),
        "--no-defaults",
        f"--datadir={data}",
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        *_as_root(),
    ]
    with log.open("wb") as output:
        result = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False)
    if result.returncode != 0:
        raise EmulatorError(f"mariadb-install-db failed for {data}; see {log}")


def _server_command(data: Path, port: int) -> list[str]:
    return [
        _program("mariadbd"),
        "--no-defaults",
        f"--datadir={data}",
        f"--port={port}",
        # Relative to the data directory: socket paths may be no longer than about 100 characters.
        "--socket=server.sock",
        "--pid-file=server.pid",
        "--bind-address=127.0.0.1",
        "--skip-name-resolve",
        "--server-id=1",
        "--log-bin=binlog",
        "--binlog-format=ROW",
        "--binlog-row-image=FULL",
        "--binlog-row-metadata=FULL",
        "--character-set-server=utf8mb4",
        "--collation-server=utf8mb4_general_ci",
        "--max-allowed-packet=64M",
        "--innodb-buffer-pool-size=64M",
        "--innodb-flush-log-at-trx-commit=0",
        "--performance-schema=OFF",
        *_as_root(),
    ]
