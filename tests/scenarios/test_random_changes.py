"""Random changes in random files, delivered in time or late, against a plain replay.

``DMS_PROPERTY_STREAMS`` asks for more streams, ``DMS_PROPERTY_SEED`` for others.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from hypothesis import strategies as st

from tests.conftest import NewProject
from tests.support.dms_files import Row
from tests.support.project import Project, Table, sort_by_value
from tests.support.random_runs import random_streams
from tests.support.side_by_side import COLUMNS

FIRST_DAY = datetime(2020, 11, 13)
# One date is run twice, one is skipped.
RUNS = ("2020-11-13", "2020-11-14", "2020-11-14", "2020-11-16")
DAYS = 4


@dataclass(frozen=True)
class ChangeFile:
    """A change file: its time, the first of `RUNS` that finds it, and its changes in order."""

    second: int
    delivered: int
    changes: list[Row]

    @property
    def time(self) -> datetime:
        return FIRST_DAY + timedelta(seconds=self.second)

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
    delivered=st.integers(0, len(RUNS) - 1),
    changes=st.lists(st.tuples(st.sampled_from("IUD"), keys, names), min_size=1, max_size=12),
)


@dataclass(frozen=True)
class Stream:
    """All that DMS writes of one table.

    Attributes:
        loads: the full load files in the order of their names, each with the first of `RUNS` that
            finds it; a key may come in several of them.
        files: the change files.
    """

    loads: list[tuple[int, list[Row]]]
    files: list[ChangeFile]

    def state(self, run: int) -> list[Row]:
        """What is there after a run: every file that was there by then, one after the other."""
        end = datetime.fromisoformat(RUNS[run]) + timedelta(days=1)
        rows: dict[int, str | None] = {}
        for delivered, loaded in self.loads:
            if delivered <= run:
                rows.update(loaded)
        for file in sorted(self.files, key=lambda file: file.second):
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
streams = st.builds(
    Stream,
    loads=loads,
    files=st.lists(files, min_size=4, max_size=10, unique_by=lambda file: file.second),
)


def is_varied(stream: Stream) -> bool:
    """Whether the stream is worth its runs: hypothesis likes to begin with next to nothing."""
    return (
        len({file.delivered for file in stream.files}) >= 3
        and sum(len(file.changes) for file in stream.files) >= 20
    )


def deliver(table: Table, stream: Stream, run: int) -> None:
    """Write the files that a run is the first to find."""
    for number, (delivered, rows) in enumerate(stream.loads, 1):
        if delivered == run:
            table.write_load(*rows, name=f"LOAD{number:08X}.parquet")
    for file in stream.files:
        if file.delivered == run:
            table.write_changes(file.name, *file.changes)


def test_every_run_publishes_what_a_plain_replay_gives(new_project: NewProject) -> None:
    for some in random_streams(streams.filter(is_varied), count=6):
        play(new_project("random_changes"), some)


def play(project: Project, some: Sequence[Stream]) -> None:
    tables = [
        (project.declare(f"stream_{number}", COLUMNS, ["id"]), stream)
        for number, stream in enumerate(some)
    ]
    expected: dict[tuple[str, str], list[Row]] = {}
    for run, run_date in enumerate(RUNS):
        for table, stream in tables:
            deliver(table, stream, run)
        result = project.run(run_date)
        assert result.ok, result.errors
        for table, stream in tables:
            expected[table.name, run_date] = stream.state(run)
            assert table.current() == stream.state(run), (table.name, run, stream)
    for table, stream in tables:
        for run_date in table.dates():
            assert table.snapshot(run_date) == expected[table.name, run_date], stream
