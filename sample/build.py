"""Rebuild sample/dms and sample/expected from sample/source with a private MariaDB.

Run from the repository root: ``PYTHONPATH=python_hooks python -m sample.build``.

``source/<run_date>/<HHMM>_<name>.sql`` is what the source runs up to that minute (UTC); DMS then
writes its files at exactly that time. The first script makes the tables that the full load copies.
The result is the same, byte for byte, on every run with the same version of pyarrow.
"""

import shutil
import tempfile
from datetime import datetime
from pathlib import Path

from pyspark_dms.emulator import DmsTask, ManualClock, MariaDb, S3Settings
from pyspark_dms.emulator.tables import tables_of
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


def build(target: Path, expected: Path) -> None:
    """Write the DMS files under ``target`` and the state after each date under ``expected``."""
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


def _full_load(server: MariaDb, target: Path, clock: ManualClock) -> list[DmsTask]:
    tasks = []
    for schema, settings in SETTINGS.items():
        with server.connection() as connection:
            tables = tables_of(connection, schema)
        task = DmsTask(server.address, tables, target, settings, clock)
        task.full_load()
        tasks.append(task)
    return tasks


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
    build(SAMPLE / "dms", SAMPLE / "expected")
