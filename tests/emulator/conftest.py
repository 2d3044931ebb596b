"""One MariaDB for all tests of the DMS emulator, and an empty schema for each test."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from development.emulator import DmsTask, ManualClock, MariaDb, S3Settings

SCHEMA = "hr"
NOON = datetime(2020, 11, 13, 12)

MakeTask = Callable[..., DmsTask]
Read = Callable[[str], list[dict[str, Any]]]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MariaDb]:
    with MariaDb.start(tmp_path_factory.mktemp("mariadb")) as server:
        yield server


@pytest.fixture
def source(server: MariaDb) -> Callable[[str], None]:
    """Runs a script in the schema ``hr``, which is empty at the start of a test."""
    server.execute(f"drop schema if exists {SCHEMA}; create schema {SCHEMA}")
    return lambda script: server.execute(f"use {SCHEMA}; {script}")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "dms"


@pytest.fixture
def make_task(server: MariaDb, target: Path, clock: ManualClock) -> MakeTask:
    """Makes a task on tables of ``hr``: ``make_task("t", timestamp_column_name="ts")``."""

    def make(*tables: str, **settings: Any) -> DmsTask:
        names = [(SCHEMA, table) for table in tables]
        return DmsTask(server.address, names, target, S3Settings(**settings), clock)

    return make


@pytest.fixture
def read(target: Path) -> Read:
    """Reads the rows of a written file, by its path under the target."""
    return lambda path: list(pq.ParquetFile(target / path).read().to_pylist())
