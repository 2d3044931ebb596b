"""The project on a Spark cluster of two workers that share nothing with the driver but S3.

``DMS_CLUSTER_ROWS`` is the size of the large table: 200,000 rows, or 2,000,000 to be sure.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyspark_dms.services.background import free_port
from pyspark_dms.services.s3_lake import local_folder
from pyspark_dms.services.thrift import ThriftServer
from tests.support.dms_files import Row
from tests.support.engines import ENGINES, PYTHON_HOOKS, QUICK_JVM, REPOSITORY, ThriftEngine
from tests.support.project import Project
from tests.support.query_process import ask
from tests.support.s3_server import LAKE, requests_of, s3_server, upload
from tests.support.source_rows import canonical_rows, read_expected
from tests.support.spark_cluster import SparkCluster, spark_cluster

pytestmark = pytest.mark.thorough
ROWS = int(os.environ.get("DMS_CLUSTER_ROWS", "200000"))
LANDING = "landing"
EXPECTED = REPOSITORY / "sample/expected"
DATES = sorted(folder.name for folder in EXPECTED.iterdir())
SAMPLE = sorted(f"{file.parent.name}/{file.stem}" for file in EXPECTED.glob(f"{DATES[0]}/*/*.csv"))
COLUMNS = {"id": "bigint", "version": "int", "name": "string", "hash": "string"}
LOADS, CHANGES = 4, 2
MERGE_SECONDS = 600
# How the logs of versitygw and of moto have it that a merge reads the state before.
STATE_BEFORE = r"(GetObject |GET /).*/big_snapshot/[^/]+/rows/part-"
# And that a task of a merge has written a part of its file, or its file while others write theirs.
WRITTEN = r"(PutObject |UploadPart |PUT /).*/big_snapshot/[^/]+/rows/part-"
KILLS = dict(zip(DATES[1:], (STATE_BEFORE, WRITTEN), strict=True))


@dataclass(frozen=True)
class Place:
    """A cluster, an S3 server that all its machines reach, and the variables for a driver."""

    cluster: SparkCluster
    s3: Path
    environment: Mapping[str, str]


class _Driver:
    """What `Project` asks of an engine that runs in processes of their own."""

    def __init__(self, name: str, environment: Mapping[str, str]) -> None:
        self.target = name
        self.environment = environment

    def query(self, sql: str) -> list[Row]:
        raise NotImplementedError(sql)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("cluster")
    for name in ("s3", "spark"):
        (folder / name).mkdir()
    with ExitStack() as stack:
        cluster = stack.enter_context(spark_cluster(folder / "spark"))
        s3 = stack.enter_context(s3_server(folder / "s3", LAKE, LANDING, host=cluster.host))
        environment = {
            **s3,
            "DMS_MASTER": cluster.master,
            "DMS_DRIVER_MEMORY": "2g",
            "DMS_SHUFFLE_PARTITIONS": "4",
            "DMS_JVM_OPTIONS": QUICK_JVM,
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": str(PYTHON_HOOKS),
            "TZ": "UTC",
        }
        yield Place(cluster, folder / "s3", environment)


class ClusterProject:
    """A project whose dbt commands are processes of their own, on the cluster."""

    def __init__(self, place: Place, folder: Path, name: str) -> None:
        self.place = place
        self.name = name
        self.lake = f"s3://{LAKE}/{name}/{folder.name}"
        self.environment: dict[str, str] = {
            **{key: os.environ[key] for key in ("PATH", "HOME", "JAVA_HOME") if key in os.environ},
            **place.environment,
            "DMS_TARGET": name,
            "DMS_LAKE": self.lake,
        }
        self.project = Project(folder, _Driver(name, self.environment))
        self.events = folder / "events"
        self._write_spark_settings(folder / "conf")
        self.server: ThriftServer | None = None
        self._commands: list[subprocess.Popen[str]] = []

    def _write_spark_settings(self, conf: Path) -> None:
        self.events.mkdir()
        shutil.copytree(REPOSITORY / "profiles/spark", conf)
        settings = {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": self.events.as_uri(),
            "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.compress": "false",
        }
        lines = [f"{name} {value}\n" for name, value in settings.items()]
        (conf / "spark-defaults.conf").write_text("".join(lines), encoding="utf-8")
        self.environment["SPARK_CONF_DIR"] = str(conf)

    def start_server(self) -> None:
        """The Thrift server of this lake, which is on the cluster too."""
        self.server = ThriftServer(
            self.metastore,
            free_port(),
            settings={"spark.driver.extraJavaOptions": QUICK_JVM},
            warehouse=f"{self.lake}/warehouse",
        )
        self.environment["DMS_THRIFT_PORT"] = str(self.server.port)
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment.items():
                patch.setenv(name, value)
            self.server.start()

    def start(self, *command: str) -> subprocess.Popen[str]:
        """Start a dbt command; its output is kept in a file named after it."""
        with (self.project.folder / "dbt.log").open("a", encoding="utf-8") as log:
            process = subprocess.Popen(
                [str(Path(sys.executable).with_name("dbt")), *command, *self.project.dbt_options],
                env={**self.project.environment_variables, **self.environment},
                cwd=self.project.folder,
                stdout=log,
                stderr=log,
                text=True,
            )
        self._commands.append(process)
        return process

    def stop(self) -> None:
        """End the server, and a command that a failed test has left."""
        for process in self._commands:
            process.kill()
            process.wait()
        if self.server:
            self.server.stop()

    def dbt(self, *command: str) -> None:
        self.succeeds(self.start(*command))

    def run(self, run_date: str) -> None:
        self.dbt("run", "--vars", json.dumps({"run_date": run_date}))

    def succeeds(self, process: subprocess.Popen[str]) -> None:
        log = self.project.folder / "dbt.log"
        assert process.wait() == 0, log.read_text(encoding="utf-8")[-6000:]

    def ask(self, queries: Mapping[str, str]) -> dict[str, list[Row]]:
        """The rows of some queries; those of ``local`` are read without the cluster."""
        if self.server:
            engine = ThriftEngine(self.server)
            return {name: engine.query(sql) for name, sql in queries.items()}
        environment = {k: v for k, v in self.environment.items() if k != "DMS_MASTER"}
        return ask(self.lake, self.metastore, queries, environment)

    @property
    def metastore(self) -> Path:
        """Where what must be on a disk of the driver is."""
        return self.project.folder / local_folder(self.lake)

    def event_logs(self) -> list[Path]:
        """What Spark has written down of each driver so far."""
        return [path for path in sorted(self.events.iterdir()) if path.is_file()]


@pytest.fixture(scope="module", params=ENGINES)
def cluster_project(
    request: pytest.FixtureRequest, place: Place, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ClusterProject]:
    """The sample, and beside it a large table, in one project for each target."""
    folder = tmp_path_factory.mktemp("project")
    made = ClusterProject(place, folder, request.param)
    shutil.rmtree(folder / "models")
    for name in ("models", "snapshots", "seeds"):
        shutil.copytree(REPOSITORY / name, folder / name)
    root = f"s3://{LANDING}/{request.param}"
    made.environment["DMS_ROOT"] = root
    upload(place.environment, REPOSITORY / "sample/dms", LANDING, request.param)
    made.project.declare("big", COLUMNS, ["id"], path=f"{root}/hr/big/")
    write_big(folder / "dms/hr/big")
    upload(place.environment, folder / "dms", LANDING, request.param)
    try:
        if request.param == "thrift":
            made.start_server()
        yield made
    finally:
        made.stop()


# ---------------------------------------------------------------- the large table


def write_big(folder: Path) -> None:
    """Full load files, and change files for the second date and the third."""
    folder.mkdir(parents=True)
    size = -(-ROWS // LOADS)
    for number in range(LOADS):
        ids = range(number * size, min((number + 1) * size, ROWS))
        pq.write_table(
            big_rows([(key, 0) for key in ids]), folder / f"LOAD0000000{number + 1}.parquet"
        )
    for day, version in (("20201114", 1), ("20201115", 2)):
        for number in range(CHANGES):
            keys = [key for key in range(ROWS + 3000) if key % CHANGES == number]
            ops = [(kind, key) for key in keys if (kind := change_of(key, version))]
            rows = big_rows([(key, version) for _, key in ops])
            column = pa.array([kind for kind, _ in ops], pa.string())
            file = folder / f"{day}-10000000{number}.parquet"
            pq.write_table(rows.add_column(0, "Op", column), file)


def change_of(key: int, version: int) -> str:
    """What happens to a key: 1 in 20 is updated, 1 in 101 deleted, 1,500 keys are new."""
    if ROWS + (version - 1) * 1500 <= key < ROWS + version * 1500:
        return "I"
    if key >= ROWS or key % 101 == 1:
        # What was deleted before does not come back.
        return "D" if key < ROWS and version == 1 else ""
    if key % 101 == version + 1:
        return "D"
    was_deleted = version == 2 and key % 101 == 2
    return "U" if key % 20 == version and not was_deleted else ""


def expected_big(version: int) -> pa.Table:
    """The table after the changes up to a version, from the rules alone."""
    state = dict.fromkeys(range(ROWS), 0)
    for step in range(1, version + 1):
        for key in range(ROWS + 3000):
            kind = change_of(key, step)
            if kind == "D":
                del state[key]
            elif kind:
                state[key] = step
    return big_rows(sorted(state.items()))


def big_rows(keys: Sequence[tuple[int, int]]) -> pa.Table:
    return pa.table(
        {
            "id": pa.array([key for key, _ in keys], pa.int64()),
            "version": pa.array([version for _, version in keys], pa.int32()),
            "name": pa.array([f"name {key}" if key % 7 else None for key, _ in keys], pa.string()),
            "hash": pa.array(
                [
                    hashlib.blake2b(f"{key} {v}".encode(), digest_size=32).hexdigest()
                    for key, v in keys
                ],
                pa.string(),
            ),
        }
    )


def client(place: Place) -> Any:
    session = boto3.Session(
        place.environment["AWS_ACCESS_KEY_ID"], place.environment["AWS_SECRET_ACCESS_KEY"]
    )
    return session.client(
        "s3", endpoint_url=place.environment["AWS_ENDPOINT_URL"], region_name="us-east-1"
    )


def all_rows_below(place: Place, location: str) -> pa.Table:
    """The rows of every file in a folder, as any reader would find them, by id."""
    bucket, _, key = location.split("://", 1)[1].partition("/")
    s3 = client(place)
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{key}/")
    keys = [one["Key"] for page in pages for one in page.get("Contents", []) if one["Size"]]
    files = [s3.get_object(Bucket=bucket, Key=one)["Body"].read() for one in keys]
    tables = [pq.read_table(pa.BufferReader(file)).select(list(COLUMNS)) for file in files]
    return pa.concat_tables(tables).sort_by("id")


# ---------------------------------------------------------------- the killed worker


def kill_worker_at(
    made: ClusterProject, run: subprocess.Popen[str], seen: int, pattern: str
) -> None:
    """Kill the worker that first asks for an object of a pattern."""
    cluster = made.place.cluster
    deadline = time.monotonic() + MERGE_SECONDS
    while run.poll() is None and time.monotonic() < deadline:
        for line in requests_of(made.place.s3)[seen:]:
            if not re.search(pattern, line):
                continue
            # Without networks of their own workers cannot be told apart; the first will do.
            readers = [one for one in cluster.workers if f" {one.address} " in f" {line} "]
            if readers:
                cluster.kill_worker(readers[0])
                return
        time.sleep(0.02)
    raise AssertionError(f"no worker has asked for {pattern}")


def lost_tasks(log: Path) -> list[str]:
    """The plans of the statements of which a task was lost with its executor."""
    plans: dict[str, str] = {}
    statements: dict[int, str] = {}
    lost = []
    for line in log.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        match event["Event"].rpartition(".")[2]:
            case "SparkListenerSQLExecutionStart":
                plans[str(event["executionId"])] = event["physicalPlanDescription"]
            case "SparkListenerJobStart":
                statement = event["Properties"].get("spark.sql.execution.id", "")
                statements |= dict.fromkeys(event["Stage IDs"], statement)
            case "SparkListenerTaskEnd":
                if event["Task End Reason"]["Reason"] == "ExecutorLostFailure":
                    lost.append(plans.get(statements[event["Stage ID"]], ""))
    return lost


# ---------------------------------------------------------------- tests


@pytest.fixture(scope="module")
def published(cluster_project: ClusterProject) -> ClusterProject:
    """All dates; in each merge of the large table a worker is killed: it reads, then it writes."""
    made = cluster_project
    for run_date in DATES:
        started = time.monotonic()
        if run_date in KILLS:
            seen = len(requests_of(made.place.s3))
            run = made.start("run", "--vars", json.dumps({"run_date": run_date}))
            kill_worker_at(made, run, seen, KILLS[run_date])
            made.succeeds(run)
            made.place.cluster.start_worker()
        else:
            made.run(run_date)
        print(f"{made.name}: {run_date} took {time.monotonic() - started:.1f} s")
    return made


def test_the_sample_is_the_source_at_each_moment(published: ClusterProject) -> None:
    project = published.project
    columns = {
        name: (EXPECTED / DATES[0] / f"{name}.csv").read_text("utf-8").split("\n")[0]
        for name in SAMPLE
    }
    queries = {
        f"{run_date}/{name}": f"select {columns[name]} from {project.schema}."
        f"{name.split('/')[1]}_snapshot where snapshot_date = date'{run_date}'"
        for run_date in DATES
        for name in SAMPLE
    }
    found = published.ask(queries)
    for name, rows in found.items():
        assert canonical_rows(rows) == read_expected(EXPECTED / f"{name}.csv"), name
    assert len(found) == len(DATES) * len(SAMPLE)


def test_a_worker_killed_in_a_merge_costs_a_retry_and_no_row(published: ClusterProject) -> None:
    project = published.project
    found = published.ask(
        {
            run_date: f"describe extended {project.schema}.big_snapshot"
            f" partition (snapshot_date = '{run_date}')"
            for run_date in DATES
        }
    )
    for version, run_date in enumerate(DATES):
        location = next(row[1] for row in found[run_date] if row[0] == "Location")
        rows = all_rows_below(published.place, location)
        assert rows.num_rows == expected_big(version).num_rows, run_date
        assert rows.equals(expected_big(version)), run_date
    # Each kill hit what it was meant for: a worker has one task at a time.
    lost = [plan for log in published.event_logs() for plan in lost_tasks(log)]
    assert len([plan for plan in lost if "dms_merge" in plan]) == len(KILLS), lost


def test_nothing_is_left_of_the_uploads_of_a_killed_worker(published: ClusterProject) -> None:
    listed = client(published.place).list_multipart_uploads(Bucket=LAKE)
    assert listed.get("Uploads", []) == []


def test_the_keys_of_the_store_are_in_no_log(published: ClusterProject) -> None:
    place = published.place
    logs = [path for path in place.cluster.folder.rglob("*") if path.is_file()]
    logs += [*published.project.folder.rglob("*.log"), *published.event_logs()]
    secret = place.environment["AWS_SECRET_ACCESS_KEY"].encode()
    assert [path for path in logs if secret in path.read_bytes()] == []
    # They were looked at when they were there.
    assert any(b"dms_merge" in path.read_bytes() for path in published.event_logs())


def test_the_data_tests_of_the_project_pass(published: ClusterProject) -> None:
    published.dbt("test", "--vars", json.dumps({"run_date": DATES[-1]}))
