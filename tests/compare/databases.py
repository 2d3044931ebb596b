"""The two sources of these tests: a MariaDB and a PostgreSQL of their own."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

import psycopg

from development.emulator import MariaDb
from pyspark_dms.compare.source import PASSWORD_VARIABLE, URL_VARIABLE
from pyspark_dms.services.postgres import DATABASE, HOST, USER, Postgres

READER, PASSWORD = "reader", "p@ss/word:1"


class Database(Protocol):
    """A source: runs scripts, and says how it is reached."""

    name: str

    def execute(self, script: str) -> None: ...

    def query(self, sql: str) -> Sequence[Sequence[object]]: ...

    def environment(self) -> dict[str, str]: ...

    def new_schema(self, name: str) -> None: ...

    def text(self, value: str) -> str: ...


@dataclass
class MariaDbSource:
    server: MariaDb
    name: str = "mariadb"

    def execute(self, script: str) -> None:
        self.server.execute(f"set time_zone = '+00:00', sql_mode = ''; {script}")

    def query(self, sql: str) -> Sequence[Sequence[object]]:
        with self.server.connection() as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def new_schema(self, name: str) -> None:
        self.execute(
            f"drop database if exists {name}; create database {name};"
            f"create user if not exists {READER}@'127.0.0.1' identified by '{PASSWORD}';"
            f"grant select on {name}.* to {READER}@'127.0.0.1'"
        )

    def environment(self) -> dict[str, str]:
        address = self.server.address
        return {
            URL_VARIABLE: f"mysql://{READER}@{address.host}:{address.port}",
            PASSWORD_VARIABLE: PASSWORD,
        }

    def text(self, value: str) -> str:
        return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


@dataclass
class PostgresSource:
    server: Postgres
    name: str = "postgresql"

    def execute(self, script: str) -> None:
        with self._connect() as connection:
            connection.execute(script.encode())

    def query(self, sql: str) -> Sequence[Sequence[object]]:
        with self._connect() as connection:
            return connection.execute(sql.encode()).fetchall()

    def new_schema(self, name: str) -> None:
        self.execute(
            f"drop schema if exists {name} cascade; create schema {name};"
            f"do $$ begin create role {READER} login password '{PASSWORD}';"
            " exception when duplicate_object then null; end $$;"
            f"grant usage on schema {name} to {READER};"
            f"alter default privileges in schema {name} grant select on tables to {READER}"
        )

    def environment(self) -> dict[str, str]:
        # In the address, as many have it.
        login = f"{READER}:{quote(PASSWORD, safe='')}"
        return {URL_VARIABLE: f"postgresql://{login}@{HOST}:{self.server.port()}/{DATABASE}"}

    def text(self, value: str) -> str:
        return "'" + value.replace("'", "''") + "'"

    def _connect(self) -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(
            host=HOST,
            port=self.server.port(),
            user=USER,
            password=self.server.password(),
            dbname=DATABASE,
            autocommit=True,
            options="-c timezone=UTC",
        )


@contextmanager
def postgres_source(folder: Path) -> Iterator[PostgresSource]:
    server = Postgres(folder)
    server.start()
    try:
        yield PostgresSource(server)
    finally:
        server.stop()


def make_table(
    database: Database,
    schema: str,
    table: str,
    columns: Mapping[str, str],
    keys: Sequence[str],
    rows: Sequence[Sequence[str]],
) -> None:
    """Make a table; a value is SQL."""
    defined = ", ".join(f"{name} {data_type}" for name, data_type in columns.items())
    key = f", primary key ({', '.join(keys)})" if keys else ""
    script = (
        f"drop table if exists {schema}.{table}; create table {schema}.{table} ({defined}{key});"
    )
    if rows:
        values = ", ".join(f"({', '.join(row)})" for row in rows)
        script += f"insert into {schema}.{table} values {values};"
    database.execute(script)
