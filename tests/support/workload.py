"""A random workload on a fresh MariaDB: tables of many types, and dated, seeded statements.

No statement changes a key column: what DMS makes of that is another matter, with tests of its own.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from development.emulator import MariaDb
from tests.support.source_rows import CanonicalRow, fetch_rows

SCHEMA = "workload"
FIRST_DATE = date(2021, 3, 1)
# The time of day of the first and the last change; the rest of the day is for DMS to write files.
DAY_STARTS = timedelta(hours=1)
DAY_SECONDS = 21 * 3600

TEXTS = (
    "", "NULL", "null", "\\N", "it's", '"quoted"', "a,b;c\td", "line one\nline two", "\r\n",
    "back\\slash", "\\", "ends with \\", "😀 emoji 🐑", "żółć, naïve, 日本語", " leading",
    "trailing ",
)  # fmt: skip

Value = Callable[[random.Random], object]


@dataclass(frozen=True)
class WorkloadColumn:
    """A column: its name, its type in MariaDB, its type in Spark SQL and how to make a value."""

    name: str
    source_type: str
    data_type: str
    value: Value
    nullable: bool = True


@dataclass(frozen=True)
class WorkloadTable:
    """A table: its keys come from a small range, so that they are deleted and inserted again."""

    name: str
    primary_keys: tuple[str, ...]
    columns: tuple[WorkloadColumn, ...]
    new_key: Callable[[random.Random], tuple[object, ...]]

    @property
    def declared_columns(self) -> list[tuple[str, str]]:
        """(name, Spark SQL data type) of each column, in order."""
        return [(column.name, column.data_type) for column in self.columns]

    @property
    def values(self) -> tuple[WorkloadColumn, ...]:
        """The columns that are no part of the key."""
        return tuple(column for column in self.columns if column.name not in self.primary_keys)


@dataclass(frozen=True)
class RunDate:
    """The state of the source at the end of a date."""

    run_date: date
    expected: dict[str, list[CanonicalRow]]
    """For each table ``select *``, canonical and sorted."""

    @property
    def files_written_at(self) -> datetime:
        """A time after the last change of the date and still on it, for the clock of the task."""
        return datetime.combine(self.run_date, datetime.min.time()) + timedelta(hours=23)


def _text(longest: int) -> Value:
    def value(rng: random.Random) -> str:
        text = rng.choice(TEXTS)
        return (text * rng.randrange(1, 4) if rng.random() < 0.3 else text)[:longest]

    return value


def _decimal(digits: int, scale: int) -> Value:
    return lambda rng: Decimal(rng.randrange(-(10**digits) + 1, 10**digits)).scaleb(-scale)


def _double(rng: random.Random) -> float:
    return rng.choice((0.0, 0.1, -1.5e-300, 1.7e308, rng.uniform(-1e6, 1e6)))


def _date(rng: random.Random) -> date:
    return rng.choice((date(1900, 1, 1), date(9999, 12, 31), date(2021, 1, 1))) + timedelta(
        days=-rng.randrange(300) if rng.random() < 0.5 else 0
    )


def _moment(rng: random.Random) -> datetime:
    return datetime(2001, 9, 9) + timedelta(microseconds=rng.randrange(600_000_000_000_000))


def _integer(low: int, high: int) -> Value:
    return lambda rng: rng.randint(low, high)


ID = WorkloadColumn("id", "int", "int", _integer(1, 400), nullable=False)

TABLES = (
    WorkloadTable(
        "numbers",
        ("id",),
        (
            ID,
            WorkloadColumn("small", "smallint", "smallint", _integer(-(2**15), 2**15 - 1)),
            WorkloadColumn("big", "bigint", "bigint", _integer(-(2**63), 2**63 - 1)),
            WorkloadColumn("amount", "decimal(10, 2)", "decimal(10,2)", _decimal(10, 2)),
            WorkloadColumn("exact", "decimal(38, 10)", "decimal(38,10)", _decimal(38, 10)),
            WorkloadColumn("ratio", "double", "double", _double),
            WorkloadColumn("is_open", "bit(1)", "boolean", _integer(0, 1)),
        ),
        lambda rng: (rng.randint(1, 400),),
    ),
    WorkloadTable(
        "events",
        ("account", "code"),
        (
            WorkloadColumn("account", "int", "int", _integer(1, 40), nullable=False),
            # The key is neither first nor together: column order must not matter.
            WorkloadColumn("happened_at", "datetime(6)", "timestamp", _moment),
            WorkloadColumn("code", "varchar(20)", "string", _text(20), nullable=False),
            WorkloadColumn("seen_at", "timestamp(6) null", "timestamp", _moment),
            WorkloadColumn("due_on", "date", "date", _date),
        ),
        lambda rng: (rng.randint(1, 40), f"c'{rng.randint(1, 9)}"),
    ),
    WorkloadTable(
        "notes",
        ("title",),
        (
            # Binary collation: otherwise keys that differ in case or trailing space are the same.
            WorkloadColumn(
                "title",
                "varchar(60) collate utf8mb4_nopad_bin",
                "string",
                _text(60),
                nullable=False,
            ),
            WorkloadColumn("body", "text", "string", _text(200)),
            WorkloadColumn("required", "varchar(100)", "string", _text(100), nullable=False),
            WorkloadColumn(
                "payload", "varbinary(16)", "binary", lambda rng: rng.randbytes(rng.randrange(17))
            ),
            WorkloadColumn("digest", "binary(4)", "binary", lambda rng: rng.randbytes(4)),
        ),
        lambda rng: (f"{rng.choice(TEXTS)}{rng.randint(1, 12)}",),
    ),
)


@dataclass(frozen=True)
class Workload:
    """``statements`` random statements over ``dates`` run dates; equal seeds give equal changes.

    Call ``create`` on a fresh server, do the full load, then go through ``run``, which stops at
    the end of each date::

        workload = Workload(seed=7)
        workload.create(server)
        task = DmsTask(server.address, workload.table_names, target, settings, clock)
        task.full_load()
        for day in workload.run(server):
            clock.now = day.files_written_at
            task.write_changes()
    """

    seed: int
    statements: int = 5_000
    dates: int = 5
    rows_at_start: int = 100

    @property
    def table_names(self) -> list[tuple[str, str]]:
        return [(SCHEMA, table.name) for table in TABLES]

    @property
    def loaded_at(self) -> datetime:
        """A time before the first change, for the clock of the full load."""
        return datetime.combine(FIRST_DATE, datetime.min.time())

    def create(self, server: MariaDb) -> None:
        """Make the schema anew, with rows for the full load."""
        rng = random.Random(f"{self.seed} start")
        with server.connection() as connection, connection.cursor() as cursor:
            cursor.execute(f"drop schema if exists {SCHEMA}")
            cursor.execute(f"create schema {SCHEMA} character set utf8mb4")
            for table in TABLES:
                cursor.execute(_create_table(table))
                rows = [_new_row(table, rng) for _ in range(self.rows_at_start)]
                _upsert_rows(cursor, table, rows)

    def run(self, server: MariaDb) -> Iterator[RunDate]:
        """Run the statements of each date, then yield the state of the tables."""
        rng = random.Random(self.seed)
        with server.connection() as connection:
            for number in range(self.dates):
                run_date = FIRST_DATE + timedelta(days=number)
                self._run_date(connection, rng, run_date, number)
                yield RunDate(
                    run_date,
                    {table.name: fetch_rows(connection, SCHEMA, table.name) for table in TABLES},
                )

    def _run_date(self, connection: Any, rng: random.Random, run_date: date, number: int) -> None:
        # Spread without a rest: 10 statements over 3 dates are 3, 3 and 4.
        count = self.statements * (number + 1) // self.dates
        count -= self.statements * number // self.dates
        now = datetime.combine(run_date, datetime.min.time()) + DAY_STARTS
        step = DAY_SECONDS / max(count, 1)
        done = 0
        with connection.cursor() as cursor:
            while done < count:
                now += timedelta(seconds=rng.uniform(0, step))
                cursor.execute(f"set timestamp = unix_timestamp('{now:%Y-%m-%d %H:%M:%S}')")
                in_transaction = rng.choice((1, 1, 2, 6)) if count - done >= 6 else 1
                cursor.execute("begin")
                table = rng.choice(TABLES)
                key = table.new_key(rng)
                for _ in range(in_transaction):
                    _run_statement(cursor, table, key, rng)
                    done += 1
                    # Most statements of a transaction change the same key.
                    if rng.random() < 0.3:
                        table = rng.choice(TABLES)
                        key = table.new_key(rng)
                cursor.execute("commit")


def _run_statement(
    cursor: Any, table: WorkloadTable, key: tuple[object, ...], rng: random.Random
) -> None:
    where = " and ".join(f"{name} = %s" for name in table.primary_keys)
    kind = rng.choice(("put", "put", "update", "update", "null", "delete", "many", "sweep"))
    match kind:
        case "put":
            _replace_row(cursor, table, _row(table, key, rng))
        case "many":
            _upsert_rows(cursor, table, [_new_row(table, rng) for _ in range(rng.randrange(2, 6))])
        case "update":
            columns = rng.sample(table.values, rng.randrange(1, 3))
            assignments = ", ".join(f"{column.name} = %s" for column in columns)
            values = [_value(column, rng) for column in columns]
            cursor.execute(
                f"update {SCHEMA}.{table.name} set {assignments} where {where}", (*values, *key)
            )
        case "null":
            column = rng.choice([column for column in table.values if column.nullable])
            cursor.execute(
                f"update {SCHEMA}.{table.name} set {column.name} = null where {where}", key
            )
        case "delete":
            cursor.execute(f"delete from {SCHEMA}.{table.name} where {where}", key)
        case "sweep":
            # Several rows in one statement, in the order of the key.
            first = table.primary_keys[0]
            column = rng.choice(table.values)
            cursor.execute(
                f"update {SCHEMA}.{table.name} set {column.name} = %s"
                f" where {first} >= %s order by {', '.join(table.primary_keys)} limit 5",
                (_value(column, rng), key[0]),
            )


def _replace_row(cursor: Any, table: WorkloadTable, row: tuple[object, ...]) -> None:
    """A delete, if there is such a row, and an insert of one key in one transaction."""
    names = [column.name for column in table.columns]
    where = " and ".join(f"{name} = %s" for name in table.primary_keys)
    key = [row[names.index(name)] for name in table.primary_keys]
    cursor.execute(f"delete from {SCHEMA}.{table.name} where {where}", key)
    cursor.execute(f"insert into {SCHEMA}.{table.name} values {_marks(table)}", row)


def _upsert_rows(cursor: Any, table: WorkloadTable, rows: list[tuple[object, ...]]) -> None:
    """One statement that inserts some rows and updates others."""
    updates = ", ".join(f"{column.name} = values({column.name})" for column in table.values)
    values = ", ".join([_marks(table)] * len(rows))
    cursor.execute(
        f"insert into {SCHEMA}.{table.name} values {values} on duplicate key update {updates}",
        [value for row in rows for value in row],
    )


def _marks(table: WorkloadTable) -> str:
    return f"({', '.join(['%s'] * len(table.columns))})"


def _new_row(table: WorkloadTable, rng: random.Random) -> tuple[object, ...]:
    return _row(table, table.new_key(rng), rng)


def _row(table: WorkloadTable, key: tuple[object, ...], rng: random.Random) -> tuple[object, ...]:
    of_key = dict(zip(table.primary_keys, key, strict=True))
    return tuple(
        of_key[column.name] if column.name in of_key else _value(column, rng)
        for column in table.columns
    )


def _value(column: WorkloadColumn, rng: random.Random) -> object:
    return None if column.nullable and rng.random() < 0.15 else column.value(rng)


def _create_table(table: WorkloadTable) -> str:
    columns = ", ".join(
        f"{column.name} {column.source_type}{'' if column.nullable else ' not null'}"
        for column in table.columns
    )
    keys = ", ".join(table.primary_keys)
    return f"create table {SCHEMA}.{table.name} ({columns}, primary key ({keys}))"
