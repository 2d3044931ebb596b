"""`dbt snapshot`: the rows that a table has ever had, against a replay and the daily states."""

import json
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.conftest import NewProject
from tests.support.dms_files import Row
from tests.support.project import Project, Table, sort_by_value

pytestmark = pytest.mark.thorough

COLUMNS = {"id": "int", "name": "string", "city": "string"}
LOADED_AT = datetime(2020, 11, 13, 6)
# One date is run twice, on one date nothing is new; after the second nobody takes the history.
RUNS = ("2020-11-13", "2020-11-14", "2020-11-14", "2020-11-15", "2020-11-16")
TICK = timedelta(microseconds=1)

HistoryRow = tuple[int, str | None, str | None, datetime, datetime | None]


def declare_history(project: Project, table: Table, name: str, **config: Any) -> str:
    """Write a snapshot in YAML (JSON is YAML) and return its name."""
    content = {
        "snapshots": [
            {
                "name": name,
                "relation": f"ref('{table.snapshot_model}')",
                "config": {
                    "strategy": "check",
                    "unique_key": "id",
                    "check_cols": "all",
                    **config,
                },
            }
        ]
    }
    path = project.folder / "snapshots" / f"{name}.yml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))
    return name


def history(project: Project, name: str, *more: str) -> list[Row]:
    columns = ", ".join([*COLUMNS, "dbt_valid_from", "dbt_valid_to", *more])
    return sort_by_value(project.query(f"select {columns} from {project.schema}.{name}"))


def as_of(project: Project, name: str, moment: str) -> list[Row]:
    return sort_by_value(
        project.query(
            f"select {', '.join(COLUMNS)} from {project.schema}.{name}"
            f" where dbt_valid_from <= timestamp'{moment}'"
            f" and coalesce(dbt_valid_to > timestamp'{moment}', true)"
        )
    )


def at(text: str) -> datetime:
    """``14 09:30`` is half past nine on 14 November 2020."""
    return datetime.strptime(f"2020-11-{text}", "%Y-%m-%d %H:%M")


def times(*texts: str) -> list[str]:
    return [f"{at(text):%Y-%m-%d %H:%M:%S.%f}" for text in texts]


# ------------------------------------------------------------------ random streams


@dataclass(frozen=True)
class ChangeFile:
    """A change file: the first of `RUNS` that finds it, and its changes with their commit times."""

    time: datetime
    delivered: int
    changes: list[tuple[str, datetime, Row]]


@dataclass(frozen=True)
class Stream:
    """All that DMS writes of one table."""

    loaded: list[Row]
    files: list[ChangeFile]

    def deliver(self, table: Table, run: int) -> None:
        if run == 0:
            table.write_load(*self.loaded, at=f"{LOADED_AT}.000000")
        for file in self.files:
            if file.delivered == run:
                table.write_changes(
                    f"{file.time:%Y%m%d-%H%M%S}000",
                    *[(op, *row) for op, _, row in file.changes],
                    at=[f"{moment:%Y-%m-%d %H:%M:%S.%f}" for _, moment, _ in file.changes],
                )

    def history(self) -> list[HistoryRow]:
        """One change after the other, one run after the other, key by key."""
        told: dict[int, list[tuple[datetime, Row | None]]] = {
            row[0]: [(LOADED_AT, row)] for row in self.loaded
        }
        newest: dict[int, datetime] = {}
        taken: set[datetime] = set()
        begin = datetime.min
        for run_date, run in {date: run for run, date in enumerate(RUNS)}.items():
            end = datetime.fromisoformat(run_date) + timedelta(days=1)
            files = [f for f in self.files if f.delivered <= run and f.time < end]
            newest_before = dict(newest)
            for file in sorted(files, key=lambda f: f.time):
                if file.time in taken:
                    continue
                taken.add(file.time)
                for op, moment, row in file.changes:
                    if file.time < newest_before.get(row[0], datetime.min):
                        continue  # overruled before it was known
                    newest[row[0]] = max(file.time, newest.get(row[0], datetime.min))
                    states = told.setdefault(row[0], [])
                    counts_from = min(max(moment, begin), end - TICK)
                    if states:
                        counts_from = max(counts_from, states[-1][0])
                        if states[-1][0] == counts_from:
                            states.pop()
                    states.append((counts_from, None if op == "D" else row))
            begin = end
        return [row for states in told.values() for row in intervals(states)]


def intervals(states: Sequence[tuple[datetime, Row | None]]) -> list[HistoryRow]:
    rows: list[HistoryRow] = []
    current: tuple[datetime, Row] | None = None
    for moment, row in states:
        if current and row != current[1]:
            rows.append((*current[1], current[0], moment))
            current = None
        if row and not current:
            current = (moment, row)
    if current:
        rows.append((*current[1], current[0], None))
    return rows


def random_stream(seed: int) -> Stream:
    rng = random.Random(seed)

    def row(key: int) -> Row:
        return (key, rng.choice(("a", "b", None)), rng.choice(("x", "y")))

    files = []
    for second in rng.sample(range(0, 4 * 86_400, 600), 14):
        moment = datetime(2020, 11, 13) + timedelta(seconds=second)
        on_day = min(range(len(RUNS)), key=lambda run: (RUNS[run] < f"{moment:%Y-%m-%d}", run))
        changes = [
            (
                rng.choice("IUUD"),
                # Few moments, so that many changes share one, and not always in their order.
                moment - timedelta(minutes=rng.choice((0, 1, 1, 20))),
                row(rng.randrange(1, 9)),
            )
            for _ in range(rng.randrange(1, 8))
        ]
        late = rng.random() < 0.3
        files.append(
            ChangeFile(moment, rng.randrange(on_day, len(RUNS)) if late else on_day, changes)
        )
    return Stream([row(key) for key in range(1, 6)], files)


# ------------------------------------------------------------------ the one project


@dataclass(frozen=True)
class Played:
    """The project after all runs.

    Attributes:
        closed_before: location and rows of what a run had closed, by date, when it had done so.
        repeated: what the last `dbt snapshot` said of each history, run a second time.
    """

    project: Project
    tables: dict[str, Table]
    closed_before: dict[str, tuple[str, list[Row]]]
    repeated: dict[str, str]


SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def played(new_project: NewProject) -> Played:
    project = new_project("histories")
    tables = {"pets": project.declare("pets", COLUMNS, ["id"])}
    for name in ("people", "rocks", "teams", *(f"random_{seed}" for seed in SEEDS)):
        tables[name] = project.declare(name, COLUMNS, ["id"], timestamp_column="dms_timestamp")
    for name, table in tables.items():
        if name not in ("pets", "rocks"):
            declare_history(project, table, f"{name}_history", hard_deletes="invalidate")
    for seed in SEEDS:
        declare_history(
            project, tables[f"random_{seed}"], f"random_{seed}_at_once", hard_deletes="invalidate"
        )
    declare_history(
        project,
        tables["pets"],
        "pets_history",
        check_cols=["name"],
        hard_deletes="new_record",
        dbt_valid_to_current="timestamp'9999-12-31'",
    )
    declare_history(project, tables["rocks"], "rocks_history")
    streams = {f"random_{seed}": random_stream(seed) for seed in SEEDS}
    closed_before = {}
    for run, run_date in enumerate(RUNS):
        write_people(tables["people"], run)
        write_pets(tables["pets"], run)
        write_rocks(tables["rocks"], run)
        write_teams(tables["teams"], run)
        for name, stream in streams.items():
            stream.deliver(tables[name], run)
        result = project.run(run_date)
        assert result.ok, result.errors
        if run != 1:
            result = project.dbt("snapshot", "--exclude", "*_at_once")
            assert result.ok, result.errors
            closed_before[run_date] = closed_rows(project, run_date)
    result = project.dbt("snapshot")
    assert result.ok, result.errors
    return Played(
        project, tables, closed_before, {name: m.message for name, m in result.models.items()}
    )


def closed_rows(project: Project, run_date: str) -> tuple[str, list[Row]]:
    table = f"{project.schema}.people_history"
    condition = f"dms_closed_on = '{run_date}'"
    if not project.query(f"show partitions {table} partition ({condition})"):
        return "", []
    described = project.query(f"describe extended {table} partition ({condition})")
    location = next(row[1] for row in described if row[0] == "Location")
    return location, sort_by_value(project.query(f"select * from {table} where {condition}"))


def write_people(people: Table, run: int) -> None:
    if run == 0:
        people.write_load((1, "Ann", "Rome"), (2, "Bo", "Oslo"), (3, "Cy", None))
    if run == 1:
        people.write_changes(
            "20201114-100000000",
            ("U", 1, "Anna", "Rome"), ("U", 1, "Anna", "Rome"),
            ("U", 2, "Boo", "Oslo"), ("U", 2, "Bob", "Oslo"),
            ("D", 3, None, None), ("I", 3, "Cyd", None),
            ("I", 4, "Di", "Nice"), ("D", 4, "Di", "Nice"), ("D", 5, "?", "?"),
            at=times("14 09:00", "14 09:30", "14 09:00", "14 09:00", "14 09:00", "14 09:45",
                     "14 09:10", "14 09:10", "14 09:10"),
        )  # fmt: skip
    if run == 2:
        people.write_changes("20201114-103000000", ("U", 1, "Ana", "Rome"), at=times("14 10:15"))
    if run == 4:
        people.write_changes(
            "20201114-093000000", ("U", 2, "late", "Oslo"), ("I", 6, "Eve", "Oslo"),
            at=times("14 09:20", "14 09:20"),
        )  # fmt: skip
        people.write_changes("20201116-100000000", ("D", 1, "Ana", "Rome"), at=times("16 09:00"))


def write_pets(pets: Table, run: int) -> None:
    if run == 0:
        pets.write_load((1, "Rex", "Rome"), (2, "Tom", "Oslo"))
    if run == 1:
        pets.write_changes("20201114-100000000", ("U", 1, "Rex", "Bern"), ("D", 2, None, None))
    if run == 4:
        pets.write_changes("20201116-100000000", ("I", 2, "Tom", "Bern"))


def write_rocks(rocks: Table, run: int) -> None:
    if run == 0:
        rocks.write_load((1, "Etna", "Catania"), (2, "Ararat", "Kars"))
    if run == 1:
        rocks.write_changes(
            "20201114-100000000", ("D", 1, None, None), ("D", 2, None, None),
            at=times("14 09:00", "14 09:00"),
        )  # fmt: skip
    if run == 4:
        rocks.write_changes(
            "20201116-100000000", ("I", 1, "Etna", "Catania"), ("I", 2, "Agri", "Kars"),
            at=times("16 09:00", "16 09:00"),
        )  # fmt: skip


def write_teams(teams: Table, run: int) -> None:
    if run == 0:
        teams.write_load((1, "a", "x"), (2, "b", "x"), (3, "c", "x"))
    if run == 1:
        teams.write_changes("20201114-100000000", ("U", 1, "aa", "x"), at=times("14 09:00"))
    if run == 4:
        reload = teams.write_load(
            (1, "aa", "x"), (3, "C", "x"), (4, "d", "x"), at="2020-11-16 05:00:00.000000"
        )
        os.utime(reload, (time.time() + 300, time.time() + 300))


# ------------------------------------------------------------------ facts


def test_a_row_is_kept_for_every_change_and_not_only_for_every_run(played: Played) -> None:
    assert history(played.project, "people_history") == sort_by_value([
        (1, "Ann", "Rome", LOADED_AT, at("14 09:00")),
        # The second update said nothing new.
        (1, "Anna", "Rome", at("14 09:00"), at("14 10:15")),
        (1, "Ana", "Rome", at("14 10:15"), at("16 09:00")),
        # Of two changes at one moment the last counts.
        (2, "Bo", "Oslo", LOADED_AT, at("14 09:00")),
        # The update that came late was overruled before it came.
        (2, "Bob", "Oslo", at("14 09:00"), None),
        (3, "Cy", None, LOADED_AT, at("14 09:00")),
        (3, "Cyd", None, at("14 09:45"), None),
        # What came late counts from the first moment of which no state was published without it.
        (6, "Eve", "Oslo", at("16 00:00"), None),
    ])  # fmt: skip


def test_tracked_columns_decide_and_deletes_are_records_if_asked_for(played: Played) -> None:
    always, for_ever = datetime(1970, 1, 1), datetime(9999, 12, 31)
    assert history(played.project, "pets_history", "dbt_is_deleted") == sort_by_value([
        (1, "Rex", "Rome", always, for_ever, "False"),
        (2, "Tom", "Oslo", always, at("14 10:00"), "False"),
        (2, "Tom", "Oslo", at("14 10:00"), at("16 10:00"), "True"),
        (2, "Tom", "Bern", at("16 10:00"), for_ever, "False"),
    ])  # fmt: skip


def test_deletes_are_ignored_unless_asked_for_as_in_dbt(played: Played) -> None:
    assert history(played.project, "rocks_history") == [
        (1, "Etna", "Catania", LOADED_AT, None),
        (2, "Agri", "Kars", at("16 09:00"), None),
        (2, "Ararat", "Kars", LOADED_AT, at("16 09:00")),
    ]


def test_a_new_full_load_closes_what_it_does_not_have(played: Played) -> None:
    assert history(played.project, "teams_history") == sort_by_value([
        (1, "a", "x", LOADED_AT, at("14 09:00")),
        (1, "aa", "x", at("14 09:00"), None),
        (2, "b", "x", LOADED_AT, at("16 05:00")),
        (3, "c", "x", LOADED_AT, at("16 05:00")),
        (3, "C", "x", at("16 05:00"), None),
        (4, "d", "x", at("16 05:00"), None),
    ])  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_a_history_is_what_a_plain_replay_of_the_whole_stream_gives(
    played: Played, seed: int
) -> None:
    expected = sort_by_value(random_stream(seed).history())
    assert history(played.project, f"random_{seed}_history") == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_a_history_taken_at_the_end_is_the_one_that_was_taken_every_day(
    played: Played, seed: int
) -> None:
    every_day = history(played.project, f"random_{seed}_history", "dbt_scd_id")
    assert history(played.project, f"random_{seed}_at_once", "dbt_scd_id") == every_day


def test_as_of_the_end_of_each_date_a_history_is_the_snapshot_of_that_date(
    played: Played,
) -> None:
    for name in ("people", "teams", *(f"random_{seed}" for seed in SEEDS)):
        table = played.tables[name]
        assert len(table.dates()) == 4
        for date in table.dates():
            found = as_of(played.project, f"{name}_history", f"{date} 23:59:59.999999")
            assert found == table.snapshot(date), (name, date)


def test_a_history_taken_twice_is_the_same_as_once(played: Played) -> None:
    repeated = {m for name, m in played.repeated.items() if name.endswith("_history")}
    assert repeated == {"unchanged"}


def test_what_is_closed_is_written_once(played: Played) -> None:
    location, rows = played.closed_before["2020-11-14"]
    assert len(rows) == 4
    assert closed_rows(played.project, "2020-11-14") == (location, rows)
    assert [row[-1] for row in rows] == [datetime(2020, 11, 14).date()] * 4


def test_each_row_has_an_id_of_its_own(played: Played) -> None:
    ids = history(played.project, "people_history", "dbt_scd_id", "dbt_updated_at")
    assert len({row[-2] for row in ids}) == len(ids)
    assert all(row[-1] == row[3] for row in ids)


def test_after_a_full_refresh_the_history_is_as_it_was(played: Played) -> None:
    project = played.project
    names = [f"{name}_history" for name in ("people", "teams", *(f"random_{s}" for s in SEEDS))]
    before = {name: history(project, name) for name in names}
    assert project.run(RUNS[-1], "--full-refresh").ok
    result = project.dbt("snapshot")
    assert result.ok, result.errors
    assert {name: history(project, name) for name in names} == before


def test_changes_uploaded_again_behind_a_reload_do_not_stop_a_history(
    new_project: NewProject,
) -> None:
    project = new_project("reloaded_history")
    people = project.declare("people", COLUMNS, ["id"], timestamp_column="at")
    name = declare_history(project, people, "people_history", hard_deletes="invalidate")

    def upload(number: int, file: str, day: str, *rows: Row) -> None:
        path = people.write_changes(file, *rows, at=times(*[f"{day} 10:00"] * len(rows)))
        os.utime(path, (time.time() + number,) * 2)

    people.write_load((1, "Ann", "Ulm"), at=times("13 06:00")[0])
    upload(0, "20201114-100000000", "14", ("I", 2, "before", "Ulm"))
    assert project.run("2020-11-14").ok
    load = people.write_load((1, "reloaded", "Ulm"), at=times("15 06:00")[0])
    os.utime(load, (time.time() + 100,) * 2)
    assert project.run("2020-11-15").ok
    upload(200, "20201114-100000000", "14", ("I", 5, "again", "Ulm"))
    upload(200, "20201116-100000000", "16", ("I", 3, "new", "Ulm"))
    assert project.run("2020-11-16").ok
    assert people.snapshot("2020-11-16") == [(1, "reloaded", "Ulm"), (3, "new", "Ulm")]
    result = project.dbt("snapshot")
    assert result.ok, result.errors
    assert as_of(project, name, "2020-11-16 23:59:59") == people.snapshot("2020-11-16")


def test_a_reload_that_came_in_two_runs_ends_in_a_history_what_its_first_run_did_not_have(
    new_project: NewProject,
) -> None:
    project = new_project("reloaded_in_two")
    people = project.declare("people", COLUMNS, ["id"], timestamp_column="at")
    name = declare_history(project, people, "people_history", hard_deletes="invalidate")
    second = "LOAD00000002.parquet"
    people.write_load((1, "Ann", "Ulm"), at=times("13 06:00")[0])
    people.write_load((2, "Bo", "Ulm"), at=times("13 06:00")[0], name=second)
    assert project.run("2020-11-13").ok
    assert project.dbt("snapshot").ok
    people.write_load((1, "again", "Ulm"), at=times("14 06:00")[0])
    assert project.run("2020-11-14").ok
    people.write_load((2, "again", "Ulm"), at=times("15 06:00")[0], name=second)
    assert project.run("2020-11-15").ok
    assert project.dbt("snapshot").ok
    assert people.snapshot("2020-11-14") == [(1, "again", "Ulm")]
    for day in ("2020-11-13", "2020-11-14", "2020-11-15"):
        assert as_of(project, name, f"{day} 23:59:59") == people.snapshot(day)


def test_rows_of_a_history_that_overlap_are_found(new_project: NewProject) -> None:
    project = new_project("overlapping")
    people = project.declare("people", COLUMNS, ["id"], timestamp_column="at")
    declare_history(project, people, "people_history")
    path = project.folder / "snapshots/people_history.yml"
    told = json.loads(path.read_text())
    told["snapshots"][0]["data_tests"] = [
        {"history_does_not_overlap": {"arguments": {"keys": ["id"]}}}
    ]
    path.write_text(json.dumps(told))

    def tested() -> set[str]:
        models = project.dbt("test", "--select", "people_history").models
        return {one.status for name, one in models.items() if name.startswith("history_does")}

    people.write_load((1, "Ann", "Ulm"), at=times("13 06:00")[0])
    people.write_changes("20201114-100000000", ("U", 1, "Anna", "Ulm"), at=times("14 10:00"))
    assert project.run("2020-11-14").ok
    assert tested() == {"pass"}  # there is none yet
    assert project.dbt("snapshot").ok
    assert len(history(project, "people_history")) == 2
    assert tested() == {"pass"}
    table = f"{project.schema}.people_history"
    columns = ", ".join([*COLUMNS, "dbt_valid_from", "dbt_scd_id", "dbt_updated_at"])
    project.query(
        f"insert into {table} ({columns}, dbt_valid_to, dms_closed_on)"
        f" select {columns}, dbt_valid_from + interval 1 day, date'2020-11-14' from {table}"
        " where dbt_valid_to is null"
    )
    assert tested() == {"fail"}


# ------------------------------------------------------------------ what is refused


def test_a_snapshot_that_cannot_be_kept_is_refused_with_the_way_out(
    new_project: NewProject,
) -> None:
    project = new_project("refused_histories")
    people = project.declare("people", COLUMNS, ["id"])
    project.declare("notes", {"text": "string"}, [])
    partial = project.declare("parts", COLUMNS, ["id"], image="partial")
    told: dict[str, tuple[dict[str, Any], str]] = {
        "timed": ({"strategy": "timestamp", "updated_at": "id", "check_cols": None},
                  "strategy is timestamp; allowed is check"),
        "when": ({"updated_at": "name"}, "updated_at is name; leave it out"),
        "keyed": ({"unique_key": ["id", "city"]},
                  "unique_key is id, city; allowed are the primary_keys of hr.people: id"),
        "checked": ({"check_cols": ["name", "nmae"]},
                    "check_cols has nmae, which is no declared column; declared are id, name"),
        "formatted": ({"file_format": "delta"}, "file_format is delta; allowed is parquet"),
        "named": ({"snapshot_meta_column_names": {"dbt_valid_from": "City"}},
                  "column City of hr.people has a name that the history needs"),
    }  # fmt: skip
    for name, (config, _) in told.items():
        declare_history(project, people, name, **config)
    declare_history(project, project.tables["notes"], "keyless")
    declare_history(project, partial, "partial")
    staged = declare_history(project, people, "staged")
    path = project.folder / "snapshots" / f"{staged}.yml"
    path.write_text(path.read_text().replace("people_snapshot", people.staging_model))
    result = project.dbt("snapshot")
    assert result.failed == sorted([*told, "keyless", "partial", "staged"])
    for name, (_, message) in told.items():
        assert message in result.message(name), name
        assert "Nothing of it was run." in result.message(name)
    assert "hr.parts has image: partial" in result.message("partial")
    assert "hr.notes has no primary_keys" in result.message("keyless")
    assert "relation: ref('<table>_snapshot')" in result.message("staged")
