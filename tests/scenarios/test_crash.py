"""kill -9 of dbt and of the Thrift server: readers see whole states, the next run repairs.

``DMS_KILLS`` (default 1) is the number of kills of each test, ``DMS_KILL_SEED`` their moments.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from thrift.transport.TTransport import TTransportException

from pyspark_dms.services.thrift import ThriftServer
from pyspark_dms.versions import log
from tests.conftest import NewProject, new_thrift_server
from tests.support.dbt_process import Job, State, read_state, write_job
from tests.support.dms_files import Row
from tests.support.engines import REPOSITORY, LocalEngine, ThriftEngine
from tests.support.project import Project, Table, local_path
from tests.support.side_by_side import COLUMNS

KILLS = int(os.environ.get("DMS_KILLS", "1"))
SEED = os.environ.get("DMS_KILL_SEED", "1")
TABLES = ("people", "places")
ROWS = 300
# Of these and those behind them all change each day, so that files of the others go on.
CHANGED_FROM = 200
FILE_BYTES = 500
FIRST_DAY = date(2020, 11, 13)


def run_date(day: int) -> str:
    return f"{FIRST_DAY + timedelta(days=day)}"


def rows_after(day: int) -> list[Row]:
    """A third of the rows tell of which day they are, so that no mixed state looks whole."""
    return [(key, f"day {day if key >= CHANGED_FROM else 0}") for key in range(day, ROWS + day)]


def write_day(table: Table, day: int) -> None:
    """Each day the last third of the rows change, the first is deleted and one is added."""
    if day == 0:
        table.write_load(*rows_after(0))
        return
    updates = [("U", key, f"day {day}") for key in range(CHANGED_FROM, ROWS + day - 1)]
    name = f"{run_date(day).replace('-', '')}-120000000"
    last = ROWS + day - 1
    table.write_changes(name, ("D", day - 1, None), *updates, ("I", last, f"day {day}"))


def declare_tables(project: Project, days: int) -> None:
    project.set_variables(file_bytes=FILE_BYTES)
    for name in TABLES:
        table = project.declare(name, COLUMNS, ["id"])
        for day in range(days):
            write_day(table, day)


def check_whole(state: State, newest_day: int) -> None:
    """Every date is its own state; the current table is that of some day up to the newest."""
    days = {run_date(day): rows_after(day) for day in range(newest_day + 1)}
    for name, rows in state.items():
        table, _, shown = name.partition(" ")
        if shown == "current":
            assert [tuple(row) for row in rows] in days.values(), f"{table}: no whole state"
        else:
            assert shown in days, f"{table}: {shown} was never run"
            assert [tuple(row) for row in rows] == days[shown], f"{table}: {shown} is not whole"


def check_right(state: State, day: int) -> None:
    check_whole(state, day)
    for table in TABLES:
        for shown in (run_date(day), "current"):
            assert [tuple(row) for row in state[f"{table} {shown}"]] == rows_after(day), shown


# ------------------------------------------------------------- at one certain step


UNSEEN = ("write_state", "commit_version", "publish_version")
# When these begin, readers see the new date, and of the second one the new state too.
SHOWING = ("publish_current",)
STEPS = (*UNSEEN, *SHOWING)


@pytest.fixture(scope="module")
def interrupted(new_project: NewProject) -> Project:
    """A project whose run of the second day died, for each table at the start of another step."""
    project = new_project("interrupted")
    project.set_variables(file_bytes=FILE_BYTES)
    for step in STEPS:
        table = project.declare(f"dies_in_{step}", COLUMNS, ["id"])
        for day in range(3):
            write_day(table, day)
    assert project.run(run_date(0)).ok
    with contextlib.ExitStack() as interruptions:
        for step in STEPS:
            interruptions.enter_context(project.interrupted(step, f"dies_in_{step}"))
        result = project.run(run_date(1))
    for step in STEPS:
        assert "died here" in result.message(f"dies_in_{step}_snapshot")
    return project


@pytest.mark.parametrize("step", UNSEEN)
def test_a_run_that_died_on_the_way_has_changed_nothing(interrupted: Project, step: str) -> None:
    people = interrupted.tables[f"dies_in_{step}"]
    assert people.dates() == [run_date(0)]
    assert people.snapshot(run_date(0)) == people.current() == rows_after(0)


@pytest.mark.parametrize("step", SHOWING)
def test_a_run_that_died_while_it_was_shown_has_shown_whole_states(
    interrupted: Project, step: str
) -> None:
    people = interrupted.tables[f"dies_in_{step}"]
    assert people.snapshot(run_date(0)) == rows_after(0)
    assert people.snapshot(run_date(1)) == rows_after(1)
    assert people.current() == rows_after(0)


def test_what_a_run_left_undone_the_next_one_does(interrupted: Project) -> None:
    assert interrupted.run(run_date(2)).ok
    for step in STEPS:
        people = interrupted.tables[f"dies_in_{step}"]
        # What was recorded is shown; what was not was not yet a version of its date.
        shown = [0, 2] if step in ("write_state", "commit_version") else [0, 1, 2]
        assert people.dates() == [run_date(day) for day in shown]
        for day in shown:
            assert people.snapshot(run_date(day)) == rows_after(day)
        assert people.current() == rows_after(2)


@pytest.mark.thorough
def test_what_a_run_that_died_had_staged_counts_once_without_a_key(
    new_project: NewProject,
) -> None:
    project = new_project("half_staged")
    with_seq = {"seq": "string", **COLUMNS}
    lines = project.declare("lines", COLUMNS, [], change_seq_column="seq")
    lines.write_changes("20201113-100000000", ("I", "1", 1, "published"), columns=with_seq)
    assert project.run("2020-11-13").ok
    lines.write_changes("20201113-110000000", ("I", "2", 2, "late"), columns=with_seq)
    with project.interrupted("write_state", "lines"):
        assert "died here" in project.run("2020-11-13").message(lines.snapshot_model)
    result = project.run("2020-11-14")
    assert result.ok, result.errors
    assert lines.snapshot("2020-11-13") == [(1, "published")]
    assert lines.snapshot("2020-11-14") == [(1, "published"), (2, "late")]
    staged = project.query(f"select id from {project.schema}.{lines.staging_model} order by id")
    assert staged == [(1,), (2,)]


@pytest.mark.thorough
def test_what_a_full_refresh_that_died_had_replaced_counts_no_more(
    new_project: NewProject,
) -> None:
    project = new_project("half_refreshed")
    columns = {"id": "int", "name": "string", "note": "string"}
    people = project.declare("people", columns, ["id"], image="partial")
    people.write_load((1, "Ann", "a"))
    people.write_changes("20201114-100000000", ("U", 1, "left out", "b"), columns=columns)
    assert project.run("2020-11-14").ok
    people = project.declare(
        "people", columns, ["id"], image="partial", cdc_start_date="2020-11-15"
    )
    with project.interrupted("publish_version", "people"):
        died = project.run("2020-11-15", "--full-refresh")
    assert "died here" in died.message(people.snapshot_model)
    people.write_changes(
        "20201116-100000000", ("U", 1, "c"), columns={"id": "int", "note": "string"}
    )
    result = project.run("2020-11-16")
    assert result.ok, result.errors
    assert people.snapshot("2020-11-15") == [(1, "Ann", "a")]
    assert people.current() == [(1, "Ann", "c")]


@pytest.mark.thorough
def test_a_column_that_was_declared_before_a_run_that_died_is_in_every_table(
    new_project: NewProject,
) -> None:
    project = new_project("grown")
    grown = project.declare("grown", COLUMNS, ["id"], change_feed=True)
    grown.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    grown = project.declare("grown", {**COLUMNS, "city": "string"}, ["id"], change_feed=True)
    with project.interrupted("commit_version", "grown"):
        assert "died here" in project.run("2020-11-14").message(grown.snapshot_model)
    assert project.run("2020-11-14").ok
    assert grown.current() == grown.snapshot("2020-11-14") == [(1, "Ann", None)]
    feed = project.query(f"describe {project.schema}.grown_changes")
    assert "city_after" in {row[0] for row in feed}


DIES_BEFORE_THE_DATE = """
{% if relation.identifier == "widened_snapshot" %}
    {% do exceptions.raise_compiler_error("died here") %}
{% endif %}
"""


@pytest.mark.thorough
def test_a_table_has_a_new_column_before_it_has_the_date_with_it(new_project: NewProject) -> None:
    # Hive reads a partition with the columns that its table had when it was added.
    project = new_project("widened")
    widened = project.declare("widened", COLUMNS, ["id"])
    widened.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    widened = project.declare("widened", {**COLUMNS, "city": "string"}, ["id"])
    with project.interrupted("set_partition", jinja=DIES_BEFORE_THE_DATE):
        assert "died here" in project.run("2020-11-14").message(widened.snapshot_model)
    assert widened.dates() == ["2020-11-13"]
    columns = project.query(f"describe {project.schema}.widened_snapshot")
    assert "city" in {row[0] for row in columns}
    assert project.run("2020-11-14").ok
    assert widened.current() == widened.snapshot("2020-11-14") == [(1, "Ann", None)]


# --------------------------------------------------------------------------- local


def dbt_run(day: int) -> list[str]:
    return ["run", "--vars", json.dumps({"run_date": run_date(day)})]


@dataclass
class LocalRuns:
    """Commands of dbt for a project, in processes of their own with the same lake.

    Attributes:
        seconds: what the longest command took that was not killed.
    """

    project: Project
    lake: Path
    seconds: float = 0.0

    def play(self, commands: Sequence[Sequence[str]], check: Callable[[State], None]) -> State:
        """Run dbt commands in one process; check what is there before, between and after them."""
        process = self._start(commands)
        # A command takes no more than five minutes; then reading what it says ends in an error.
        limit = threading.Timer(300 * len(commands), _send_kill, [process])
        limit.start()
        try:
            for _ in commands:
                check(_read_line(process, "state"))
                _read_line(process, "running")
                started = time.monotonic()
                assert _read_line(process, "succeeded"), self.log()
                self.seconds = max(self.seconds, time.monotonic() - started)
            state: State = _read_line(process, "state")
            check(state)
            return state
        finally:
            limit.cancel()
            _kill_group(process)

    def kill(self, command: Sequence[str], check: Callable[[State], None], after: float) -> None:
        """Check what is there, then run a dbt command and kill it after so many seconds."""
        process = self._start([command])
        try:
            check(_read_line(process, "state"))
            _read_line(process, "running")
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(after)
        finally:
            _kill_group(process)

    def log(self) -> str:
        return (self.project.folder / "process.log").read_text(encoding="utf-8")

    def _start(self, commands: Sequence[Sequence[str]]) -> "subprocess.Popen[str]":
        with_options = [[*command, *self.project.dbt_options] for command in commands]
        job = Job(str(self.lake), self.project.schema, list(TABLES), with_options)
        command = [sys.executable, "-m", "tests.support.dbt_process"]
        with (self.project.folder / "process.log").open("ab") as log:
            return subprocess.Popen(
                [*command, str(write_job(self.project.folder / "job.json", job))],
                cwd=REPOSITORY,
                env={**os.environ, **self.project.environment_variables},
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                # Python and its JVM are one group, so that both can be killed at once.
                start_new_session=True,
            )


def _read_line(process: "subprocess.Popen[str]", kind: str) -> Any:
    """What the next line of that kind says; dbt and Spark print other ones between."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("{") and kind in (content := json.loads(line)):
            return content[kind]
    raise AssertionError(f"the process ended before it told its {kind}")


def _kill_group(process: "subprocess.Popen[str]") -> None:
    _send_kill(process)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _send_kill(process: "subprocess.Popen[str]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.thorough
def test_killed_local_runs_leave_whole_states_and_the_next_run_repairs(
    local_engine: LocalEngine, tmp_path: Path
) -> None:
    project = Project(tmp_path / "killed", local_engine)
    declare_tables(project, KILLS + 2)
    runs = LocalRuns(project, tmp_path / "lake")
    moments = random.Random(f"{SEED} local")
    # The first run is not killed: it tells how long a run takes.
    runs.play([dbt_run(0)], partial(check_whole, newest_day=0))
    for day in range(1, KILLS + 1):
        check = partial(check_whole, newest_day=day - 1)
        runs.kill(dbt_run(day), check, after=moments.uniform(0.1, 1) * runs.seconds)
    last = runs.play([dbt_run(KILLS + 1)], partial(check_whole, newest_day=KILLS + 1))
    check_right(last, KILLS + 1)


def operation(name: str, **arguments: Any) -> list[str]:
    given = {"select": "*", "dry_run": False, **arguments}
    return ["run-operation", name, "--args", json.dumps(given)]


@pytest.mark.thorough
def test_killed_operations_leave_the_old_or_the_new_state_and_the_next_one_goes_on(
    local_engine: LocalEngine, tmp_path: Path
) -> None:
    project = Project(tmp_path / "operated", local_engine)
    declare_tables(project, 4)
    runs = LocalRuns(project, tmp_path / "lake")
    moments = random.Random(f"{SEED} operations")
    # The day between is for backfill.
    whole = partial(check_whole, newest_day=2)
    runs.play([dbt_run(0), dbt_run(2)], whole)
    # In an order in which each finds something to do; any may be the first to find what is left.
    operations = (
        operation("rollback"),
        operation("reapply"),
        operation("backfill", from_date=run_date(1), to_date=run_date(1)),
        operation("rollback_to", to=run_date(0)),
        operation("replay"),
        operation("reapply"),
        operation("vacuum", grace_hours=0),
        operation("rollback_to", to=run_date(2)),
    )
    first = moments.randrange(len(operations))
    runs.seconds = 0
    runs.play([operation("rollback"), operation("reapply")], whole)
    for kill in range(KILLS):
        chosen = operations[(first + kill) % len(operations)]
        runs.kill(chosen, whole, after=moments.uniform(0.1, 1) * runs.seconds)
    # The first finishes what was left, if anything was; the second goes where it is told.
    check_right(runs.play([operation("rollback_to", to=run_date(2))] * 2, whole), 2)
    whole = partial(check_whole, newest_day=3)
    check_right(runs.play([dbt_run(3), operation("vacuum", grace_hours=0)], whole), 3)
    check_only_named_files_are_there(tmp_path / "lake")


def check_only_named_files_are_there(lake: Path) -> None:
    """And some of them under several names, in folders of several versions."""
    (root,) = lake.rglob("version_log")
    named, shared = set[Path](), 0
    for label in log.tables(f"{root}"):
        (found,) = log.read(f"{root}", {label: log.Wanted(after=0)}).values()
        assert isinstance(found, log.TableVersions)
        for manifest in found.manifests.values():
            for one in manifest["partitions"]:
                named |= {local_path(one["location"]) / name for name in one["files"]}
        (folder,) = lake.rglob(f"{label.partition('.')[2]}_snapshot")
        there = {*folder.rglob("*.parquet")}
        assert there == {path for path in named if path.is_relative_to(folder)}
        shared += len(there) - len({path.stat().st_ino for path in there})
    assert shared


# -------------------------------------------------------------------------- thrift


def is_lost_connection(failure: BaseException) -> bool:
    """Whether the server dropped the connection, which tells nothing about what a read would see.

    A server whose client was killed sometimes cannot close a session and drops the next one:
    Hive then looks for a class that Spark does not ship (SPARK-51041).
    """
    return isinstance(failure, TTransportException) or "LlapSigner" in str(failure)


class Reader(threading.Thread):
    """Looks at the tables again and again, and keeps what was wrong."""

    def __init__(self, engine: ThriftEngine, schema: str) -> None:
        super().__init__(daemon=True)
        self.newest_day = 0
        self.reads = 0
        self.lost_connections = 0
        self.failures: list[BaseException] = []
        self.server_may_be_down = False
        self._engine = engine
        self._schema = schema
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.is_set():
            try:
                check_whole(read_state(self._engine, self._schema, list(TABLES)), self.newest_day)
                self.reads += 1
            except BaseException as failure:
                if is_lost_connection(failure):
                    self.lost_connections += 1
                elif not self.server_may_be_down:
                    self.failures.append(failure)
                time.sleep(0.2)

    def wait_for_a_read(self) -> None:
        """Wait until a reading that begins now is over."""
        wanted, deadline = self.reads + 2, time.monotonic() + 120
        while self.reads < wanted and not self.failures:
            assert time.monotonic() < deadline, "the reader gets no answer"
            time.sleep(0.05)

    def end(self) -> None:
        self._ended.set()
        self.join(60)


def start_dbt(project: Project, day: int) -> "subprocess.Popen[bytes]":
    command = [str(Path(sys.executable).with_name("dbt")), "run", *project.dbt_options]
    with (project.folder / "dbt.log").open("ab") as log:
        return subprocess.Popen(
            [*command, "--vars", json.dumps({"run_date": run_date(day)})],
            env={**os.environ, **project.environment_variables},
            stdout=log,
            stderr=subprocess.STDOUT,
        )


@pytest.fixture
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftServer]:
    """A Thrift server that a test may kill."""
    server = new_thrift_server(tmp_path_factory)
    server.start()
    yield server
    server.stop()


@contextmanager
def reading(engine: ThriftEngine, schema: str) -> Iterator[Reader]:
    reader = Reader(engine, schema)
    reader.start()
    try:
        yield reader
    finally:
        reader.end()


def kill_server(server: ThriftServer) -> None:
    running = server.running()
    assert running is not None
    os.kill(running.pid, signal.SIGKILL)


@pytest.mark.thorough
def test_readers_see_whole_states_while_dbt_and_the_thrift_server_are_killed(
    own_server: ThriftServer, tmp_path: Path
) -> None:
    engine = ThriftEngine(own_server)
    project = Project(tmp_path / "killed", engine)
    kills = max(KILLS, 2)  # of dbt and of the server
    declare_tables(project, kills + 2)
    moments = random.Random(f"{SEED} thrift")
    with reading(engine, project.schema) as reader:

        def run_to_its_end(day: int) -> float:
            reader.newest_day = day
            started = time.monotonic()
            assert start_dbt(project, day).wait(600) == 0, (project.folder / "dbt.log").read_text()
            return time.monotonic() - started

        seconds = run_to_its_end(0)
        for day in range(1, kills + 1):
            reader.newest_day = day
            process = start_dbt(project, day)
            time.sleep(moments.uniform(0.1, 1) * seconds)
            if day % 2:
                process.kill()
                process.wait()
            else:
                reader.server_may_be_down = True
                kill_server(own_server)
                # dbt tells by its exit code, unless it was through already.
                process.wait(300)
                own_server.start()
                reader.wait_for_a_read()
                reader.server_may_be_down = False
            reader.wait_for_a_read()
        run_to_its_end(kills + 1)
        reader.wait_for_a_read()
    assert reader.failures == []
    assert reader.reads > 3 * kills
    check_right(read_state(engine, project.schema, list(TABLES)), kills + 1)
