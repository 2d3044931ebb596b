"""A random workload on a real MariaDB, written as CSV in several ways: each gives its rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from development.emulator import DmsTask, ManualClock, MariaDb, S3Settings
from tests.conftest import NewProject
from tests.support.project import Project
from tests.support.source_rows import CanonicalRow, canonical_rows, fetch_rows
from tests.support.workload import SCHEMA, TABLES, Workload

pytestmark = pytest.mark.thorough

TIMED = {"timestamp_column_name": "ts"}
MOVED = {"id": "int", "name": "string"}


@dataclass(frozen=True)
class Way:
    """A way to write CSV: the settings of DMS, and what is declared of them."""

    settings: Mapping[str, Any]
    declared: Mapping[str, Any] = field(default_factory=dict)


WAYS = {
    "defaults": Way({}),
    "header": Way(
        TIMED
        | {
            "csv_delimiter": ";", "csv_row_delimiter": "\r\n", "csv_null_value": "",
            "add_column_name": True, "compression_type": "gzip", "include_op_for_full_load": True,
            "date_partition_enabled": True, "date_partition_sequence": "DDMMYYYY",
            "date_partition_delimiter": "DASH",
        },
        {
            "timestamp_column": "ts",
            "csv": {
                "delimiter": ";", "row_delimiter": r"\r\n", "null_value": "", "header": True,
            },
        },
    ),
    "unquoted": Way(
        {
            "csv_delimiter": "\x01", "csv_row_delimiter": "\x1e", "csv_null_value": "\x02",
            "rfc4180": False, "include_op_for_full_load": True,
        },
        {
            "csv": {
                "delimiter": r"\u0001", "row_delimiter": r"\u001e", "null_value": "\x02",
                "rfc4180": False,
            },
        },
    ),
    "together": Way(
        TIMED | {"preserve_transactions": True, "cdc_path": "changes", "csv_delimiter": "\t"},
        {"timestamp_column": "ts", "csv": {"delimiter": r"\t"}},
    ),
}  # fmt: skip
SHIFTS = (
    "update moved set id = id + 1 order by id desc; delete from moved where id = 3",
    "update moved set id = 100 - id; insert into moved values (1, 'new')",
)
Expected = dict[str, list[CanonicalRow]]


@pytest.fixture(scope="module")
def published(server: MariaDb, new_project: NewProject) -> tuple[Project, Expected]:
    """A project after one run of all files, and the rows that the source had in the end."""
    project = new_project("csv_of_a_real_source")
    workload = Workload(seed=11, statements=400, dates=2)
    workload.create(server)
    clock = ManualClock(workload.loaded_at)
    tasks = [
        DmsTask(
            server.address, workload.table_names, project.dms_root / name,
            S3Settings(data_format="csv", **way.settings), clock,
        )
        for name, way in WAYS.items()
    ]  # fmt: skip
    server.execute(
        f"use {SCHEMA}; create table moved (id int primary key, name varchar(9));"
        "insert into moved values (1, 'a'), (2, 'b'), (3, 'c')"
    )
    tasks.append(
        DmsTask(
            server.address, [(SCHEMA, "moved")], project.dms_root / "moved",
            S3Settings(data_format="csv"), clock, before_image_prefix="BI_",
        )
    )  # fmt: skip
    for task in tasks:
        task.full_load(max_rows_per_file=40)
    for day, shift in zip(workload.run(server), SHIFTS, strict=True):
        clock.now = day.files_written_at
        noon = datetime.combine(day.run_date, datetime.min.time()).replace(hour=12)
        server.execute(f"use {SCHEMA}; set timestamp = unix_timestamp('{noon}'); {shift}")
        for task in tasks:
            task.write_changes(max_rows_per_file=100)
    with server.connection() as connection:
        expected = {**day.expected, "moved": fetch_rows(connection, SCHEMA, "moved")}
    declare(project)
    result = project.run(f"{day.run_date}")
    assert result.ok, result.errors
    return project, expected


def declare(project: Project) -> None:
    for way, how in WAYS.items():
        root = project.dms_root / way
        shared: dict[str, Any] = {}
        if way == "together":
            shared = {"transaction_path": f"{root}/changes/"}
        for table in TABLES:
            project.declare(
                f"{table.name}_{way}", dict(table.declared_columns), table.primary_keys,
                path=f"{root}/{SCHEMA}/{table.name}/", **shared, **how.declared,
            )  # fmt: skip
    project.declare(
        "moved", MOVED, ["id"],
        path=f"{project.dms_root}/moved/{SCHEMA}/moved/", before_image_prefix="BI_",
    )  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_csv_files_of_a_real_source_give_its_rows_however_they_are_written(
    published: tuple[Project, Expected], way: str
) -> None:
    project, expected = published
    for table in TABLES:
        found = canonical_rows(project.tables[f"{table.name}_{way}"].current())
        assert found == expected[table.name], table.name


def test_rows_of_a_real_source_that_change_their_keys_are_followed_by_before_images(
    published: tuple[Project, Expected],
) -> None:
    project, expected = published
    assert canonical_rows(project.tables["moved"].current()) == expected["moved"]


def test_every_way_has_written_files_of_its_own_kind(published: tuple[Project, Expected]) -> None:
    root: Path = published[0].dms_root
    names = {
        way: {path.name[-7:] for path in (root / way).rglob("*") if path.is_file()} for way in WAYS
    }
    assert names["header"] == {".csv.gz"}
    for way in ("defaults", "unquoted"):
        assert names[way]
        assert all(name.endswith(".csv") for name in names[way])
    assert len(list((root / "together/changes").glob("CDC_TXN-*.csv"))) >= 2
    assert not list((root / "together" / SCHEMA).rglob("2021*"))
