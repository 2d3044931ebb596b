"""Random streams over random settings of DMS, against a replay that knows none of the product.

``DMS_PROPERTY_STREAMS`` asks for more streams, ``DMS_PROPERTY_SEED`` for others.
"""

import gzip
import os
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from tests.conftest import NewProject
from tests.support.dms_files import Row, write_rows
from tests.support.project import Project, Table, sort_by_value
from tests.support.random_runs import (
    FIRST_DATE,
    KEYS_OF_A_STREAM,
    RUNS,
    drawn,
    play_random_tables,
)

COLUMNS = {"id": "int", "name": "string", "size": "int"}
FIRST_MOMENT = datetime.combine(FIRST_DATE, time())
KINDS = ("moves", "partial", "quarantine", "keyless", "plain")
ABSENT = object()
BAD = object()


@dataclass(frozen=True)
class Change:
    """One row of a change file.

    Attributes:
        op: I, U or D.
        key: the key after it.
        name, size: the other columns; `ABSENT` for not logged, `BAD` for what fits no type.
        old_key: the key before it.
        joined: whether it belongs to the transaction of the row before.
    """

    op: str
    key: int
    name: Any
    size: Any
    old_key: int | None = None
    joined: bool = False


@dataclass(frozen=True)
class ChangeFile:
    """A change file: its second, and each upload with the first run that finds it."""

    second: int
    uploads: list[tuple[int, list[Change]]]

    @property
    def time(self) -> datetime:
        return FIRST_MOMENT + timedelta(seconds=self.second)


@dataclass(frozen=True)
class Settings:
    """How DMS was set up for a table."""

    is_csv: bool
    header: bool
    delimiter: str
    rfc4180: bool
    is_gzip: bool
    kind: str  # plain, moves, partial, quarantine, keyless
    lower_case: bool
    op_in_load: bool

    @property
    def dms(self) -> dict[str, Any]:
        """The keys of the declaration."""
        csv = {"header": self.header, "delimiter": self.delimiter, "rfc4180": self.rfc4180}
        extra: dict[str, dict[str, Any]] = {
            "plain": {},
            "moves": {"before_image_prefix": "BI_"},
            "partial": {"image": "partial"},
            "quarantine": {"on_bad_row": "quarantine"},
            "keyless": {"change_seq_column": "seq"},
        }
        if self.kind == "partial":
            csv["no_sup_value"] = "?"
        return {"timestamp_column": "at", "csv": csv, **extra[self.kind]}


@dataclass(frozen=True)
class Stream:
    """The changes of some keys."""

    load: list[Row]
    files: list[ChangeFile]

    def with_keys_from(self, first: int) -> "Stream":
        """The same stream with other keys."""

        def moved(change: Change) -> Change:
            old_key = None if change.old_key is None else first + change.old_key
            return replace(change, key=first + change.key, old_key=old_key)

        return Stream(
            [(first + key, *values) for key, *values in self.load],
            [
                replace(
                    file,
                    uploads=[(run, [moved(row) for row in rows]) for run, rows in file.uploads],
                )
                for file in self.files
            ],
        )


@dataclass(frozen=True)
class StreamsOfATable:
    """Several streams side by side; see `tests.support.random_runs.RandomTable`."""

    settings: Settings
    load: list[Row] = field(default_factory=list)
    files: list[ChangeFile] = field(default_factory=list)

    @classmethod
    def of(cls, chosen: Settings, streams: Iterable[Stream]) -> "StreamsOfATable":
        load: list[Row] = []
        files: dict[int, ChangeFile] = {}
        for number, stream in enumerate(streams):
            own = stream.with_keys_from(number * KEYS_OF_A_STREAM)
            load.extend(own.load)
            for file in own.files:
                second = next(s for s in range(file.second, file.second + 9999) if s not in files)
                files[second] = replace(file, second=second)
        return cls(chosen, load, [files[second] for second in sorted(files)])

    def declare(self, project: Project, number: int) -> Table:
        return project.declare(
            f"{self.settings.kind}_{number}",
            COLUMNS,
            [] if self.settings.kind == "keyless" else ["id"],
            **self.settings.dms,
        )

    def write(self, table: Table, run: int) -> None:
        chosen = self.settings
        if run == 0:
            write_load(table.folder, self.load, chosen)
        for file in self.files:
            for delivered, changes in file.uploads:
                if delivered == run:
                    write_changes(table.folder, file, changes, chosen, delivered)

    def write_changes_again(self, table: Table) -> None:
        for file in reversed(self.files):
            delivered, changes = file.uploads[-1]
            path = write_changes(table.folder, file, changes, self.settings, delivered)
            # However quick the test is, this is another upload.
            os.utime(path, (path.stat().st_mtime + RUNS, path.stat().st_mtime + RUNS))

    def state(self, run: int, run_date: date) -> list[Row]:
        """What is there after a run: one file after the other, each as it was uploaded last."""
        end = datetime.combine(run_date, time()) + timedelta(days=1)
        contents = []
        for file in self.files:
            uploads = [rows for delivered, rows in file.uploads if delivered <= run]
            if uploads and file.time < end:
                contents.append(uploads[-1])
        if self.settings.kind == "keyless":
            rows = [(c.key, c.name, c.size) for changes in contents for c in changes]
            return sort_by_value([*self.load, *rows])
        state: dict[int, tuple[Any, Any]] = {key: (name, size) for key, name, size in self.load}
        for changes in contents:
            replay(changes, state)
        return sort_by_value([(key, *values) for key, values in state.items()])


def replay(changes: Sequence[Change], state: dict[int, tuple[Any, Any]]) -> None:
    displaced: set[int] = set()
    for change in changes:
        if not change.joined:
            displaced.clear()
        if BAD in (change.name, change.size):
            continue
        before = state.get(change.key, (None, None))
        if change.op == "D":
            state.pop(change.key, None)
            continue
        if change.old_key is not None and change.old_key != change.key:
            if change.old_key in displaced:
                displaced.remove(change.old_key)
            else:
                state.pop(change.old_key, None)
            if change.key in state:
                displaced.add(change.key)
        state[change.key] = (
            before[0] if change.name is ABSENT else change.name,
            before[1] if change.size is ABSENT else change.size,
        )


# ------------------------------------------------------------------------------- strategies

keys = st.integers(1, 8)
names = st.one_of(st.none(), st.sampled_from(["", "a,b", 'say "x"', "one\ntwo", "ö🐑", "zz"]))
plain_names = st.one_of(st.none(), st.sampled_from(["", "ab", 'say "x"', "ö🐑", "zz"]))
sizes = st.one_of(st.none(), st.integers(-5, 5))


@st.composite
def change_lists(draw: st.DrawFn, chosen: Settings) -> list[Change]:
    texts = names if chosen.rfc4180 or not chosen.is_csv else plain_names
    changes: list[Change] = []
    for _ in range(draw(st.integers(1, 8))):
        op = "I" if chosen.kind == "keyless" else draw(st.sampled_from("IUUD"))
        change = Change(op, draw(keys), draw(texts), draw(sizes))
        if chosen.kind == "moves" and op == "U":
            other = draw(keys)
            changes.append(Change("U", change.key, change.name, change.size, other))
            if draw(st.booleans()) and other != change.key:  # a swap, in one transaction
                changes.append(Change("U", other, draw(texts), draw(sizes), change.key, True))
            continue
        if chosen.kind == "partial" and chosen.is_csv and op == "U":
            name = ABSENT if draw(st.booleans()) else change.name
            change = Change(op, change.key, name, ABSENT if draw(st.booleans()) else change.size)
        if chosen.kind == "quarantine" and chosen.is_csv and draw(st.integers(0, 4)) == 0:
            change = Change(op, change.key, change.name, BAD)
        changes.append(change)
    if chosen.kind == "partial" and not chosen.is_csv and draw(st.booleans()):
        # A Parquet file leaves a column out for all of its rows.
        changes = [Change("U", c.key, c.name, ABSENT) for c in changes]
    return changes


def random_settings(number: int) -> Settings:
    dice = random.Random(number)
    return Settings(
        is_csv=dice.random() < 0.6,
        header=dice.random() < 0.5,
        delimiter=dice.choice([",", ";", "||"]),
        rfc4180=dice.random() < 0.5,
        is_gzip=dice.random() < 0.5,
        kind=KINDS[number % len(KINDS)],
        lower_case=dice.random() < 0.5,
        op_in_load=dice.random() < 0.5,
    )


@st.composite
def streams(draw: st.DrawFn, chosen: Settings) -> Stream:
    texts = names if chosen.rfc4180 or not chosen.is_csv else plain_names
    files = []
    for second in draw(
        st.lists(st.integers(0, 3 * 86_400 - 1), min_size=3, max_size=6, unique=True)
    ):
        runs = draw(st.lists(st.integers(0, RUNS - 1), min_size=1, max_size=2, unique=True))
        files.append(ChangeFile(second, [(r, draw(change_lists(chosen))) for r in sorted(runs)]))
    load = draw(st.lists(st.tuples(keys, texts, sizes), max_size=6, unique_by=lambda row: row[0]))
    return Stream(load, files)


# ---------------------------------------------------------------------------------- writing


def write_load(folder: Path, load: Sequence[Row], chosen: Settings) -> None:
    head = {"Op": "string"} if chosen.op_in_load else {}
    first = (*(["I"] if chosen.op_in_load else []), "2020-11-13 00:00:00.000000")
    columns = {**head, "at": "string", **COLUMNS}
    added = with_added(columns, chosen)
    rows = [(*first, *row, *[None] * (len(added) - len(columns))) for row in load]
    put(folder, "LOAD00000001", chosen, added, rows)


def with_added(columns: dict[str, str], chosen: Settings) -> dict[str, str]:
    added = {"moves": {"BI_id": "int"}, "keyless": {"seq": "string"}}
    return {**columns, **added.get(chosen.kind, {})}


def write_changes(
    folder: Path, file: ChangeFile, changes: Sequence[Change], chosen: Settings, delivered: int
) -> Path:
    columns = with_added({"Op": "string", "at": "string", **COLUMNS}, chosen)
    rows: list[Row] = []
    moment = file.time
    for number, change in enumerate(changes):
        moment += timedelta(microseconds=0 if change.joined else 1)
        added = {"moves": (change.old_key,), "keyless": (f"{file.second}.{number}.{delivered}",)}
        rows.append((
            change.op.lower() if chosen.lower_case else change.op,
            moment.isoformat(" ", timespec="microseconds"),
            change.key, change.name, change.size, *added.get(chosen.kind, ()),
        ))  # fmt: skip
    if not chosen.is_csv and any(change.size is ABSENT for change in changes):
        place = list(columns).index("size")
        del columns["size"]
        rows = [(*row[:place], *row[place + 1 :]) for row in rows]
    name = f"{file.time:%Y%m%d-%H%M%S}000"
    path = put(folder, name, chosen, columns, rows)
    # Of two uploads of a name the later one counts, however quick the test is.
    os.utime(path, (path.stat().st_mtime + delivered, path.stat().st_mtime + delivered))
    return path


def put(
    folder: Path, name: str, chosen: Settings, columns: dict[str, str], rows: Sequence[Row]
) -> Path:
    if not chosen.is_csv:
        return write_rows(folder / f"{name}.parquet", columns, rows)
    lines = [list(columns)] if chosen.header else []
    lines += [[field_text(value, chosen) for value in row] for row in rows]
    content = "".join(chosen.delimiter.join(line) + "\n" for line in lines).encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.csv{'.gz' if chosen.is_gzip else ''}"
    path.write_bytes(gzip.compress(content) if chosen.is_gzip else content)
    return path


def field_text(value: object, chosen: Settings) -> str:
    if value is None or value is ABSENT or value is BAD:
        return {None: "NULL", ABSENT: "?", BAD: "large"}[value]
    text = str(value)
    if chosen.rfc4180 and any(sign in text for sign in (chosen.delimiter, '"', "\n")):
        return '"' + text.replace('"', '""') + '"'
    return text


@pytest.mark.thorough
def test_every_run_publishes_what_a_plain_replay_gives_whatever_the_settings(
    new_project: NewProject,
) -> None:
    def table(number: int) -> StreamsOfATable:
        chosen = random_settings(number)
        return StreamsOfATable.of(chosen, drawn(streams(chosen), number))

    play_random_tables(new_project, "random_settings", 50, table, in_passes=False)
