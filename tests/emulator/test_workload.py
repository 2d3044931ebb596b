"""The whole DMS emulator under a random workload, and the workload itself."""

from pathlib import Path
from typing import Any

import pytest

from development.emulator import DmsTask, ManualClock, MariaDb, S3Settings
from tests.support.replay import replay, table_files
from tests.support.workload import SCHEMA, TABLES, Workload

DATE_FOLDERS: dict[str, Any] = {"date_partition_enabled": True, "include_op_for_full_load": True}


@pytest.mark.parametrize("settings", [{}, DATE_FOLDERS], ids=["flat", "date folders"])
def test_replaying_the_files_gives_the_source_after_every_date(
    server: MariaDb, target: Path, settings: dict[str, Any]
) -> None:
    workload = Workload(seed=len(settings), statements=5_000, dates=5)
    workload.create(server)
    clock = ManualClock(workload.loaded_at)
    task = DmsTask(
        server.address,
        workload.table_names,
        target,
        S3Settings(timestamp_column_name="dms_timestamp", **settings),
        clock,
    )
    task.full_load(max_rows_per_file=40)
    days = []
    for day in workload.run(server):
        clock.now = day.files_written_at
        task.write_changes(max_rows_per_file=300)
        days.append(day)
    assert len(days) == 5
    # At the end, so that files of later dates are there and have to be left out.
    for day in days:
        for table in TABLES:
            files = table_files(target / SCHEMA / table.name, day.run_date)
            assert replay(files, table.primary_keys) == day.expected[table.name], day.run_date


def test_equal_seeds_give_equal_workloads(server: MariaDb) -> None:
    def states(seed: int) -> list[object]:
        workload = Workload(seed=seed, statements=60, dates=2)
        workload.create(server)
        return list(workload.run(server))

    assert states(3) == states(3)
    assert states(3) != states(4)
