"""One Spark for the whole test process, and a project of its own for whoever asks.

``DMS_TEST_TARGET=thrift`` runs every scenario against a Spark Thrift server instead of the session
of this process. Modules that are marked ``on_each_engine`` run against both in any case; tests that
use ``each_engine`` run against a Thrift server, and locally too in the whole suite.

``DMS_TEST_LAKE=s3`` has the lake of both on a real S3 API on loopback; ``s3a`` too, by that name.

A plain run of all leaves out the tests that are marked ``thorough``: what costs minutes, and what
comes of two rare things at once. ``DMS_SUITE=whole`` takes them, and so does whoever asks for a
file, a name or a mark. ``DMS_SUITE=part`` takes those of some files, of others for each commit:
all are run every few times. ``DMS_PART=3`` chooses which.
"""

import os
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling

from development.emulator import MariaDb
from pyspark_dms.services.background import free_port
from pyspark_dms.services.thrift import ThriftServer
from tests.support.engines import (
    QUICK_JVM,
    SHUFFLE_PARTITIONS,
    Engine,
    LocalEngine,
    ThriftEngine,
    set_spark_environment,
)
from tests.support.project import Project
from tests.support.s3_server import LAKE, s3_server

NewProject = Callable[[str], Project]
# They share a Thrift server, so one worker takes them all, and first, because they are long.
WITH_THRIFT = frozenset(
    f"tests/{name}.py"
    for name in (
        "readers/test_trino",
        "scenarios/test_changes",
        "scenarios/test_kill_walk",
        "scenarios/test_load",
        "scenarios/test_sample",
        "scenarios/test_workload",
    )
)


PARTS = 8
if os.environ.get("DMS_SUITE") == "part":
    # A walk of every statement takes longer than all other parts together.
    os.environ.setdefault("DMS_KILL_WALK", "25")


class ThriftTogether(LoadFileScheduling):  # type: ignore[misc]
    """Gives a worker a file at a time, and those with a Thrift server at once."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return "thrift" if file in WITH_THRIFT else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ThriftTogether:
    return ThriftTogether(config, log)


def _suite(config: pytest.Config) -> str:
    suite = os.environ.get("DMS_SUITE", "quick")
    if suite not in ("quick", "part", "whole"):
        raise pytest.UsageError(f"DMS_SUITE is {suite}; allowed are quick, part and whole")
    asked = {(config.rootpath / path).resolve() for path in config.args}
    everything = {(config.rootpath / path).resolve() for path in config.getini("testpaths")}
    is_asked_for = asked != everything or any(
        (config.option.keyword, config.option.markexpr, config.option.lf, config.option.failedfirst)
    )
    return "whole" if is_asked_for else suite


def part_number(root: Path) -> int:
    """Which part of the thorough tests to take, from 1: the next one for each commit.

    A copy that does not know its commits takes another one each day.
    """
    if given := os.environ.get("DMS_PART"):
        return int(given)
    command = ("git", "-C", str(root), "rev-list", "--count", "HEAD")
    counted = subprocess.run(command, capture_output=True, text=True, check=False)
    commits = int(counted.stdout) if counted.returncode == 0 else 1
    return (commits if commits > 1 else datetime.now(UTC).toordinal()) % PARTS + 1


def files_of_part(files: Sequence[str], number: int) -> set[str]:
    """The test files of a part: those with the most tests are dealt first.

    Args:
        files: the file of each thorough test.
        number: of the part, from 1.
    """
    counts = sorted(Counter(files).items(), key=lambda one: (-one[1], one[0]))
    return {file for place, (file, _) in enumerate(counts) if place % PARTS == number - 1}


def pytest_report_header(config: pytest.Config) -> str:
    suite = _suite(config)
    if suite == "part":
        return f"suite: part {part_number(config.rootpath)} of {PARTS} of the thorough tests too"
    if suite == "quick":
        return (
            "suite: quick, without the tests that are marked thorough (DMS_SUITE=whole: with them)"
        )
    return "suite: with the tests that are marked thorough"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long files first, so that all workers end at about the same time."""
    suite = _suite(config)
    thorough = [item for item in items if item.get_closest_marker("thorough")]
    if suite == "part":
        files = [item.nodeid.split("::", 1)[0] for item in thorough]
        taken = files_of_part(files, part_number(config.rootpath))
        thorough = [item for item, file in zip(thorough, files, strict=True) if file not in taken]
    if suite != "whole":
        config.hook.pytest_deselected(items=thorough)
        left_out = set(thorough)
        items[:] = [item for item in items if item not in left_out]

    def place(item: pytest.Item) -> tuple[bool, bool]:
        file = item.nodeid.split("::", 1)[0]
        return file not in WITH_THRIFT, not file.startswith("tests/scenarios/")

    items.sort(key=place)


@pytest.fixture(scope="session")
def lake_root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str | None]:
    """Where lakes are made, if not in local folders: a bucket, to which the environment leads."""
    scheme = os.environ.get("DMS_TEST_LAKE", "local")
    if scheme == "local":
        yield None
        return
    assert scheme in ("s3", "s3a"), f"DMS_TEST_LAKE is {scheme}; allowed are local, s3 and s3a"
    folder = tmp_path_factory.mktemp("s3")
    with s3_server(folder, LAKE) as environment, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DMS_TEST_BUCKETS", str(folder / "buckets"))
        for name, value in environment.items():
            patch.setenv(name, value)
        yield f"{scheme}://{LAKE}"


@pytest.fixture(scope="session")
def local_engine(
    tmp_path_factory: pytest.TempPathFactory, lake_root: str | None
) -> Iterator[LocalEngine]:
    set_spark_environment()
    folder = tmp_path_factory.mktemp("lake")
    engine = LocalEngine(f"{lake_root}/local" if lake_root else str(folder), folder)
    yield engine
    engine.stop()


@pytest.fixture(scope="session")
def thrift_engine(
    tmp_path_factory: pytest.TempPathFactory, lake_root: str | None
) -> Iterator[ThriftEngine]:
    set_spark_environment()
    server = new_thrift_server(tmp_path_factory)
    if lake_root:
        server = replace(server, warehouse=f"{lake_root}/thrift/warehouse")
    server.start()
    yield ThriftEngine(server)
    server.stop()


@pytest.fixture(scope="session")
def engine(request: pytest.FixtureRequest) -> Engine:
    """Where scenarios run; see `tests.support.engines.on_each_engine`."""
    name = getattr(request, "param", os.environ.get("DMS_TEST_TARGET", "local"))
    chosen: Engine = request.getfixturevalue(f"{name}_engine")
    return chosen


@pytest.fixture(
    scope="session",
    # In a session of this process, other tests publish the sample too.
    params=["thrift", pytest.param("local", marks=pytest.mark.thorough)],
)
def each_engine(request: pytest.FixtureRequest) -> Engine:
    chosen: Engine = request.getfixturevalue(f"{request.param}_engine")
    return chosen


@pytest.fixture(scope="session")
def new_project(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> NewProject:
    """Makes an empty project; the name tells it from the others in the warehouse."""
    return lambda name: Project(tmp_path_factory.mktemp(name), engine)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MariaDb]:
    """One MariaDB for all tests that need a real source."""
    with MariaDb.start(tmp_path_factory.mktemp("mariadb")) as server:
        yield server


def new_thrift_server(tmp_path_factory: pytest.TempPathFactory) -> ThriftServer:
    """A Thrift server with a lake and a metastore in PostgreSQL of its own, not yet started."""
    settings = {
        "spark.sql.shuffle.partitions": str(SHUFFLE_PARTITIONS),
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": QUICK_JVM,
    }
    return ThriftServer(tmp_path_factory.mktemp("thrift"), free_port(), settings=settings)
