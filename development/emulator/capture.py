"""A DMS task: the full load of tables and then their changes, as files under a target root."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from time import sleep

import pyarrow as pa
from obstore.store import ObjectStore
from pymysql.cursors import SSCursor

from development.emulator.binlog import (
    BinlogFollower,
    RowChange,
    Statement,
    check_source,
    current_position,
    snapshot_position,
)
from development.emulator.clock import Clock, utc_now
from development.emulator.errors import EmulatorError
from development.emulator.files import (
    CsvFile,
    ParquetFile,
    Row,
    TableFolder,
    TransactionFolder,
    WrittenFile,
    file_schema,
    new_file,
    open_store,
    timestamp_text,
)
from development.emulator.server import Connection, ServerAddress
from development.emulator.settings import S3Settings
from development.emulator.tables import Table, TableName, binlog_value, read_table
from pyspark_dms.counted import counted

LOAD_ROWS_PER_FILE = 1_000_000
CHANGE_ROWS_PER_FILE = 100_000

COMMENT = re.compile(r"/\*.*?\*/|--\s[^\n]*|#[^\n]*", re.DOTALL)
TRUNCATE_TABLE = re.compile(
    r"\s*truncate\s+(?:table\s+)?"
    r"(?:(?:`(?P<quoted_schema>[^`]+)`|(?P<schema>[^\s`.;]+))\s*\.\s*)?"
    r"(?:`(?P<quoted_table>[^`]+)`|(?P<table>[^\s`.;]+))",
    re.IGNORECASE,
)
CHANGE_PARTITION = re.compile(
    r"\s*alter\b.*\b(?:truncate|drop|exchange|convert)\s+partition\b", re.IGNORECASE | re.DOTALL
)


class DmsTask:
    """Copies ``tables`` of ``source`` to ``target``, as a DMS task with an S3 target does.

    ``target`` is a local path, a URL of a store (``s3://bucket/folder``) or an obstore store.
    ``clock`` tells when files are written; ``on_file`` is called after each of them.
    ``before_image_prefix`` adds the key as it was before an update, as the mapping rule
    ``add-before-image-columns`` with the filter ``pk-only`` does; in other rows it is NULL.
    Raises ``EmulatorError`` if the server or a table cannot be copied.
    """

    def __init__(
        self,
        source: ServerAddress,
        tables: Sequence[TableName | tuple[str, str]],
        target: str | Path | ObjectStore,
        settings: S3Settings | None = None,
        clock: Clock = utc_now,
        on_file: Callable[[WrittenFile], None] | None = None,
        before_image_prefix: str = "",
    ) -> None:
        self.settings = settings or S3Settings()
        self.position: str | None = None
        """The MariaDB GTID position up to which everything is written; None before any start."""
        self._source = source
        self._clock = clock
        self._on_file = on_file
        self._before_image_prefix = before_image_prefix
        self._started_at = clock()
        store = open_store(target)
        self._transactions = TransactionFolder(store, self.settings)
        names = [TableName(*table) for table in tables]
        self._folders = {name: TableFolder(store, name, self.settings) for name in names}
        connection = source.connect()
        try:
            check_source(connection)
            self._tables = {name: _existing(connection, name) for name in names}
        finally:
            connection.close()
        for table in self._tables.values():
            self._schema(table, has_op=True)

    def full_load(
        self, *, max_rows_per_file: int = LOAD_ROWS_PER_FILE, replace: bool = False
    ) -> list[WrittenFile]:
        """Copy all rows into ``LOAD…`` files and stand at the position of the copy.

        The copy is one consistent snapshot, and changes are followed from exactly its position:
        real DMS may write a change both in the load and as a change. A table with no rows gets no
        folder. A folder that has files is refused, unless ``replace`` is true, which removes them
        first, as DMS does with the table preparation modes "drop" and "truncate".
        """
        if not replace:
            self._check_files()
        connection = self._source.connect()
        written = []
        try:
            with connection.cursor() as cursor:
                cursor.execute("set session transaction isolation level repeatable read")
                cursor.execute("start transaction with consistent snapshot")
            position = snapshot_position(connection)
            for name in self._folders:
                self._folders[name].clear()
                self._tables[name] = _existing(connection, name)
                written += self._load_table(connection, self._tables[name], max_rows_per_file)
        finally:
            connection.close()
        self.position = position
        return written

    def start_changes(self, position: str | None = None) -> None:
        """Follow changes without a full load: from a GTID position, or from now on if None."""
        if position is None:
            connection = self._source.connect()
            try:
                position = current_position(connection)
            finally:
                connection.close()
        self.position = position

    def write_changes(self, *, max_rows_per_file: int = CHANGE_ROWS_PER_FILE) -> list[WrittenFile]:
        """Write the changes from ``position`` to the present end of the binlog, and move there.

        Each table gets one file, or more if there are more than ``max_rows_per_file`` rows or
        several date folders; with ``preserve_transactions`` all tables share one. A transaction
        may be split. If this fails, ``position`` stays and
        the same changes are written again by the next call, as DMS does after a restart.
        """
        if self.position is None:
            raise EmulatorError(
                "There is no position to follow changes from: call full_load() or start_changes()."
            )
        follower = BinlogFollower(self._source, self.position, self._folders)
        # None is all tables together.
        batches: dict[TableName | None, _Batch] = {}
        written = []
        for event in follower:
            if isinstance(event, Statement):
                written += self._write_batches(batches)
                self._apply(event)
            elif self.settings.captures(event.op):
                row = self._change_row(event)
                folder = self._folders[event.table].date_folder(event.committed_at)
                table = None if self.settings.preserve_transactions else event.table
                batch = batches.get(table)
                if batch and (batch.folder != folder or len(batch.rows) == max_rows_per_file):
                    written.append(self._write_batch(table, batch))
                    batch = None
                if batch is None:
                    batch = batches[table] = _Batch(folder)
                batch.add(row, event.committed_at)
        written += self._write_batches(batches)
        self.position = follower.position
        return written

    def follow(self) -> Iterator[list[WrittenFile]]:
        """Write changes without end, every ``cdc_max_batch_interval`` seconds."""
        while True:
            yield self.write_changes()
            sleep(self.settings.cdc_max_batch_interval)

    def _check_files(self) -> None:
        for folder in self._folders.values():
            paths = folder.paths()
            if paths:
                raise EmulatorError(
                    f"Table {folder.table}: the target already has {counted(len(paths), 'file')}, "
                    f"the first is {paths[0]}. Use an empty target, or replace=True to remove them."
                )

    def _schema(self, table: Table, *, has_op: bool) -> pa.Schema:
        return file_schema(table, has_op, self.settings, self._before_image_prefix)

    def _load_table(
        self, connection: Connection, table: Table, max_rows_per_file: int
    ) -> list[WrittenFile]:
        written: list[WrittenFile] = []
        schema = self._schema(table, has_op=self.settings.load_has_op)
        unchanged = (None,) * (len(table.keys) if self._before_image_prefix else 0)
        file: ParquetFile | CsvFile | None = None
        for rows in _select(connection, table, self.settings.row_group_length):
            loaded = [row + unchanged for row in self._load_rows(rows)]
            while loaded:
                file = file or new_file(schema, self.settings)
                fitting = max_rows_per_file - file.rows
                file.write(loaded[:fitting])
                loaded = loaded[fitting:]
                if file.rows == max_rows_per_file:
                    written.append(self._report(self._folders[table.name].write_load(file)))
                    file = None
        if file:
            written.append(self._report(self._folders[table.name].write_load(file)))
        return written

    def _load_rows(self, rows: list[Row]) -> list[Row]:
        added: Row = ("I",) if self.settings.load_has_op else ()
        if self.settings.timestamp_column_name:
            at_start = self.settings.use_task_start_time_for_full_load_timestamp
            added += (timestamp_text(self._started_at if at_start else self._clock()),)
        return [added + row for row in rows]

    def _change_row(self, change: RowChange) -> Row:
        table = self._tables[change.table]
        if len(change.values) != len(table.columns) or any(
            column.name not in change.values for column in table.columns
        ):
            raise EmulatorError(
                f"Table {table.name}: the binlog has a row of columns {', '.join(change.values)}, "
                f"but the table now has {', '.join(column.name for column in table.columns)}. "
                "A table may be altered once between two calls of write_changes()."
            )
        added: Row = (change.op,) if self.settings.change_has_op else ()
        if self.settings.preserve_transactions:
            added = (change.op, table.name.table, table.name.schema)
        if self.settings.timestamp_column_name:
            added += (timestamp_text(change.committed_at),)
        row = added + tuple(
            binlog_value(column, change.values, change.empty_sets) for column in table.columns
        )
        if not self._before_image_prefix:
            return row
        before = change.before
        return row + tuple(
            None if before is None else binlog_value(column, before, ()) for column in table.keys
        )

    def _write_batches(self, batches: dict[TableName | None, "_Batch"]) -> list[WrittenFile]:
        written = [self._write_batch(table, batch) for table, batch in batches.items()]
        batches.clear()
        return written

    def _write_batch(self, table: TableName | None, batch: "_Batch") -> WrittenFile:
        # A file is written after the commits it holds, whatever the clock says.
        written_at = max(self._clock(), batch.last_commit)
        if table is None:
            return self._report(self._transactions.write_changes(batch.rows, written_at))
        schema = self._schema(self._tables[table], has_op=self.settings.change_has_op)
        file = new_file(schema, self.settings)
        file.write(batch.rows)
        return self._report(self._folders[table].write_changes(file, batch.folder, written_at))

    def _apply(self, statement: Statement) -> None:
        """Follow DDL: DMS reads new columns, and removes the files of a truncated table.

        It takes no notice of ``drop table`` and ``rename table`` (DMS user guide, MySQL source
        limitations). The binlog does not tell the new columns, so they are read as they are now.
        """
        sql = COMMENT.sub(" ", statement.sql)
        if CHANGE_PARTITION.match(sql):
            raise EmulatorError(
                f"The source ran: {statement.sql}. Rows that go with a partition leave no trace in "
                "the binlog; delete them with a delete statement."
            )
        truncated = TRUNCATE_TABLE.match(sql)
        if truncated:
            schema = truncated["quoted_schema"] or truncated["schema"] or statement.default_schema
            name = TableName(schema, truncated["quoted_table"] or truncated["table"])
            if name in self._folders:
                self._folders[name].clear()
            return
        connection = self._source.connect()
        try:
            for name, table in self._tables.items():
                now = read_table(connection, name)
                if now is not None:
                    self._tables[name] = table.after_alter(now.columns)
        finally:
            connection.close()

    def _report(self, file: WrittenFile) -> WrittenFile:
        if self._on_file:
            self._on_file(file)
        return file


class _Batch:
    """The rows of one table that go into its next change file."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.rows: list[Row] = []
        self.last_commit = datetime.min

    def add(self, row: Row, committed_at: datetime) -> None:
        self.rows.append(row)
        self.last_commit = max(self.last_commit, committed_at)


def _existing(connection: Connection, name: TableName) -> Table:
    table = read_table(connection, name)
    if table is None:
        raise EmulatorError(f"The source has no table {name}; check the schema and table name.")
    return table


def _select(connection: Connection, table: Table, at_once: int) -> Iterator[list[Row]]:
    """The rows of a table, some at a time, with values ready for Parquet."""
    # An unbuffered cursor keeps one batch in memory and not the whole table.
    columns = ", ".join(column.query for column in table.columns)
    with connection.cursor(SSCursor) as cursor:
        cursor.execute(f"select {columns} from {table.name.quoted}")
        while rows := cursor.fetchmany(at_once):
            yield [
                tuple(
                    value
                    if value is None or column.from_query is None
                    else column.from_query(value)
                    for value, column in zip(row, table.columns, strict=True)
                )
                for row in rows
            ]
