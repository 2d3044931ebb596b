"""A PostgreSQL server of one's own in one folder, on loopback, for the metastore."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark_dms.errors import DmsError
from pyspark_dms.services.background import free_port, log_tail, port_is_taken

HOST = "127.0.0.1"
USER = "metastore"
DATABASE = "postgres"
_DEBIAN_FOLDER = Path("/usr/lib/postgresql")
_START_ATTEMPTS = 3
_SYSTEM_USER = "postgres"
# Its number in capabilities(7).
_CAP_DAC_READ_SEARCH = 2
_SETTINGS = f"""
# Set when this folder was made. The port is given at each start.
listen_addresses = '{HOST}'
unix_socket_directories = ''
"""


@dataclass(frozen=True)
class Postgres:
    """PostgreSQL with a password that is made up with its data and kept beside them.

    Attributes:
        folder: holds ``data``, ``password`` (readable by its owner only) and, in ``data``,
            ``server.log``.
    """

    folder: Path

    @property
    def log_file(self) -> Path:
        """What the server prints."""
        return self._data / "server.log"

    def exists(self) -> bool:
        """Whether its data were made."""
        return (self._data / "PG_VERSION").exists()

    def password(self) -> str:
        """The password of its one user."""
        return self._password_file.read_text(encoding="ascii").strip()

    def pid(self) -> int:
        """The process id of the running server."""
        return int(self._noted()[0])

    def port(self) -> int:
        """The port of the running server."""
        return int(self._noted()[3])

    def running(self) -> bool:
        """Whether the server runs and takes connections."""
        if not self.exists() or self._call("pg_ctl", self._data, "status").returncode:
            return False
        # After a crash of the machine the process that is noted may be any other by now.
        return port_is_taken(HOST, self.port())

    def start(self) -> None:
        """Make the data if there are none, start the server and wait until it answers.

        Raises:
            DmsError: PostgreSQL is not installed, or did not start; the text says why.
        """
        if not self.exists():
            self._create()
        for _ in range(_START_ATTEMPTS):
            options = ["-w", "-l", str(self.log_file), "-o", f"-p {free_port()}"]
            started = self._call("pg_ctl", self._data, "start", *options).returncode == 0
            # A start that was interrupted may have left one that answers by now.
            if started or self.running():
                return
            # The children of a server that was killed take a moment to notice, and keep it out.
            time.sleep(1)
        raise DmsError("E706", f"PostgreSQL did not start.\n{log_tail(self.log_file)}")

    def stop(self) -> None:
        """End the server; stopping it twice is allowed.

        Raises:
            DmsError: it did not end in a minute; the text says why.
        """
        if not self.running():
            return
        stopped = self._call("pg_ctl", self._data, "stop", "-m", "fast")
        if stopped.returncode and self.running():
            raise DmsError("E706", f"PostgreSQL did not end: {stopped.stdout.strip()}")

    def _noted(self) -> list[str]:
        # What the lines of this file are is documented by PostgreSQL.
        return (self._data / "postmaster.pid").read_text(encoding="utf-8").splitlines()

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    @property
    def _password_file(self) -> Path:
        return self.folder / "password"

    def _create(self) -> None:
        # In a folder that is renamed when it is whole: an interrupted first start leaves no data.
        fresh = self.folder / "data.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700, parents=True)
        if os.geteuid() == 0:
            shutil.chown(fresh, _system_user())
        self._password_file.touch(mode=0o600)
        self._password_file.write_text(secrets.token_urlsafe(32), encoding="ascii")
        made = self._call(
            "initdb",
            fresh,
            f"--username={USER}",
            f"--pwfile={self._password_file}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
        )
        if made.returncode:
            raise DmsError("E706", f"PostgreSQL could not make its data in {fresh}: {made.stdout}")
        with (fresh / "postgresql.conf").open("a", encoding="utf-8") as settings:
            settings.write(_SETTINGS)
        fresh.rename(self._data)

    def _call(self, program: str, data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*_as_other_user(), self._program(program), "-D", str(data), *arguments]
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def _program(self, name: str) -> str:
        # Debian keeps each major version in a folder of its own; data belong to one of them.
        version = (self._data / "PG_VERSION").read_text().strip() if self.exists() else "*"
        folders = sorted(_DEBIAN_FOLDER.glob(f"{version}/bin"), key=_major_version, reverse=True)
        for path in (*map(str, folders), None):
            if found := shutil.which(name, path=path):
                return found
        wanted = f"PostgreSQL {version}".removesuffix(" *")
        raise DmsError(
            "E705",
            f"{wanted} is not installed ({name} was not found), and the metastore of this server "
            "is kept in it. Debian and Ubuntu: apt-get install postgresql "
            "libpostgresql-jdbc-java; make setup does it as root. Without PostgreSQL, a server "
            "for trials in another lake: --metastore derby.",
        )


def _major_version(folder: Path) -> int:
    return int(folder.parent.name) if folder.parent.name.isdigit() else 0


def _as_other_user() -> Sequence[str]:
    # PostgreSQL refuses to run as root. The other user may pass the folders above its data, which
    # are often closed to all but root.
    if os.geteuid() != 0:
        return []
    user = _system_user()
    may_read = f"+{_reading_capability()}"
    return [
        *("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"),
        *(f"--inh-caps={may_read}", f"--ambient-caps={may_read}"),
    ]


def _reading_capability() -> str:
    """The least capability that opens folders; a container often grants its root the other only."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    granted = next(line.split()[1] for line in status.splitlines() if line.startswith("CapEff:"))
    has_read_search = int(granted, 16) >> _CAP_DAC_READ_SEARCH & 1
    return "dac_read_search" if has_read_search else "dac_override"


def _system_user() -> str:
    try:
        return pwd.getpwnam(_SYSTEM_USER).pw_name
    except KeyError:
        raise DmsError(
            "E706",
            f"PostgreSQL does not run as root, and there is no user {_SYSTEM_USER} to run it as. "
            f"Make one (useradd --system {_SYSTEM_USER}), or do not be root.",
        ) from None
