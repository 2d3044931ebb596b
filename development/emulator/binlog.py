"""The changes in a MariaDB binlog, in commit order, from a GTID position on.

Only MariaDB is read: the position is a MariaDB GTID, and the event that opens a transaction
carries the time of its commit.
"""

import re
import secrets
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from pymysqlreplication import BinLogStreamReader
from pymysqlreplication.constants import NONE_SOURCE
from pymysqlreplication.event import (
    MariadbGtidEvent,
    QueryEvent,
    XAPrepareEvent,
    XidEvent,
)
from pymysqlreplication.row_event import (
    DeleteRowsEvent,
    UpdateRowsEvent,
    WriteRowsEvent,
)

from development.emulator.errors import EmulatorError
from development.emulator.server import Connection, ServerAddress
from development.emulator.tables import TableName

REQUIRED_VARIABLES = {
    "log_bin": "1",
    "binlog_format": "ROW",
    "binlog_row_image": "FULL",
    "binlog_row_metadata": "FULL",
    "log_bin_compress": "0",
}
GTID_POSITION = re.compile(r"\d+-\d+-\d+(,\d+-\d+-\d+)*")
# A group of this flag is one statement and has no closing event (MariaDB, "GTID_EVENT").
STANDALONE = 1
# Any id that no other replica of the server uses; the server drops the older of two equal ones.
REPLICA_IDS = range(1_000_000, 4_000_000_000)

Op = Literal["I", "U", "D"]
OPS: dict[type, Op] = {WriteRowsEvent: "I", UpdateRowsEvent: "U", DeleteRowsEvent: "D"}


@dataclass(frozen=True)
class RowChange:
    """A row after an insert or update, or before a delete.

    ``values`` are as mysql-replication reads them; ``empty_sets`` are the columns that it gives as
    None although they hold an empty SET. ``before`` are the values before an update; else None.
    """

    table: TableName
    op: Op
    values: Mapping[str, object]
    empty_sets: tuple[str, ...]
    committed_at: datetime
    before: Mapping[str, object] | None = None


@dataclass(frozen=True)
class Statement:
    """A statement that the binlog holds as text, which is to say DDL."""

    default_schema: str
    sql: str


def check_source(connection: Connection) -> None:
    """Refuse a server whose binlog cannot be followed; raises ``EmulatorError``."""
    with connection.cursor() as cursor:
        cursor.execute("select version()")
        (version,) = cursor.fetchone()
        if "MariaDB" not in version:
            raise EmulatorError(
                f"The source is version {version}; only MariaDB 10.5 and later can be followed."
            )
        for variable, required in REQUIRED_VARIABLES.items():
            cursor.execute(f"select @@global.{variable}")
            (value,) = cursor.fetchone()
            if str(value) != required:
                raise EmulatorError(
                    f"The source has {variable} = {value}; required: {required}. "
                    "Set it in the server's configuration and start the server again."
                )


def current_position(connection: Connection) -> str:
    """The position after the last transaction in the binlog."""
    with connection.cursor() as cursor:
        cursor.execute("select @@global.gtid_binlog_pos")
        (position,) = cursor.fetchone()
        return str(position)


def snapshot_position(connection: Connection) -> str:
    """The position that a ``start transaction with consistent snapshot`` sees."""
    with connection.cursor() as cursor:
        cursor.execute("show status like 'binlog_snapshot_%'")
        status = dict(cursor.fetchall())
        cursor.execute(
            "select binlog_gtid_pos(%s, %s)",
            (status["Binlog_snapshot_file"], int(status["Binlog_snapshot_position"])),
        )
        (position,) = cursor.fetchone()
        return str(position)


class BinlogFollower:
    """Reads the binlog from a position up to its present end.

    ``position`` is the end of the last group that was read in full, so that a new follower can go
    on from there; an empty one is the start of the binlog. Raises ``EmulatorError`` if it is no
    GTID position.
    """

    def __init__(self, source: ServerAddress, position: str, tables: Collection[TableName]) -> None:
        if position and not GTID_POSITION.fullmatch(position):
            raise EmulatorError(
                f"Position {position!r} is no MariaDB GTID position; allowed: for instance 0-1-42, "
                "or 0-1-42,7-1-3 with one GTID per replication domain."
            )
        self._source = source
        self._tables = frozenset(tables)
        # One GTID per replication domain: "0-1-42,7-1-3".
        self._gtids = {gtid.split("-")[0]: gtid for gtid in position.split(",") if gtid}

    @property
    def position(self) -> str:
        return ",".join(self._gtids.values())

    def __iter__(self) -> Iterator[RowChange | Statement]:
        """The changes of the tables, and all DDL, up to the present end of the binlog.

        Raises ``EmulatorError`` for what cannot be followed, and errors of PyMySQL.
        """
        reader = self._reader()
        gtid: Any = None
        has_rows = False
        try:
            while (event := reader.fetchone()) is not None:
                match event:
                    case MariadbGtidEvent():
                        self._check_repetition(event)
                        gtid, has_rows = event, False
                        continue
                    case QueryEvent() if gtid.flags & STANDALONE:
                        yield Statement(_text(event.schema), _text(event.query))
                    case QueryEvent() if _text(event.query).upper() == "COMMIT":
                        pass
                    case QueryEvent():
                        _check_rollback(_text(event.query), gtid.gtid, has_rows)
                        continue
                    case XidEvent():
                        pass
                    case XAPrepareEvent():
                        raise EmulatorError(
                            f"Transaction {gtid.gtid} is an XA transaction, which is not followed. "
                            "Use ordinary transactions."
                        )
                    case _:
                        table = TableName(event.schema, event.table)
                        if table in self._tables:
                            has_rows = True
                            yield from _row_changes(table, event, _moment(gtid.timestamp))
                        continue
                self._gtids[str(gtid.domain_id)] = gtid.gtid
        finally:
            reader.close()

    def _reader(self) -> Any:
        return BinLogStreamReader(
            connection_settings={
                "host": self._source.host,
                "port": self._source.port,
                "user": self._source.user,
                "password": self._source.password,
                "charset": "utf8mb4",
                # The GTID position wins over the file and position below. It is set here and not
                # by is_mariadb=True and auto_position, because mysql-replication 1.0.17 then sends
                # a request of 15 bytes that it declares as 10. The server leaves the rest unread
                # and for that resets the connection at the end, with the last events on the way.
                "init_command": f"set @slave_connect_state = '{self.position}',"
                " @slave_gtid_strict_mode = 1, @slave_gtid_ignore_duplicates = 0",
            },
            server_id=secrets.choice(REPLICA_IDS),
            log_file="",
            log_pos=4,
            only_events=[MariadbGtidEvent, QueryEvent, XidEvent, XAPrepareEvent, *OPS],
            # A first filter, before rows are decoded: any of the names in any of the schemas.
            only_schemas=sorted({table.schema for table in self._tables}),
            only_tables=sorted({table.table for table in self._tables}),
            enable_logging=False,
        )

    def _check_repetition(self, event: Any) -> None:
        # On a lost connection the reader connects again and starts from the first position.
        last = self._gtids.get(str(event.domain_id))
        if last is not None and event.gtid_seq_no <= int(last.split("-")[2]):
            raise EmulatorError(
                f"The connection to {self._source.host}:{self._source.port} was lost while the "
                f"binlog was read: {event.gtid} came after {last}. Run again from the position of "
                "the last complete run."
            )


def _row_changes(table: TableName, event: Any, committed_at: datetime) -> Iterator[RowChange]:
    op = OPS[type(event)]
    after = "after_" if op == "U" else ""
    for row in event.rows:
        empty_sets = tuple(
            column
            for column, source in row[f"{after}none_sources"].items()
            if source == NONE_SOURCE.EMPTY_SET
        )
        values, before = row[f"{after}values"], row.get("before_values")
        yield RowChange(table, op, values, empty_sets, committed_at, before)


def _check_rollback(sql: str, gtid: str, has_rows: bool) -> None:
    # Only a transaction that mixes engines leaves rolled back rows in the binlog.
    if has_rows and re.match(r"\s*rollback\b", sql, re.IGNORECASE):
        raise EmulatorError(
            f"Transaction {gtid} has rows in the binlog that were rolled back ({sql}). "
            "Use InnoDB for every table of the transaction."
        )


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
