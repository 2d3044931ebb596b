"""Random streams of changes, and the dbt runs that all of them go through.

A table in a dbt run costs seconds, a stream costs next to nothing: so a table carries several
streams, in files and in keys of their own, and a project several tables.
"""

import os
import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Protocol, TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from tests.conftest import NewProject
from tests.support.dms_files import Row
from tests.support.project import Project, Table

_Stream = TypeVar("_Stream")
STREAMS_OF_A_TABLE = 10
_TABLES_OF_A_PROJECT = 20
# The key of a stream's row is this times the number of the stream, plus its own key.
KEYS_OF_A_STREAM = 100
FIRST_DATE = date(2020, 11, 13)
RUNS = 4
# A merge of more changed keys takes several passes.
WORKER_KEYS = 7
_FILE_BYTES = 1500
_SEED = int(os.environ.get("DMS_PROPERTY_SEED", "1"))


class RandomTable(Protocol):
    """A table, and all that DMS writes of it; runs are counted from 0."""

    def declare(self, project: Project, number: int) -> Table: ...

    def write(self, table: Table, run: int) -> None:
        """Write the files that a run is the first to find."""

    def write_changes_again(self, table: Table) -> None:
        """Deliver every change file once more, as it was last, the newest first."""

    def state(self, run: int, run_date: date) -> list[Row]:
        """What a plain replay gives after a run, sorted."""


def drawn(strategy: SearchStrategy[_Stream], number: int) -> list[_Stream]:
    """Draw the streams of a table.

    They are the same ones each time; ``DMS_PROPERTY_SEED`` gives others.

    Args:
        strategy: draws a stream.
        number: the number of the table.
    """
    streams: list[_Stream] = []

    @seed(_SEED * 1_000_000 + number)
    # Smaller ones are not looked for: whoever fails is printed whole.
    @settings(
        max_examples=STREAMS_OF_A_TABLE,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(stream: _Stream) -> None:
        streams.append(stream)

    draw()
    assert len(streams) >= STREAMS_OF_A_TABLE, f"only {len(streams)} streams were drawn"
    return streams[:STREAMS_OF_A_TABLE]


def play_random_tables(
    new_project: NewProject,
    name: str,
    streams: int,
    table: Callable[[int], RandomTable],
    in_passes: bool,
) -> None:
    """Play random tables and compare all that is published with their replay.

    Args:
        new_project: makes a project.
        name: the name of the projects.
        streams: how many streams in all; ``DMS_PROPERTY_STREAMS`` overrides it.
        table: makes the table of a number.
        in_passes: whether merges of the first project take several passes; every other one's do.
    """
    streams = int(os.environ.get("DMS_PROPERTY_STREAMS", streams))
    tables = range(-(-streams // STREAMS_OF_A_TABLE))
    for first in tables[::_TABLES_OF_A_PROJECT]:
        some = [table(number) for number in tables[first : first + _TABLES_OF_A_PROJECT]]
        project = new_project(name)
        # Tables of a few rows have several files, as large ones have.
        variables = {"file_bytes": _FILE_BYTES}
        if (first // _TABLES_OF_A_PROJECT % 2 == 0) == in_passes:
            variables["broadcast_max_keys"] = WORKER_KEYS
        project.set_variables(**variables)
        _play(project, some, random_run_dates(first))


def random_run_dates(number: int) -> list[date]:
    """The dates of the runs of a project: one may be skipped, one be run again."""
    dice = random.Random(_SEED * 1_000_000 + number)
    days = sorted(dice.choices(range(RUNS + 1), k=RUNS))
    return [FIRST_DATE + timedelta(days=day) for day in days]


def _play(project: Project, some: list[RandomTable], run_dates: list[date]) -> None:
    tables = [(one, one.declare(project, number)) for number, one in enumerate(some)]
    expected: dict[tuple[str, str], list[Row]] = {}
    last, last_date = len(run_dates) - 1, run_dates[-1]

    def run(after: int, run_date: date, *arguments: str) -> None:
        result = project.run(f"{run_date}", *arguments)
        assert result.ok, result.errors
        for one, table in tables:
            expected[table.name, f"{run_date}"] = state = one.state(after, run_date)
            assert table.current() == state, (table.name, run_dates, after, arguments, one)

    for number, run_date in enumerate(run_dates):
        for one, table in tables:
            one.write(table, number)
        run(number, run_date)
    for one, table in tables:
        one.write_changes_again(table)
    run(last, last_date)
    said = project.operate("replay", select="*", dry_run=False)
    actions = project.newest_actions()
    for one, table in tables:
        assert actions[table.name] == "replay", (table.name, run_dates, said)
        state = expected[table.name, f"{last_date}"]
        assert table.current() == state, (table.name, run_dates, "replay", said, one)
    run(last, last_date, "--full-refresh")
    for one, table in tables:
        dates = table.dates()
        assert dates == sorted({f"{run_date}" for run_date in run_dates})
        for published in dates:
            assert table.snapshot(published) == expected[table.name, published], (
                table.name, run_dates, published, one,
            )  # fmt: skip
