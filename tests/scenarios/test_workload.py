"""A random workload on a real MariaDB: every table is right on every date, on both targets.

``DMS_WORKLOAD_STATEMENTS`` and ``DMS_WORKLOAD_SEED`` choose another one.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from development.emulator import DmsTask, ManualClock, MariaDb, S3Settings
from tests.support.engines import Engine
from tests.support.project import Project
from tests.support.source_rows import canonical_rows
from tests.support.workload import SCHEMA, TABLES, RunDate, Workload

pytestmark = pytest.mark.thorough


@dataclass(frozen=True)
class Recorded:
    """The files that DMS wrote for a workload, and the states of the source."""

    root: Path
    days: list[RunDate]


@pytest.fixture(scope="module")
def recorded(server: MariaDb, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    root = tmp_path_factory.mktemp("recorded")
    workload = Workload(
        seed=int(os.environ.get("DMS_WORKLOAD_SEED", "7")),
        statements=int(os.environ.get("DMS_WORKLOAD_STATEMENTS", "5000")),
    )
    workload.create(server)
    clock = ManualClock(workload.loaded_at)
    settings = S3Settings(timestamp_column_name="dms_timestamp", date_partition_enabled=True)
    task = DmsTask(server.address, workload.table_names, root, settings, clock)
    task.full_load(max_rows_per_file=40)
    days = []
    for day in workload.run(server):
        clock.now = day.files_written_at
        task.write_changes(max_rows_per_file=100)
        days.append(day)
    return Recorded(root, days)


@pytest.fixture(scope="module")
def replayed(
    recorded: Recorded, each_engine: Engine, tmp_path_factory: pytest.TempPathFactory
) -> Project:
    """A project after a run of each date; the files of all dates are there from the first run."""
    project = Project(tmp_path_factory.mktemp("workload"), each_engine)
    project.dms_root = recorded.root
    for table in TABLES:
        project.declare(
            table.name,
            dict(table.declared_columns),
            table.primary_keys,
            source=SCHEMA,
            timestamp_column="dms_timestamp",
        )
    for day in recorded.days:
        result = project.run(f"{day.run_date}")
        assert result.ok, result.errors
    return project


@pytest.mark.parametrize("name", [table.name for table in TABLES])
def test_every_snapshot_is_what_the_source_had_at_the_end_of_its_date(
    recorded: Recorded, replayed: Project, name: str
) -> None:
    table = replayed.tables[name]
    assert table.dates() == [f"{day.run_date}" for day in recorded.days]
    for day in recorded.days:
        assert table.canonical(f"{day.run_date}") == day.expected[name], day.run_date
    assert canonical_rows(table.current()) == recorded.days[-1].expected[name]


def test_the_workload_has_files_and_changes_of_every_date(recorded: Recorded) -> None:
    for table in TABLES:
        files = list((recorded.root / SCHEMA / table.name).rglob("*.parquet"))
        dates = {file.name[:8] for file in files if not file.name.startswith("LOAD")}
        assert dates == {f"{day.run_date:%Y%m%d}" for day in recorded.days}
        assert len({str(day.expected[table.name]) for day in recorded.days}) == len(recorded.days)
