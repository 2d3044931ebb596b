"""Many dbt runs and readers on one Thrift server: no wrong read, and nobody waits for ever.

``DMS_LOAD_RUNS`` (default 2) dbt processes run again and again, two at once in each schema, while
``DMS_LOAD_READERS`` (2) readers read, for ``DMS_LOAD_SECONDS`` (0: each process runs once). As long
do readers read beside one operation after the other.
"""

import copy
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyhive import hive
from TCLIService.ttypes import TOperationState as OperationState

from tests.scenarios.test_crash import (
    TABLES,
    Reader,
    check_right,
    declare_tables,
    reading,
    run_date,
)
from tests.support.dbt_process import read_state
from tests.support.engines import REPOSITORY, ThriftEngine, fetch
from tests.support.project import Project

RUNS = int(os.environ.get("DMS_LOAD_RUNS", "2"))
READERS = int(os.environ.get("DMS_LOAD_READERS", "2"))
SECONDS = float(os.environ.get("DMS_LOAD_SECONDS", "0"))
DAYS = 40
RUN_SECONDS = 600
# What vacuum leaves to a query that began before another version was shown.
QUERY_SECONDS = 60

# What a run says that met another one: that nothing of it was published, and what to do.
CLEAR = re.compile(
    r"another (run|command) has (published version|staged files|made it)"
    r"|is before the newest published one|started later than this one has added"
)


@dataclass
class Schema:
    """A place where two processes run the same project at once, day after day."""

    project: Project
    readers: list[Reader] = field(default_factory=list)
    day: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    unclear: list[str] = field(default_factory=list)

    def run(self, folder: Path) -> None:
        """One dbt run of the next day; its target and its log are in the folder."""
        day = self.day
        for reader in self.readers:
            reader.newest_day = max(reader.newest_day, day)
        code, reasons = run_dbt(self.project, day, folder)
        if code == 0:
            self.day = max(self.day, day + 1)
        self.ended["published" if code == 0 else "refused"] += 1
        self.unclear += [reason for reason in reasons if not CLEAR.search(reason)]


def run_dbt(project: Project, day: int, folder: Path) -> tuple[int, list[str]]:
    """The exit code, and why each model failed that did."""
    dbt = str(Path(sys.executable).with_name("dbt"))
    variables = json.dumps({"run_date": run_date(day)})
    options = ["--target-path", str(folder), "--log-path", str(folder)]
    ended = subprocess.run(
        [dbt, "run", *project.dbt_options, *options, "--vars", variables],
        env={**os.environ, **project.environment_variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    results = folder / "run_results.json"
    if not results.exists():
        return ended.returncode, [ended.stdout]
    told = json.loads(results.read_text(encoding="utf-8"))["results"]
    results.unlink()
    return ended.returncode, [r["message"] or "" for r in told if r["status"] == "error"]


def work(schema: Schema, folder: Path, deadline: float) -> None:
    try:
        schema.run(folder)
        while time.monotonic() < deadline and schema.day < DAYS:
            schema.run(folder)
    except BaseException as failure:
        # In a thread nobody else would see it.
        schema.unclear.append(repr(failure))


@pytest.mark.thorough
def test_many_runs_and_readers_at_once_see_whole_states_and_fail_clearly(
    thrift_engine: ThriftEngine, tmp_path: Path
) -> None:
    project = Project(tmp_path / "load", thrift_engine)
    declare_tables(project, DAYS + 1)
    schemas = []
    for number in range(max(1, RUNS // 2)):
        own = copy.copy(project)
        own.schema = f"{project.schema}_{number}"
        schemas.append(Schema(own))

    with ExitStack() as readers:
        for number in range(READERS):
            schema = schemas[number % len(schemas)]
            reader = readers.enter_context(reading(thrift_engine, schema.project.schema))
            schema.readers.append(reader)
        deadline = time.monotonic() + SECONDS
        runs = [
            threading.Thread(
                target=work, args=(schemas[n % len(schemas)], tmp_path / f"run_{n}", deadline)
            )
            for n in range(RUNS)
        ]
        for run in runs:
            run.start()
        for run in runs:
            run.join()
        all_readers = [reader for schema in schemas for reader in schema.readers]
        for reader in all_readers:
            reader.wait_for_a_read()

    ended = sum((schema.ended for schema in schemas), Counter())
    reads = sum(reader.reads for reader in all_readers)
    lost = sum(reader.lost_connections for reader in all_readers)
    print(f"{dict(ended)} runs, {reads} reads, {lost} lost connections")
    assert [reason for schema in schemas for reason in schema.unclear] == []
    assert [failure for reader in all_readers for failure in reader.failures] == []
    assert lost == 0
    for schema in schemas:
        # What the last runs refused each other, the next one takes.
        last = schema.day
        assert run_dbt(schema.project, last, tmp_path / "last") == (0, [])
        check_right(read_state(thrift_engine, schema.project.schema, list(TABLES)), last)


@pytest.mark.thorough
def test_readers_see_whole_states_beside_runs_and_operations(
    thrift_engine: ThriftEngine, tmp_path: Path
) -> None:
    project = Project(tmp_path / "beside", thrift_engine)
    declare_tables(project, DAYS + 1)
    done: Counter[str] = Counter()

    def operate(operation: str, said: str, **arguments: Any) -> None:
        told = project.operate(operation, select="*", dry_run=False, **arguments)
        lines = [line for line in told.split("\n") if line.startswith("hr.") and said in line]
        assert len(lines) == len(TABLES), told
        done[operation] += 1

    def publish(day: int, *arguments: str) -> None:
        for reader in readers:
            reader.newest_day = day
        result = project.run(run_date(day), *arguments)
        assert result.ok, result.errors
        done["run"] += 1

    with ExitStack() as open_readers:
        readers = [
            open_readers.enter_context(reading(thrift_engine, project.schema))
            for _ in range(READERS)
        ]
        deadline = time.monotonic() + SECONDS
        publish(0)
        for day in range(1, DAYS):
            publish(day)
            operate("rollback", "went from version")
            operate("reapply", "went from version")
            # The first version of the date is then one that no reader sees.
            publish(day, "--full-refresh")
            operate("replay", "built the state")
            operate("vacuum", ": deleted", retention=QUERY_SECONDS / 86400, grace_hours=0)
            if time.monotonic() > deadline:
                break
        for reader in readers:
            reader.wait_for_a_read()
    reads = sum(reader.reads for reader in readers)
    print(f"{dict(done)}, {reads} reads")
    assert [failure for reader in readers for failure in reader.failures] == []
    check_right(read_state(thrift_engine, project.schema, list(TABLES)), day)


def test_a_short_statement_does_not_wait_for_a_long_one(thrift_engine: ThriftEngine) -> None:
    with closing(thrift_engine.connect()) as connection:
        long = connection.cursor()
        # Twice as many tasks as this machine would get through in ten seconds.
        tasks = 2 * 100 * (os.cpu_count() or 1)
        long.execute(
            "select count(slept) from"
            " (select java_method('java.lang.Thread', 'sleep', 100 + id - id) as slept"
            f" from range(0, {tasks}, 1, {tasks}))",
            async_=True,
        )
        assert thrift_engine.query("select sum(id) from range(0, 8, 1, 4)") == [(28,)]
        running = long.poll().operationState
        long.cancel()
    assert running == OperationState.RUNNING_STATE


@pytest.mark.parametrize("target", ["thrift", "emr"])
def test_a_session_on_a_thrift_server_has_the_settings_of_its_target(
    thrift_engine: ThriftEngine, target: str
) -> None:
    profile = yaml.safe_load((REPOSITORY / "profiles/profiles.yml").read_text(encoding="utf-8"))
    targets = profile["dms_snapshots"]["outputs"]
    settings = targets[target]["server_side_parameters"]
    server = thrift_engine.server
    with closing(hive.connect(server.host, server.port, configuration=settings)) as connection:
        names = [name.removeprefix("set:") for name in settings]
        found: dict[str, str] = dict(fetch(connection, f"set {name}")[0] for name in names)
    assert found == dict(zip(names, settings.values(), strict=True))
    # dbt adds the one about ANSI where it has the session itself. Pools are a matter of the server.
    session = {
        name: value
        for name, value in targets["serverless"]["server_side_parameters"].items()
        if not name.startswith("spark.scheduler.")
    }
    assert found == session | {"spark.sql.ansi.enabled": "false"}
