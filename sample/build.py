"""Rebuild sample/dms, sample/expected and the control totals from sample/source with a MariaDB.

Run from the repository root: ``PYTHONPATH=python_hooks python -m sample.build``.

``source/<run_date>/<HHMM>_<name>.sql`` is what the source runs up to that minute (UTC); DMS then
writes its files at exactly that time. The first script makes the tables that the full load copies.
The result is the same, byte for byte, on every run with the same version of pyarrow.
"""

import csv
import os
import shutil
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

from development.emulator import DmsTask, ManualClock, MariaDb, S3Settings
from development.emulator.tables import tables_of
from pyspark_dms.compare.source import URL_VARIABLE, Limits, open_source
from pyspark_dms.compare.tables import compared_columns
from pyspark_dms.compare.totals import COLUMNS, totals_sql
from pyspark_dms.scaffold import read_declarations
from tests.support.source_rows import fetch_columns, fetch_rows, write_expected

SAMPLE = Path(__file__).parent
SETTINGS = {
    "employees": S3Settings(timestamp_column_name="dms_timestamp"),
    "retail": S3Settings(
        timestamp_column_name="dms_timestamp",
        include_op_for_full_load=True,
        date_partition_enabled=True,
    ),
}


TOTALS = SAMPLE.parent / "seeds" / "control_totals.csv"


def build(target: Path, expected: Path, control_totals: Path) -> None:
    """Write the DMS files under ``target``, and rows and totals of the state after each date."""
    totals: list[tuple[Any, ...]] = []
    clock = ManualClock(datetime.min)
    tasks: list[DmsTask] = []
    with tempfile.TemporaryDirectory() as directory, MariaDb.start(directory) as server:
        for day in sorted((SAMPLE / "source").iterdir()):
            for script in sorted(day.glob("*.sql")):
                server.execute(script.read_text(encoding="utf-8"))
                clock.now = datetime.strptime(f"{day.name} {script.name[:4]}", "%Y-%m-%d %H%M")
                if tasks:
                    for task in tasks:
                        task.write_changes()
                else:
                    tasks = _full_load(server, target, clock)
            _write_state(server, expected / day.name)
            totals += _control_totals(server, day.name)
    control_totals.parent.mkdir(parents=True, exist_ok=True)
    with control_totals.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(totals)


def _full_load(server: MariaDb, target: Path, clock: ManualClock) -> list[DmsTask]:
    tasks = []
    for schema, settings in SETTINGS.items():
        with server.connection() as connection:
            tables = tables_of(connection, schema)
        task = DmsTask(server.address, tables, target, settings, clock)
        task.full_load()
        tasks.append(task)
    return tasks


def _control_totals(server: MariaDb, run_date: str) -> list[tuple[Any, ...]]:
    """What `compare --print-sql` prints for each declared table of the sample, run there."""
    address = server.address
    os.environ[URL_VARIABLE] = f"mysql://{address.user}@{address.host}:{address.port}"
    source = open_source(Limits())
    rows = []
    for table in read_declarations(SAMPLE.parent):
        schema, name = table.source_name, table.table_name
        types = list(table.column_types.items())
        found = source.columns(schema, name)
        columns = compared_columns(table.label, types, table.primary_keys, found)
        relation = f"{source.dialect.quoted(schema)}.{source.dialect.quoted(name)}"
        rows += source.rows(totals_sql(source.dialect, relation, (schema, name), run_date, columns))
    source.close()
    return rows


def _write_state(server: MariaDb, folder: Path) -> None:
    with server.connection() as connection:
        for schema in SETTINGS:
            for name in tables_of(connection, schema):
                write_expected(
                    folder / schema / f"{name.table}.csv",
                    fetch_columns(connection, *name),
                    fetch_rows(connection, *name),
                )


if __name__ == "__main__":
    for folder in (SAMPLE / "dms", SAMPLE / "expected"):
        shutil.rmtree(folder, ignore_errors=True)
    build(SAMPLE / "dms", SAMPLE / "expected", TOTALS)
