"""Random changes in random files, delivered in time or late, against a plain replay.

``DMS_PROPERTY_STREAMS`` asks for more streams, ``DMS_PROPERTY_SEED`` for others.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import strategies as st

from tests.conftest import NewProject
from tests.support.dms_files import Row
from tests.support.project import Project, Table, sort_by_value
from tests.support.random_runs import (
    FIRST_DATE,
    KEYS_OF_A_STREAM,
    RUNS,
    drawn,
    play_random_tables,
)
from tests.support.side_by_side import COLUMNS

FIRST_MOMENT = datetime.combine(FIRST_DATE, time())
DAYS = 4


@dataclass(frozen=True)
class ChangeFile:
    """A change file: its second, the first run that finds it, and its changes in order."""

    second: int
    delivered: int
    changes: list[Row]

    @property
    def time(self) -> datetime:
        return FIRST_MOMENT + timedelta(seconds=self.second)

    @property
    def name(self) -> str:
        return f"{self.time:%Y%m%d-%H%M%S}000"


keys = st.integers(1, 12)
names = st.one_of(st.none(), st.text(max_size=4))
files = st.builds(
    ChangeFile,
    second=st.builds(
        lambda day, second: day * 86_400 + second,
        st.sampled_from(range(DAYS)),
        st.integers(0, 86_399),
    ),
    delivered=st.integers(0, RUNS - 1),
    changes=st.lists(st.tuples(st.sampled_from("IUD"), keys, names), min_size=1, max_size=12),
)


@dataclass(frozen=True)
class Stream:
    """The changes of some keys.

    Attributes:
        loads: the full load files in the order of their names, each with the first run that finds
            it; a key may come in several of them.
        files: the change files.
    """

    loads: list[tuple[int, list[Row]]]
    files: list[ChangeFile]

    def with_keys_from(self, first: int) -> "Stream":
        """The same stream with other keys."""
        return Stream(
            [(run, [(first + key, name) for key, name in rows]) for run, rows in self.loads],
            [
                replace(file, changes=[(op, first + key, name) for op, key, name in file.changes])
                for file in self.files
            ],
        )


@dataclass(frozen=True)
class StreamsOfATable:
    """Several streams side by side; see `tests.support.random_runs.RandomTable`."""

    loads: list[tuple[int, list[Row]]]
    files: list[ChangeFile]

    @classmethod
    def of(cls, streams: Iterable[Stream], in_order: bool) -> "StreamsOfATable":
        """Put streams side by side; ``in_order``: no file is found after one of a later name."""
        loads: list[tuple[int, list[Row]]] = []
        files: dict[int, ChangeFile] = {}
        for number, stream in enumerate(streams):
            own = stream.with_keys_from(number * KEYS_OF_A_STREAM)
            loads.extend(own.loads)
            for file in own.files:
                second = next(s for s in range(file.second, file.second + 9999) if s not in files)
                files[second] = replace(file, second=second)
        of_table = [files[second] for second in sorted(files)]
        if in_order:
            runs = sorted(file.delivered for file in of_table)
            of_table = [
                replace(file, delivered=run) for file, run in zip(of_table, runs, strict=True)
            ]
        return cls(sorted(loads, key=lambda load: load[0]), of_table)

    def declare(self, project: Project, number: int) -> Table:
        return project.declare(f"streams_{number}", COLUMNS, ["id"])

    def write(self, table: Table, run: int) -> None:
        for number, (delivered, rows) in enumerate(self.loads, 1):
            if delivered == run:
                table.write_load(*rows, name=f"LOAD{number:08X}.parquet")
        for file in self.files:
            if file.delivered == run:
                table.write_changes(file.name, *file.changes)

    def write_changes_again(self, table: Table) -> None:
        for file in reversed(self.files):
            table.write_changes(file.name, *file.changes)

    def state(self, run: int, run_date: date) -> list[Row]:
        end = datetime.combine(run_date, time()) + timedelta(days=1)
        rows: dict[int, str | None] = {}
        for delivered, loaded in self.loads:
            if delivered <= run:
                rows.update(loaded)
        for file in self.files:
            if file.delivered <= run and file.time < end:
                apply(file.changes, rows)
        return sort_by_value(list(rows.items()))


def apply(changes: Iterable[Row], rows: dict[int, str | None]) -> None:
    for op, key, name in changes:
        if op == "D":
            rows.pop(key, None)
        else:
            rows[key] = name


loads = st.lists(
    st.tuples(
        st.sampled_from((0, 0, 0, 1, 3)),
        st.lists(st.tuples(keys, names), max_size=8).flatmap(
            # DMS reads most tables in the order of their keys.
            lambda rows: st.sampled_from((rows, sorted(rows, key=lambda row: row[0])))
        ),
    ),
    max_size=3,
).map(lambda entries: sorted(entries, key=lambda entry: entry[0]))
streams = st.builds(Stream, loads=loads, files=st.lists(files, min_size=4, max_size=10))


def is_varied(stream: Stream) -> bool:
    """Whether the stream is worth its runs: hypothesis likes to begin with next to nothing."""
    return (
        len({file.delivered for file in stream.files}) >= 3
        and sum(len(file.changes) for file in stream.files) >= 20
    )


@pytest.mark.thorough
def test_every_run_publishes_what_a_plain_replay_gives(new_project: NewProject) -> None:
    def table(number: int) -> StreamsOfATable:
        return StreamsOfATable.of(drawn(streams.filter(is_varied), number), number % 2 == 1)

    play_random_tables(new_project, "random_changes", 20, table, in_passes=True)
