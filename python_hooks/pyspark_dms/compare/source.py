"""The source database: where it is, who reads it, and how much of it at a time."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit

from pyspark_dms.compare.dialects import Dialect, MySql, Postgres
from pyspark_dms.compare.forms import (
    BINARY,
    BIT,
    BOOL,
    CHAR,
    DATE,
    DECIMAL,
    DOUBLE,
    INT,
    OTHER,
    REAL,
    TEXT,
    TIMESTAMP,
    TIMESTAMP_UTC,
    UUID,
    SourceColumn,
)
from pyspark_dms.errors import DmsError
from pyspark_dms.secrets import without_secrets

URL_VARIABLE = "DMS_SOURCE_URL"
PASSWORD_VARIABLE = "DMS_SOURCE_PASSWORD"
_CONNECT_SECONDS = 15
_FIX = (
    f"Set {URL_VARIABLE}, such as mysql://reader@db.example.com:3306 or "
    f"postgresql://reader@db.example.com/shop, and {PASSWORD_VARIABLE}."
)
_UNTESTED = {"oracle": "Oracle", "mssql": "SQL Server", "sqlserver": "SQL Server"}

# Neither driver has types for what it gives.
Connection: TypeAlias = Any
Rows: TypeAlias = list[tuple[Any, ...]]

_MYSQL_KINDS = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "bigint", "year"), INT),
    "decimal": DECIMAL,
    "float": REAL,
    "double": DOUBLE,
    "date": DATE,
    **dict.fromkeys(("datetime", "timestamp"), TIMESTAMP),
    "char": CHAR,
    **dict.fromkeys(("varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set"), TEXT),
    **dict.fromkeys(("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"), BINARY),
    "bit": BIT,
    "uuid": UUID,
}
_POSTGRES_KINDS = {
    "bool": BOOL,
    **dict.fromkeys(("int2", "int4", "int8"), INT),
    "numeric": DECIMAL,
    "float4": REAL,
    "float8": DOUBLE,
    "date": DATE,
    "timestamp": TIMESTAMP,
    "timestamptz": TIMESTAMP_UTC,
    "bpchar": CHAR,
    **dict.fromkeys(("varchar", "text", "name", "citext"), TEXT),
    "bytea": BINARY,
    "uuid": UUID,
}


@dataclass(frozen=True)
class Limits:
    """How hard the source may be worked.

    Attributes:
        threads: queries at a time.
        pause: seconds that each thread rests after a query.
        range_size: rows that a query looks at, as far as keys can be cut into ranges.
    """

    threads: int = 2
    pause: float = 0.0
    range_size: int = 100_000


@dataclass
class Source:
    """A database that is only read.

    Attributes:
        dialect: its SQL.
        limits: how hard it may be worked.
        queries: how many it was asked.
    """

    dialect: Dialect
    limits: Limits
    _connect: Callable[[], Connection] = field(repr=False)
    _kinds: dict[str, str] = field(repr=False)
    queries: int = 0
    _local: threading.local = field(default_factory=threading.local, repr=False)
    _opened: list[Connection] = field(default_factory=list, repr=False)
    _threads: ThreadPoolExecutor | None = field(default=None, repr=False)

    def rows(self, sql: str, values: Sequence[str] = ()) -> Rows:
        """Ask one query; each ``%s`` in it is a value, if there are any.

        Raises:
            DmsError: the database could not be reached, or refused the query.
        """
        self.queries += 1
        try:
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = self._connect()
                self._opened.append(connection)
            with connection.cursor() as cursor:
                cursor.execute(sql, list(values) or None)
                return list(cursor.fetchall())
        except Exception as problem:  # each driver has its own
            reason = without_secrets(" ".join(str(problem).split()))[:300]
            raise DmsError(
                "E651",
                f"The source database did not answer a query: {reason}. Nothing was compared. "
                "Correct the cause, such as the address, the login or a missing right to select.",
            ) from problem

    def rows_of_all(self, queries: Iterable[str]) -> Iterator[Rows]:
        """Ask several queries, some at a time, with a rest behind each; answers in their order."""

        def ask(sql: str) -> Rows:
            rows = self.rows(sql)
            if self.limits.pause:
                time.sleep(self.limits.pause)
            return rows

        # Each thread keeps its connection for all queries.
        self._threads = self._threads or ThreadPoolExecutor(self.limits.threads)
        # What was not asked yet is not asked any more if one has failed.
        yield from self._threads.map(ask, queries)

    def columns(self, schema: str, table: str) -> list[SourceColumn]:
        """The columns of a table in their order; none if there is no such table."""
        type_column = "udt_name" if isinstance(self.dialect, Postgres) else "data_type"
        rows = self.rows(
            f"select column_name, {type_column}"
            " from information_schema.columns where table_schema = %s and table_name = %s"
            " order by ordinal_position",
            (schema, table),
        )
        return [
            SourceColumn(str(name), str(kind), self._kinds.get(str(kind).lower(), OTHER))
            for name, kind in rows
        ]

    def close(self) -> None:
        """End all connections."""
        if self._threads:
            self._threads.shutdown(cancel_futures=True)
            self._threads = None
        for connection in self._opened:
            connection.close()
        self._opened.clear()
        self._local = threading.local()


def open_source(limits: Limits) -> Source:
    """The database that the environment names; it is not reached yet.

    Raises:
        DmsError: the environment names none, or none that can be read.
    """
    url = os.environ.get(URL_VARIABLE, "").strip()
    if not url:
        raise DmsError("E650", f"{URL_VARIABLE} is not set. Nothing was compared. {_FIX}")
    scheme = re.split(r"[+:]", url, maxsplit=1)[0].lower()
    if scheme in ("mysql", "mariadb"):
        return Source(MySql(), limits, lambda: _connect_mysql(url), _MYSQL_KINDS)
    if scheme in ("postgresql", "postgres"):
        return Source(Postgres(), limits, lambda: _connect_postgres(url), _POSTGRES_KINDS)
    if scheme in _UNTESTED:
        raise DmsError(
            "E650",
            f"{URL_VARIABLE} names {_UNTESTED[scheme]}, which compare cannot read yet. "
            "Nothing was compared. MySQL, MariaDB and PostgreSQL can be compared.",
        )
    raise DmsError(
        "E650",
        f"{URL_VARIABLE} begins with '{scheme[:20]}'; allowed are mysql, mariadb and postgresql. "
        f"Nothing was compared. {_FIX}",
    )


def _password(part: str | None) -> str | None:
    return unquote(part) if part is not None else os.environ.get(PASSWORD_VARIABLE)


def _connect_mysql(url: str) -> Connection:
    pymysql = _driver("pymysql")
    parts = urlsplit(url)
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    encryption: dict[str, Any] = {}
    if "ssl_ca" in options:
        encryption = {"ssl_ca": options["ssl_ca"], "ssl_verify_cert": True}
        encryption["ssl_verify_identity"] = True
    connection = pymysql.connect(
        host=parts.hostname or "127.0.0.1",
        port=parts.port or 3306,
        user=unquote(parts.username or ""),
        password=_password(parts.password) or "",
        database=unquote(parts.path.strip("/")) or None,
        charset="utf8mb4",
        autocommit=True,
        connect_timeout=_CONNECT_SECONDS,
        # TIMESTAMP values are then UTC, which is what DMS writes.
        init_command="set time_zone = '+00:00'",
        **encryption,
    )
    with connection.cursor() as cursor:
        cursor.execute("set session transaction read only")
    return connection


def _connect_postgres(url: str) -> Connection:
    psycopg = _driver("psycopg")
    # libpq also takes PGPASSWORD, .pgpass, sslmode and the like.
    given = {"password": _password(None)} if os.environ.get(PASSWORD_VARIABLE) else {}
    connection = psycopg.connect(
        url.replace("postgres://", "postgresql://", 1),
        autocommit=True,
        connect_timeout=_CONNECT_SECONDS,
        client_encoding="utf8",
        options="-c timezone=UTC -c default_transaction_read_only=on -c extra_float_digits=1",
        # A query is asked once; the server need not keep a plan of it.
        prepare_threshold=None,
        **given,
    )
    return connection


def _driver(name: str) -> Any:
    try:
        return __import__(name)
    except ModuleNotFoundError as problem:
        raise DmsError(
            "E604",
            f"The package {name} is not installed, which reads the source. "
            "Install it with: pip install 'dms-snapshots[compare]'",
        ) from problem
