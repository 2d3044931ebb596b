"""A Trino server on loopback, and a client of its HTTP API.

The server is the tarball of Maven Central, fetched once with the Ivy that comes with Spark. It
needs a newer Java than Spark: one is looked for in `java_home`.
"""

import base64
import http.client
import json
import os
import re
import shutil
import subprocess
import tarfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from pyspark.find_spark_home import _find_spark_home

from pyspark_dms.services.background import free_port
from tests.support.dms_files import Row

VERSION = "476"
JAVA = 24
NO_JAVA = (
    f"Trino {VERSION} needs a JDK {JAVA} or later, and none was found below /usr/lib/jvm. Install "
    "one (Eclipse Temurin 25, or openjdk-25-jdk-headless of Debian 13), or name its folder with "
    "DMS_TRINO_JAVA_HOME."
)
_CACHE = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "dms-snapshots"
_START_SECONDS = 300
_QUERY_SECONDS = 300

# Ivy without the POMs: their hundreds of parents say nothing of one archive.
_IVY_SETTINGS = """
<ivysettings>
  <settings defaultResolver="central"/>
  <resolvers><ibiblio name="central" m2compatible="true" usepoms="false"/></resolvers>
</ivysettings>
"""
_IVY_MODULE = f"""
<ivy-module version="2.0">
  <info organisation="dms-snapshots" module="trino"/>
  <dependencies>
    <dependency org="io.trino" name="trino-server" rev="{VERSION}" transitive="false">
      <artifact name="trino-server" type="tar.gz" ext="tar.gz"/>
    </dependency>
  </dependencies>
</ivy-module>
"""
_JVM = (
    "-server", "-Xmx1800M", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
    "-XX:ReservedCodeCacheSize=240M", "-XX:+ExitOnOutOfMemoryError",
    "-Djdk.attach.allowAttachSelf=true", "-Duser.timezone=UTC",
    "--add-modules=jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED",
)  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What a query gave.

    Attributes:
        rows: with values of the types that Spark's have: Decimal, date, datetime, bytes. Structs
            and maps are dictionaries.
        types: Trino's name of each column's type, by the column.
        signatures: the types as the API spells them out, in the order of the columns.
        read_rows: rows that were read of files, before any filter on them.
    """

    rows: list[Row]
    types: dict[str, str]
    signatures: list[Any]
    read_rows: int


class TrinoError(Exception):
    """A query failed; the text is Trino's."""


@dataclass(frozen=True)
class Trino:
    """A running server, by its port on loopback."""

    port: int

    def query(self, sql: str) -> list[Row]:
        """The rows of a query.

        Raises:
            TrinoError: the query failed.
        """
        return self.ask(sql).rows

    def ask(self, sql: str, **session: str) -> Answer:
        """The rows of a query with their types, and what was read for it.

        Args:
            sql: one statement, without a semicolon.
            session: session properties of this query alone.

        Raises:
            TrinoError: the query failed.
        """
        headers = {
            "X-Trino-User": "test",
            "X-Trino-Time-Zone": "UTC",
            # Without it moments have milliseconds.
            "X-Trino-Client-Capabilities": "PARAMETRIC_DATETIME",
            "X-Trino-Session": ",".join(f"{name}={value}" for name, value in session.items()),
        }
        page = self._request("/v1/statement", headers, sql.encode("utf-8"))
        columns: list[Any] = []
        data: list[Any] = []
        deadline = time.monotonic() + _QUERY_SECONDS
        while True:
            columns = page.get("columns") or columns
            data += page.get("data") or []
            if "error" in page:
                if page["error"]["errorName"] != "NO_NODES_AVAILABLE":
                    raise TrinoError(page["error"]["message"])
                # One that has just started does not know yet that it is a node itself.
                time.sleep(0.2)
                page = self._request("/v1/statement", headers, sql.encode("utf-8"))
            if "nextUri" not in page:
                break
            assert time.monotonic() < deadline, f"no answer in {_QUERY_SECONDS} s: {sql}"
            page = self._request(page["nextUri"].partition(f":{self.port}")[2], headers)
        signatures = [column["typeSignature"] for column in columns]
        return Answer(
            [
                tuple(value_of(value, kind) for value, kind in zip(row, signatures, strict=True))
                for row in data
            ],
            {column["name"]: column["type"] for column in columns},
            signatures,
            page["stats"]["processedRows"],
        )

    def answers(self) -> bool:
        """Whether it has started and takes queries."""
        with suppress(OSError, http.client.HTTPException):
            return not self._request("/v1/info", {})["starting"]
        return False

    def _request(self, path: str, headers: Mapping[str, str], body: bytes | None = None) -> Any:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, dict(headers))
        # Not through a proxy of the environment.
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            # Decimals and doubles are texts until their type is known.
            return json.loads(answer.read(), parse_float=str)


def value_of(value: Any, signature: Any) -> Any:
    """A value of JSON as the Python value of a type of Trino.

    Args:
        value: as Trino's API or Spark's ``to_json`` gives it, with floats as texts.
        signature: the type, as the API spells it out.
    """
    if value is None:
        return None
    arguments = [argument["value"] for argument in signature["arguments"]]
    match signature["rawType"]:
        case "decimal":
            return Decimal(str(value))
        case "double" | "real":
            return float(value)
        case "date":
            return date.fromisoformat(value)
        case "timestamp":
            return datetime.fromisoformat(value)
        case "varbinary":
            return base64.b64decode(value)
        case "array":
            return [value_of(item, arguments[0]) for item in value]
        case "map":
            return {key: value_of(item, arguments[1]) for key, item in value.items()}
        case "row":
            names = [argument["fieldName"]["name"] for argument in arguments]
            # Trino gives structs by place, Spark by name.
            items = value if isinstance(value, list) else [value[name] for name in names]
            return {
                name: value_of(item, argument["typeSignature"])
                for name, item, argument in zip(names, items, arguments, strict=True)
            }
    return value


@contextmanager
def trino_server(folder: Path, catalogs: Mapping[str, Mapping[str, str]]) -> Iterator[Trino]:
    """Run a server that keeps all it has in a folder.

    Args:
        folder: an absolute path; its log is ``server.log``.
        catalogs: the properties of each catalog, by its name.
    """
    home, java = _installed(), java_home()
    assert java, NO_JAVA
    trino = Trino(free_port())
    etc = folder / "etc"
    (etc / "catalog").mkdir(parents=True)
    (etc / "jvm.config").write_text("\n".join(_JVM) + "\n", encoding="utf-8")
    _write_properties(
        etc / "node.properties",
        {
            "node.environment": "test",
            "node.id": "test",
            "node.data-dir": f"{folder}/data",
            "node.bind-ip": "127.0.0.1",
            "node.internal-address": "127.0.0.1",
        },
    )
    _write_properties(
        etc / "config.properties",
        {
            "coordinator": "true",
            "node-scheduler.include-coordinator": "true",
            "http-server.http.port": f"{trino.port}",
            "discovery.uri": f"http://127.0.0.1:{trino.port}",
            "query.max-memory-per-node": "400MB",
            "memory.heap-headroom-per-node": "400MB",
            "task.concurrency": "2",
        },
    )
    for name, properties in catalogs.items():
        _write_properties(etc / f"catalog/{name}.properties", properties)
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [home / "bin/launcher", "run", "--etc-dir", etc],
            env=os.environ | {"JAVA_HOME": str(java), "PATH": f"{java}/bin:{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        _wait_for(trino, server, folder / "server.log")
        yield trino
    finally:
        server.terminate()
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def java_home() -> Path | None:
    """The folder of a JDK that Trino can run on; None if there is none."""
    named = [
        os.environ[name] for name in ("DMS_TRINO_JAVA_HOME", "JAVA_HOME") if name in os.environ
    ]
    for folder in [*map(Path, named), *sorted(Path("/usr/lib/jvm").glob("*"), reverse=True)]:
        with suppress(OSError):
            release = (folder / "release").read_text(encoding="utf-8")
            version = re.search(r'^JAVA_VERSION="(\d+)', release, re.MULTILINE)
            if version and int(version[1]) >= JAVA:
                return folder
    return None


def _wait_for(trino: Trino, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        if trino.answers():
            return
        time.sleep(0.2)
    raise AssertionError(f"Trino did not start\n{log.read_text(encoding='utf-8')[-3000:]}")


def _write_properties(path: Path, properties: Mapping[str, str]) -> None:
    lines = [f"{name}={value}\n" for name, value in properties.items()]
    path.write_text("".join(lines), encoding="utf-8")


def _installed() -> Path:
    """The folder of the server, which is fetched and unpacked the first time."""
    home = _CACHE / f"trino-server-{VERSION}"
    if not home.is_dir():
        new = _CACHE / f"trino-server-{VERSION}.{os.getpid()}"
        try:
            _unpack(_fetch(new), new)
            with suppress(OSError):  # another process may have been first
                (new / home.name).rename(home)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    return home


def _fetch(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "settings.xml").write_text(_IVY_SETTINGS, encoding="utf-8")
    (folder / "ivy.xml").write_text(_IVY_MODULE, encoding="utf-8")
    (ivy,) = (Path(_find_spark_home()) / "jars").glob("ivy-*.jar")
    settings = os.environ.get("DMS_IVY_SETTINGS", str(folder / "settings.xml"))
    command: Sequence[str] = [
        "java", "-jar", str(ivy), "-warn", "-settings", settings, "-cache", str(folder / "cache"),
        "-ivy", str(folder / "ivy.xml"), "-retrieve", f"{folder}/[artifact].[ext]",
    ]  # fmt: skip
    fetched = subprocess.run(command, capture_output=True, text=True, check=False)
    archive = folder / "trino-server.tar.gz"
    assert archive.is_file(), (
        "Trino could not be fetched. Where Maven Central is not reached, name an Ivy settings file "
        f"with DMS_IVY_SETTINGS, or unpack trino-server-{VERSION}.tar.gz into {_CACHE}.\n"
        f"{fetched.stdout[-1500:]}{fetched.stderr[-1500:]}"
    )
    return archive


def _unpack(archive: Path, folder: Path) -> None:
    """All but the connectors that no test uses; files of several are hard links, so these stay."""
    with tarfile.open(archive) as tar:
        # Python before 3.11.4 knows no filter.
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(folder)
    for plugin in (folder / f"trino-server-{VERSION}/plugin").iterdir():
        if plugin.name != "hive":
            shutil.rmtree(plugin)
