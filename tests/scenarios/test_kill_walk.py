"""kill -9 of dbt after every statement of a run and of each operation.

Each kill is on a table of its own. The process that runs dbt is a fork of this one, and kills
itself as soon as statement N is executed, or as soon as the Thrift server has taken it. Then
readers must see for each date the old or the new state, and `_current` must not be ahead of the
dates. The next command must lead to the right rows, and staging must have each change once.

Statements that provably change nothing are not counted: `show`, `describe`, a temporary view, and
a query of metadata tables. A kill after one of them is a kill after the statement before it. Other
queries are counted, because the Python behind a view may write. Not walked are the statements
that make the metadata tables of a new schema: they come before the first table.

``DMS_KILL_WALK`` is ``every``, or a step: 5 means a kill after each fifth statement. Without it
the walk takes every statement. Another test kills each command once, before or after the commit.
"""

import json
import os
import re
import signal
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from re import Pattern
from typing import Any

import pytest
from dbt.adapters.spark.connections import PyhiveConnectionWrapper
from dbt.cli.main import dbtRunner

from tests.scenarios.test_crash import is_lost_connection
from tests.support.dms_files import Row, written_later
from tests.support.engines import ThriftEngine
from tests.support.project import Project, Table
from tests.support.side_by_side import COLUMNS

WALK = os.environ.get("DMS_KILL_WALK", "")
# Spares, because the index sends some statements more where an earlier kill left it something.
SPARES = 8
LOADED, MISSING, LAST, KILLED, AFTER = (f"2020-11-{day}" for day in (13, 14, 15, 16, 17))

# What readers see of a table: the rows by date, and those of `current`.
Shown = Mapping[str, Sequence[Row]]

LOAD: tuple[Row, ...] = ((1, "Ann"), (2, "Bo"), (3, "Cy"))
RELOAD: tuple[Row, ...] = ((1, "reloaded"), (7, "reloaded"), (8, "reloaded"))
# With a key, changes of all kinds; without one, only new rows, of which some are equal.
CHANGES: dict[bool, dict[str, tuple[Row, ...]]] = {
    True: {
        MISSING: (("U", 1, "14"), ("I", 4, "14")),
        LAST: (("U", 1, "15"), ("D", 2, None), ("I", 5, "15")),
        KILLED: (("U", 5, "16"), ("D", 3, None), ("I", 6, "16")),
        AFTER: (("I", 9, "17"),),
    },
    False: {
        MISSING: (("I", 1, "Ann"), ("I", 4, "14")),
        LAST: (("I", 4, "14"), ("I", 5, "15")),
        KILLED: (("I", 5, "15"), ("I", 6, "16"), ("I", 6, "16")),
        AFTER: (("I", 9, "17"),),
    },
}


def state_of(rows: Sequence[Row], changes: Sequence[Row]) -> list[Row]:
    """The rows after some changes."""
    state = list(rows)
    for operation, key, name in changes:
        if operation != "I":
            state = [row for row in state if row[0] != key]
        if operation != "D":
            state.append((key, name))
    return sorted(state)


@dataclass(frozen=True, eq=False)
class Kind:
    """What is killed: a run for a table in some situation, or an operation.

    Attributes:
        name: names the tables.
        has_key: whether the tables have a primary key.
        has_feed: whether the tables have a change feed.
        operation: the operation; empty for a run.
        arguments: those of the operation.
        old: what readers see before, by date.
        new: what they see after.
    """

    name: str
    old: Shown
    new: Shown
    has_key: bool = False
    has_feed: bool = False
    operation: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)


def shown(has_key: bool, *dates: str, current: str = "") -> Shown:
    """What readers see with these dates; ``current`` is the newest of them unless given."""
    changes = CHANGES[has_key]
    states = {
        date: state_of(LOAD, sum((of for day, of in changes.items() if day <= date), ()))
        for date in dates
    }
    return {**states, "current": states[current or max(dates)]}


def _kinds() -> Iterator[Kind]:
    for has_key in (True, False):
        old = shown(has_key, LOADED, LAST)
        key = "keyed" if has_key else "keyless"
        reloaded = {**old, KILLED: sorted(RELOAD), "current": sorted(RELOAD)}
        merged = shown(has_key, LOADED, LAST, KILLED)
        yield Kind(f"merge_{key}", old, merged, has_key)
        yield Kind(f"reload_{key}", old, reloaded, has_key, has_feed=has_key)
        operations: dict[str, tuple[Shown, Mapping[str, Any]]] = {
            "rollback": (shown(has_key, LOADED), {}),
            "reapply": (old, {}),
            "rollback_to": (shown(has_key, LOADED), {"to": LOADED}),
            "backfill": (
                shown(has_key, LOADED, MISSING, LAST),
                {"from_date": MISSING, "to_date": MISSING},
            ),
            "replay": (old, {}),
            "vacuum": (old, {"grace_hours": 0, "retention": 0}),
        }
        for operation, (new, arguments) in operations.items():
            before = shown(has_key, LOADED) if operation == "reapply" else old
            yield Kind(
                f"{operation}_{key}", before, new, has_key,
                operation=operation, arguments=arguments,
            )  # fmt: skip
    old = shown(False, LOADED, LAST)
    yield Kind("unchanged", old, {**old, KILLED: old[LAST]})
    built = sorted(LOAD)
    yield Kind("build", {}, {KILLED: built, "current": built})
    yield Kind("build_fed", {}, {KILLED: built, "current": built}, has_key=True, has_feed=True)


KINDS = {kind.name: kind for kind in _kinds()}
# In a plain run each run and each operation once, before or after the version is committed.
PLAIN = {
    "merge_keyed": "before",
    "merge_keyless": "executed",
    "reload_keyless": "before",
    "build": "executed",
    "unchanged": "executed",
    "rollback_keyless": "executed",
    "reapply_keyed": "before",
    "rollback_to_keyed": "executed",
    "backfill_keyless": "executed",
    "replay_keyless": "before",
    "vacuum_keyed": "executed",
}


# ------------------------------------------------------------------------ killing


METADATA = "(snapshot_versions|snapshot_dates|dms_files)"
WITHOUT_EFFECT = re.compile(
    r"(show|describe|create or replace temporary view)\b"
    rf"|(select|with)\b.*\bfrom `?\w+`?\.`?{METADATA}\b"
    r"|select label, content, .* from dms_versions_(?!commit_|record_)",
    re.IGNORECASE,
)
# After which statement to kill: its number, or the first that looks so.
After = int | Pattern[str]


@dataclass(frozen=True)
class Ended:
    """How a forked dbt ended.

    Attributes:
        was_killed: whether it killed itself.
        ok: whether dbt succeeded.
        statements: the statements with an effect that reached the server.
        log: what it printed.
    """

    was_killed: bool
    ok: bool
    statements: list[str]
    log: str


class Forks:
    """Runs dbt commands of a project in forks of this process, which have parsed it already."""

    def __init__(self, project: Project) -> None:
        self.project = project
        with project.environment():
            parsed = dbtRunner().invoke(
                ["parse", "--vars", f"{{run_date: {KILLED}}}", *project.dbt_options]
            )
        assert parsed.success, parsed.exception
        self._manifest: Any = parsed.result

    def run(self, run_date: str, *models: str, threads: int = 4, **kill: Any) -> Ended:
        command = ["run", "--vars", f"{{run_date: {run_date}}}", "--threads", str(threads)]
        return self._dbt([[*command, *(("--select", *models) if models else ())]], **kill)

    def operate(self, work: Sequence[tuple[Kind, Table]], **kill: Any) -> Ended:
        """One command per table, all in one fork."""
        return self._dbt([operation(kind, table) for kind, table in work], **kill)

    def _dbt(
        self, commands: Sequence[Sequence[str]], after: After = 0, when: str = "executed"
    ) -> Ended:
        folder = self.project.folder
        log, sent = folder / "fork.log", folder / "fork.statements"
        sent.write_text("")
        log.write_text("")
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if not child:
            _be_dbt(self.project, self._manifest, commands, after, when, log, sent)
        _, status = os.waitpid(child, 0)
        was_killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        statements = sent.read_text().splitlines()
        return Ended(was_killed, status == 0, statements, log.read_text(errors="replace"))


def operation(kind: Kind, table: Table) -> list[str]:
    arguments = {"select": table.label, "dry_run": False, **kind.arguments}
    return ["run-operation", kind.operation, "--args", json.dumps(arguments)]


def _be_dbt(
    project: Project,
    manifest: Any,
    commands: Sequence[Sequence[str]],
    after: After,
    when: str,
    log: Path,
    sent: Path,
) -> None:
    """What a fork does; it never returns."""
    try:
        output = os.open(log, os.O_WRONLY | os.O_APPEND)
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)
        sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
        os.environ.update(project.environment_variables)
        _kill_after(after, when, sent)
        ok = True
        for command in commands:
            ended = dbtRunner(manifest=manifest).invoke([*command, *project.dbt_options])
            ok = ok and bool(ended.success)
            if ended.exception:
                print(ended.exception, file=sys.stderr)
        os._exit(0 if ok else 1)
    except BaseException:
        traceback.print_exc()
        os._exit(2)


def _kill_after(after: After, when: str, sent: Path) -> None:
    """Make this process note its statements, and kill itself after one of them."""
    execute = PyhiveConnectionWrapper._execute_with_polling
    counted = 0

    def execute_and_die(self: Any, sql: str, bindings: Any) -> None:
        nonlocal counted
        # dbt looks once a second whether a statement has ended.
        self.poll_interval = 0.02
        statement = " ".join(sql.split("*/", 1)[-1].split())
        is_last = False
        if not WITHOUT_EFFECT.match(statement):
            counted += 1
            is_last = counted == after if isinstance(after, int) else bool(after.search(statement))
            if is_last and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            with sent.open("a") as file:
                file.write(statement + "\n")
        if is_last and when == "sent":
            self._cursor.execute(sql.strip().removesuffix(";"), bindings, async_=True)
            os.kill(os.getpid(), signal.SIGKILL)
        execute(self, sql, bindings)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)

    PyhiveConnectionWrapper._execute_with_polling = execute_and_die  # type: ignore[method-assign]


# ------------------------------------------------------------------------ looking


def look(tables: Sequence[Table]) -> list[Shown]:
    """What readers see of some tables now, in one query."""
    project = tables[0].project
    there = {row[1] for row in ask(project, f"show tables in {project.schema}")}
    parts = []
    for place, table in enumerate(tables):
        for name, date in (
            (table.snapshot_model, "cast(snapshot_date as string)"),
            (f"{table.name}_current", "'current'"),
        ):
            if name in there:
                parts.append(f"select {place}, {date}, id, name from {project.schema}.{name}")
    states: list[dict[str, list[Row]]] = [{} for _ in tables]
    for place, date, *row in ask(project, " union all ".join(parts)) if parts else []:
        states[place].setdefault(date, []).append(tuple(row))
    return [{date: sorted(rows) for date, rows in state.items()} for state in states]


def staged(tables: Sequence[Table]) -> list[list[Row]]:
    """What staging has of some tables now, in one query."""
    project = tables[0].project
    parts = [
        f"select {place}, id, name, cast(_dms_run_date as string) as on_date"
        f" from {project.schema}.{table.staging_model}"
        for place, table in enumerate(tables)
    ]
    rows: list[list[Row]] = [[] for _ in tables]
    for place, *row in ask(project, " union all ".join(parts)):
        rows[place].append(tuple(row))
    return [sorted(of, key=str) for of in rows]


def ask(project: Project, sql: str) -> list[Row]:
    """Ask again if the server dropped the connection, as it may after a client was killed."""
    for _ in range(4):
        try:
            return project.query(sql)
        except Exception as failure:
            if not is_lost_connection(failure):
                raise
    return project.query(sql)


def check_old_or_new(kind: Kind, state: Shown, of: str) -> None:
    for date in {*kind.old, *kind.new, *state}:
        allowed = (kind.old.get(date), kind.new.get(date))
        assert state.get(date) in allowed, f"{of}: {date} is neither old nor new: {state}"
    if state.get("current") == kind.new["current"] != kind.old.get("current"):
        assert state == kind.new, f"{of}: the current table is ahead of its dates: {state}"


# ------------------------------------------------------------------------ walking


@dataclass
class Killed:
    """A command that was killed.

    Attributes:
        kind: what was killed.
        table: the table on which.
        of: tells after which statement, for messages.
        states: what the next run may find: the new state where the version was committed.
        is_done: whether the command was given again since.
    """

    kind: Kind
    table: Table
    of: str
    states: list[Shown]
    is_done: bool = False


COMMIT = re.compile(r"from dms_versions_commit_")


class Walk:
    """Kills of some kinds in one project, each on a table of its own."""

    def __init__(self, project: Project, sizes: Mapping[Kind, int]) -> None:
        self.project = project
        self.killed: list[Killed] = []
        self.counted: dict[Kind, Table] = {}
        self._next = dict.fromkeys(sizes, 0)
        self._sizes = sizes
        for kind, size in sizes.items():
            for number in range(size):
                table = project.declare(
                    f"{kind.name}_{number}", COLUMNS, ["id"] if kind.has_key else [],
                    change_feed=kind.has_feed, max_delete_fraction=1,
                )  # fmt: skip
                if kind.old:
                    table.write_load(*LOAD)
        self.forks = Forks(project)
        self._succeed(self.forks.run(LOADED, "metadata"))
        before = [table for kind in sizes if kind.old for table in self.tables(kind)]
        if before:
            for date in (LOADED, LAST):
                self._succeed(self.forks.run(date, *models(before)))
                for kind in sizes:
                    for table in self.tables(kind) if kind.old and date == LOADED else ():
                        write_changes(kind, table, MISSING)
                        write_changes(kind, table, LAST)
        rolled_back = [
            (KINDS[kind.name.replace("reapply", "rollback")], table)
            for kind in sizes
            if kind.operation == "reapply"
            for table in self.tables(kind)
        ]
        if rolled_back:
            self._succeed(self.forks.operate(rolled_back))
        for kind in sizes:
            assert look(self.tables(kind)[:1]) == [kind.old], kind.name

    def tables(self, kind: Kind) -> list[Table]:
        names = (f"{kind.name}_{number}" for number in range(self._sizes[kind]))
        return [self.project.tables[name] for name in names]

    def _succeed(self, ended: Ended) -> Ended:
        assert ended.ok, ended.log[-4000:]
        return ended

    def _command(self, kind: Kind, table: Table, **kill: Any) -> Ended:
        """The run or the operation that is walked."""
        if kind.operation:
            return self.forks.operate([(kind, table)], **kill)
        # Files come just before, so that each index has something to add.
        if kind.name.startswith("merge"):
            write_changes(kind, table, KILLED)
        elif kind.name.startswith("reload"):
            written_later(table.write_load(*RELOAD))
        elif kind.name.startswith("build"):
            table.write_load(*LOAD)
        return self.forks.run(KILLED, "dms_files", *models([table]), threads=1, **kill)

    def count(self, kind: Kind) -> list[str]:
        """The statements of the command, which is not killed here."""
        table = self.counted[kind] = self._next_table(kind)
        ended = self._succeed(self._command(kind, table))
        assert look([table]) == [kind.new], kind.name
        return ended.statements

    def _next_table(self, kind: Kind) -> Table:
        self._next[kind] += 1
        return self.tables(kind)[self._next[kind] - 1]

    def kill(self, kind: Kind, after: After, when: str) -> bool:
        """Kill the command on the next table after a statement; whether it came so far."""
        table = self._next_table(kind)
        ended = self._command(kind, table, after=after, when=when)
        is_committed = any(map(COMMIT.search, ended.statements))
        states = [kind.new if is_committed else kind.old]
        if when == "sent" and any(map(COMMIT.search, ended.statements[-1:])):
            states = [kind.old, kind.new]
        of = f"{table.name}, killed when {after} was {when}: {''.join(ended.statements[-1:])[:200]}"
        self.killed.append(Killed(kind, table, of, states))
        if not ended.was_killed:
            self._succeed(ended)
        (state,) = look([table])
        check_old_or_new(kind, state, of)
        if not is_committed and kind.name != "unchanged":
            assert state == kind.old, f"{of}: shown before the commit: {state}"
        return ended.was_killed

    def repair(self) -> None:
        """The next command: for a run the same again, for an operation that or the next run."""
        again = [one for one in self.killed if one.kind.operation][::2]
        if again:
            # Some fail, because everything was done before the kill.
            ended = self.forks.operate([(one.kind, one.table) for one in again])
            for one, state in zip(again, look([one.table for one in again]), strict=True):
                assert state == one.kind.new, f"{one.of}\nagain: {state}\n{ended.log[-4000:]}"
                one.states, one.is_done = [one.kind.new], True
        for one in self.killed:
            if not one.kind.operation:
                one.states, one.is_done = [one.kind.new], True
        counted = [
            Killed(kind, table, f"{table.name}, not killed", [kind.new])
            for kind, table in self.counted.items()
        ]
        walked = [*counted, *self.killed]
        self._run_all(KILLED, walked)
        self._check_staging()
        if counted:
            self._run_all(AFTER, walked)

    def _check_staging(self) -> None:
        """Nothing is staged twice: staging is as where nothing was killed."""
        kinds = list(self.counted)
        rows = staged([self.counted[kind] for kind in kinds]) if kinds else []
        right = dict(zip(kinds, rows, strict=True))
        sure = [one for one in self.killed if one.is_done and one.kind in right]
        for one, found in zip(
            sure, staged([one.table for one in sure]) if sure else [], strict=True
        ):
            assert found == right[one.kind], f"{one.of}\nstaged: {found}"

    def _run_all(self, date: str, walked: Sequence[Killed]) -> None:
        tables = [one.table for one in walked]
        for one in walked if date == AFTER else ():
            write_changes(one.kind, one.table, AFTER)
        ended = self.forks.run(date, *models(tables))
        reasons = f"{[one.of for one in walked]}\n{ended.log[-4000:]}"
        assert ended.ok, reasons
        added = CHANGES[True][AFTER] if date == AFTER else ()
        states = look(tables)
        for one, state in zip(walked, states, strict=True):
            allowed = []
            for before in one.states:
                current = state_of(before["current"], added) if before else []
                allowed.append(
                    {date: current, **before}
                    if date in before
                    else {**before, date: current, "current": current}
                )
            assert state in allowed, f"{one.of}\nafter the run of {date}: {state}"
            one.states = [state]


def models(tables: Iterable[Table]) -> list[str]:
    return [f"+{table.snapshot_model}" for table in tables]


def write_changes(kind: Kind, table: Table, date: str) -> None:
    name = f"{date.replace('-', '')}-100000000"
    # Behind a reload, which is as if written some minutes from now.
    written_later(table.write_changes(name, *CHANGES[kind.has_key][date]), minutes=9)


# ------------------------------------------------------------------------- tests


@pytest.mark.thorough
def test_killed_where_it_commits_each_command_leaves_a_whole_state(
    thrift_engine: ThriftEngine, tmp_path: Path
) -> None:
    kinds = [KINDS[name] for name in PLAIN]
    walk = Walk(Project(tmp_path / "killed_once", thrift_engine), dict.fromkeys(kinds, 1))
    for kind in kinds:
        shows = re.compile(r"unchanged_0_snapshot`? add")
        assert walk.kill(kind, shows if kind.name == "unchanged" else COMMIT, PLAIN[kind.name])
    walk.repair()


@pytest.mark.thorough
@pytest.mark.parametrize("when", ["executed", "sent"])
@pytest.mark.parametrize("name", KINDS)
def test_killed_after_any_statement_each_command_leaves_a_whole_state(
    name: str, when: str, thrift_engine: ThriftEngine, tmp_path: Path
) -> None:
    kind, step = KINDS[name], 1 if WALK in ("", "every") else int(WALK)
    counting = Walk(Project(tmp_path / f"count_{name}_{when}", thrift_engine), {kind: 1})
    # The last one is behind the end, also with a step.
    places = range(1, len(counting.count(kind)) + SPARES + step, step)
    walk = Walk(Project(tmp_path / f"kill_{name}_{when}", thrift_engine), {kind: len(places) + 1})
    walk.count(kind)
    for place in places:
        if not walk.kill(kind, place, when):
            break
    else:
        pytest.fail(f"{name} has more than {places[-1]} statements")
    walk.repair()
    print(f"{name}, {when}: {len(walk.killed) - 1} kills")
