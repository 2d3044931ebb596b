"""Scenarios that share dbt runs, because a run costs seconds and a scenario needs several.

A scenario is a generator: it writes files, yields the run it wants, and goes on when that run is
over. All scenarios of a module are played side by side, in the order of their run dates::

    @scenario()
    def test_an_update_to_null_is_null(people: Table) -> Steps:
        people.write_load((1, "Ann"))
        people.write_changes("20201114-100000000", ("U", 1, None))
        yield Run("2020-11-14")
        assert people.snapshot("2020-11-14") == [(1, None)]

`scenario` gives each one a table of its own. `shared_scenario` gives all of a module the same
table, in which every one sees its own rows only: a column in front, part of the key, tells them
apart. Files of the same name are then one file, with the rows of each scenario in their order.
"""

import traceback
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pytest

from tests.support.dms_files import Row
from tests.support.project import Project, RunResult, Table

COLUMNS = {"id": "int", "name": "string"}
SHARED_TABLE = "people"


@dataclass(frozen=True)
class Run:
    """A run that a scenario waits for; it fails the scenario if its table fails."""

    run_date: str
    full_refresh: bool = False


@dataclass(frozen=True)
class FailingRun(Run):
    """A run in which the table must fail; the scenario gets the error text."""


# A run gives the scenario what dbt said of its table.
Steps: TypeAlias = Generator[Run, str, None]


class SharedRows:
    """One scenario's part of the shared table."""

    def __init__(self, shared: "_SharedTable", scenario: str) -> None:
        self._shared = shared
        self._scenario = scenario

    def write_load(self, *rows: Row, name: str = "LOAD00000001.parquet") -> None:
        self._shared.add(name, [(self._scenario, *row) for row in rows])

    def write_changes(self, name: str, *rows: Row, at: str = "2020-11-14 09:00:00.000000") -> None:
        self._shared.add(name, [(op, self._scenario, *values) for op, *values in rows], at)

    def snapshot(self, run_date: str) -> list[Row]:
        return self._own(self._shared.table.snapshot(run_date))

    def current(self) -> list[Row]:
        return self._own(self._shared.table.current())

    def _own(self, rows: Iterable[Row]) -> list[Row]:
        return [row[1:] for row in rows if row[0] == self._scenario]


class _SharedTable:
    """The table of all shared scenarios of a module, and its files that are not yet written."""

    def __init__(self, table: Table, declared: "_Scenario") -> None:
        self.table = table
        self.declared = declared
        self._files: dict[str, list[tuple[Row, str]]] = {}

    def add(self, name: str, rows: Iterable[Row], at: str = "2020-11-13 06:00:00.000000") -> None:
        self._files.setdefault(name, []).extend((row, at) for row in rows)

    def write(self) -> None:
        for name, entries in self._files.items():
            rows = [row for row, _ in entries]
            if "LOAD" in name:
                self.table.write_load(*rows, name=name, at=entries[0][1])
            else:
                self.table.write_changes(name, *rows, at=[at for _, at in entries])
        self._files.clear()


@dataclass
class _Scenario:
    """What a decorated test function carries."""

    steps: Callable[..., Steps]
    columns: Mapping[str, str]
    primary_keys: Sequence[str]
    dms: Mapping[str, Any]
    shared: bool = False
    table: str = ""

    @property
    def declares(self) -> tuple[Any, ...]:
        """What its table is: columns in their order, keys, and the keys of ``dms``."""
        return list(self.columns.items()), list(self.primary_keys), self.dms


@dataclass
class _Playing:
    """A scenario under way."""

    steps: Steps
    table: Table
    wanted: Run | None = None
    failure: BaseException | None = None


@dataclass
class SideBySide:
    """Plays scenarios and keeps how each one ended."""

    project: Project
    playing: dict[str, _Playing] = field(default_factory=dict)
    shared: dict[str, _SharedTable] = field(default_factory=dict)

    def play(self, scenarios: Mapping[str, _Scenario]) -> None:
        for name, item in scenarios.items():
            self._add(name, item)
        for playing in self.playing.values():
            self._go_on(playing)
        while waiting := [playing for playing in self.playing.values() if playing.wanted]:
            # FailingRun and Run of one date are one run of dbt.
            run_date, full_refresh = min(
                (playing.wanted.run_date, playing.wanted.full_refresh)
                for playing in waiting
                if playing.wanted
            )
            self._run(
                run_date,
                full_refresh,
                [
                    playing
                    for playing in waiting
                    if playing.wanted
                    and playing.wanted.run_date == run_date
                    and playing.wanted.full_refresh == full_refresh
                ],
            )

    def check(self, name: str) -> None:
        """Fail as the scenario failed, if it did."""
        if failure := self.playing[name].failure:
            raise failure

    def _add(self, name: str, item: _Scenario) -> None:
        if not item.shared:
            table = self.project.declare(item.table, item.columns, item.primary_keys, **item.dms)
            self.playing[name] = _Playing(item.steps(table), table)
            return
        if item.table not in self.shared:
            table = self.project.declare(
                item.table,
                {"scenario": "string", **item.columns},
                ["scenario", *item.primary_keys],
                **item.dms,
            )
            self.shared[item.table] = _SharedTable(table, item)
        shared = self.shared[item.table]
        assert item.declares == shared.declared.declares, f"{name} declares {item.table} otherwise"
        self.playing[name] = _Playing(item.steps(SharedRows(shared, name)), shared.table)

    def _run(self, run_date: str, full_refresh: bool, group: Sequence[_Playing]) -> None:
        for shared in self.shared.values():
            shared.write()
        tables = list({playing.table.name: playing.table for playing in group}.values())
        arguments = ["--full-refresh"] if full_refresh else []
        result = self.project.run_tables(run_date, tables, *arguments)
        for playing in group:
            error = _error_of(playing.table, result)
            if isinstance(playing.wanted, FailingRun) != bool(error):
                expected = "failure" if isinstance(playing.wanted, FailingRun) else "success"
                playing.failure = AssertionError(
                    f"{playing.table.label}, run of {run_date}: expected {expected}, got: "
                    f"{error or 'success'}"
                )
                playing.wanted = None
                continue
            self._go_on(playing, error or _messages_of(playing.table, result))

    def _go_on(self, playing: _Playing, said: str | None = None) -> None:
        try:
            playing.wanted = next(playing.steps) if said is None else playing.steps.send(said)
        except StopIteration:
            playing.wanted = None
        except BaseException as failure:  # pytest's own failures are no Exception
            if isinstance(failure, KeyboardInterrupt):
                raise
            traceback.print_exc()
            playing.failure = failure
            playing.wanted = None


def _error_of(table: Table, result: RunResult) -> str:
    """What went wrong with one table in a run; empty if nothing did."""
    if result.error:
        return result.error
    for model in (table.staging_model, table.snapshot_model):
        if model not in result.models:
            return f"{model} was not run: {result.errors}"
        if result.status(model) == "error":
            return result.message(model)
        if result.status(model) == "skipped":
            return f"{model} was skipped: {result.errors}"
    return ""


def _messages_of(table: Table, result: RunResult) -> str:
    """The results of a table's models, with what was warned of."""
    return "\n".join(result.message(one) for one in (table.staging_model, table.snapshot_model))


def scenario(
    columns: Mapping[str, str] = COLUMNS,
    primary_keys: Sequence[str] = ("id",),
    table: str = "",
    **dms: Any,
) -> Callable[[Callable[[Table], Steps]], Callable[[SideBySide], None]]:
    """Make a test of a generator that takes a table of its own; ``dms``: keys of its declaration.

    The table is called like the test, unless ``table`` is given.
    """

    def decorate(steps: Callable[[Table], Steps]) -> Callable[[SideBySide], None]:
        name = table or steps.__name__.removeprefix("test_")
        return _test_of(_Scenario(steps, columns, primary_keys, dms, table=name))

    return decorate


def shared_scenario(
    columns: Mapping[str, str] = COLUMNS,
    primary_keys: Sequence[str] = ("id",),
    table: str = SHARED_TABLE,
    **dms: Any,
) -> Callable[[Callable[[SharedRows], Steps]], Callable[[SideBySide], None]]:
    """Make a test of a generator that takes rows of a table that several scenarios share."""

    def decorate(steps: Callable[[SharedRows], Steps]) -> Callable[[SideBySide], None]:
        return _test_of(_Scenario(steps, columns, primary_keys, dms, shared=True, table=table))

    return decorate


def _test_of(item: _Scenario) -> Callable[[SideBySide], None]:
    name = item.steps.__name__

    def test(side_by_side: SideBySide) -> None:
        side_by_side.check(name)

    test.__name__ = name
    test.__qualname__ = name
    test.__doc__ = item.steps.__doc__
    test.__module__ = item.steps.__module__
    test.__dict__["scenario"] = item
    return test


def scenarios_of(request: pytest.FixtureRequest) -> dict[str, _Scenario]:
    """The scenarios of the requesting module that this pytest run has selected."""
    return {
        item.function.__name__: item.function.__dict__["scenario"]
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and item.module is request.module
        and "scenario" in item.function.__dict__
    }
