"""A table of several folders: shards, tenants, partition children."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest

from tests.conftest import NewProject
from tests.scenarios.test_random_changes import ChangeFile, Stream, apply, is_varied, streams
from tests.support.dms_files import Row
from tests.support.project import Project, Table, sort_by_value
from tests.support.random_runs import KEYS_OF_A_STREAM, RUNS, drawn, play_random_tables

FILE_COLUMNS = {"id": "int", "name": "string"}
FIRST = "LOAD00000001.parquet"


def declare(project: Project, name: str, shards: Sequence[str], **dms: Any) -> Table:
    keys = dms.pop("primary_keys", ["shard", "id"])
    folder = project.dms_root / "hr" / name
    paths = [f"{folder}/{shard}/" for shard in shards]
    columns = {**dms.pop("columns", FILE_COLUMNS), "shard": "string"}
    return project.declare(name, columns, keys, path=paths, shard_column="shard", **dms)


def load(table: Table, shard: str, *rows: Row, name: str = FIRST) -> None:
    table.write_load(*rows, name=f"{shard}/{name}", columns=of_files(table))


def change(table: Table, shard: str, name: str, *rows: Row) -> None:
    table.write_changes(f"{shard}/{name}", *rows, columns=of_files(table))


def of_files(table: Table) -> dict[str, str]:
    return {name: kind for name, kind in table.columns.items() if name != "shard"}


@pytest.fixture
def project(new_project: NewProject) -> Project:
    return new_project("shards")


def test_each_folder_has_its_own_loads_reloads_and_order(project: Project) -> None:
    plain = declare(project, "plain", ["eu", "us"])
    by_date = declare(
        project, "by_date", ["eu", "us"], columns={**FILE_COLUMNS, "born": "date"},
        partition_date="born", change_feed=True,
    )  # fmt: skip
    day, other = date(1990, 1, 1), date(1991, 1, 1)
    load(plain, "eu", (1, "Ann"), (2, "Bob"))
    load(plain, "us", (1, "Joe"), (3, "Sue"))
    load(by_date, "eu", (1, "Ann", day), (2, "Bob", other))
    load(by_date, "us", (1, "Joe", day), (3, "Sue", other))
    change(plain, "eu", "20201113-100000000", ("U", 1, "Anna"))
    change(by_date, "eu", "20201113-100000000", ("U", 1, "Anna", day))
    result = project.run("2020-11-13")
    assert result.ok, result.errors
    first = [(1, "Anna", "eu"), (1, "Joe", "us"), (2, "Bob", "eu"), (3, "Sue", "us")]
    assert plain.current() == first
    # One folder is loaded again, another goes on.
    load(plain, "eu", (2, "Bobby"), (4, "Dan"))
    load(by_date, "eu", (2, "Bobby", day), (4, "Dan", other))
    change(plain, "us", "20201114-100000000", ("U", 1, "Jo"), ("D", 3, None))
    change(by_date, "us", "20201114-100000000", ("U", 1, "Jo", day), ("D", 3, None, None))
    result = project.run("2020-11-14")
    assert result.ok, result.errors
    after = [(1, "Jo", "us"), (2, "Bobby", "eu"), (4, "Dan", "eu")]
    assert plain.current() == after
    assert [(row[0], row[1], row[3]) for row in by_date.current()] == after
    assert plain.snapshot("2020-11-13") == first
    last = plain.versions()[-1]
    assert (last["action"], last["rows_inserted"], last["rows_updated"]) == ("merge", 1, 2)
    assert last["rows_deleted"] == 2
    kinds = [(row[0], row[1:3]) for row in by_date.feed()["2020-11-14"]]
    assert sorted(kind for kind, _ in kinds) == ["delete", "delete", "insert", "update", "update"]
    result = project.dbt("test", "--vars", "{run_date: 2020-11-14}")
    assert result.ok, result.errors
    # The same from nothing, and from what is staged.
    assert project.run("2020-11-14", "--full-refresh").ok
    assert plain.current() == after
    result = project.dbt("run-operation", "replay", "--args", "{select: '*', dry_run: false}")
    assert result.ok, result.errors
    assert plain.current() == after
    assert [(row[0], row[1], row[3]) for row in by_date.current()] == after


@pytest.mark.thorough
def test_a_folder_is_loaded_again_also_after_a_version_that_changed_the_declaration_only(
    project: Project,
) -> None:
    table = declare(project, "redeclared", ["eu", "us"])
    load(table, "eu", (1, "Ann"), (2, "Bob"))
    load(table, "us", (1, "Joe"))
    change(table, "eu", "20201113-100000000", ("U", 1, "not of the source"))
    assert project.run("2020-11-13").ok
    table = declare(project, "redeclared", ["eu", "us"], on_bad_row="quarantine")
    assert project.run("2020-11-14").ok
    assert table.versions()[-1]["action"] == "alter"
    load(table, "eu", (1, "Anna"))
    assert project.run("2020-11-15").ok
    assert table.current() == [(1, "Anna", "eu"), (1, "Joe", "us")]


def test_what_folders_have_in_common_and_what_not(project: Project) -> None:
    unique = declare(project, "by_id", ["eu", "us"], primary_keys=["id"], change_feed=True)
    log = declare(project, "log", ["eu", "us"], primary_keys=[])
    timed = declare(project, "timed", ["eu", "us"])
    moved = declare(project, "moved", ["eu", "us"], before_image_prefix="BI_")
    history = {
        "strategy": "check",
        "unique_key": ["shard", "id"],
        "check_cols": "all",
        "hard_deletes": "invalidate",
    }
    content = {"name": "timed_history", "relation": "ref('timed_snapshot')", "config": history}
    (project.folder / "snapshots").mkdir(exist_ok=True)
    (project.folder / "snapshots/timed_history.yml").write_text(
        json.dumps({"snapshots": [content]})
    )
    moved_files = {**FILE_COLUMNS, "BI_id": "int"}

    for table in (unique, log, timed, moved):
        load(table, "eu", (1, "Ann"), (2, "Bob"))
        load(table, "us", (3, "Joe"))
    result = project.run("2020-11-13")
    assert result.ok, result.errors
    assert project.dbt("snapshot", "--vars", "{run_date: 2020-11-13}").ok

    # A key that is in two folders is nobody's; the others are published.
    change(unique, "us", "20201114-100000000", ("I", 1, "Jim"))
    load(log, "eu", (4, "Dan"))
    change(log, "us", "20201114-100000000", ("I", 5, "Eve"))
    load(timed, "eu", (1, "Ann"), (6, "Fay"))
    change(timed, "us", "20201114-100000000", ("U", 3, "Jo"))
    moved.write_changes(
        "us/20201114-100000000", ("U", 1, "Joe", 3), columns=moved_files
    )  # fmt: skip
    result = project.run("2020-11-14")
    assert result.failed == ["by_id_snapshot"]
    for part in ('hr.by_id: a key is in two folders: {"id":1}', "/by_id/eu/ and in ", "/by_id/us/",
                 "add shard to primary_keys", "Nothing of this table was published"):  # fmt: skip
        assert part in result.errors, result.errors
    assert unique.current() == [(1, "Ann", "eu"), (2, "Bob", "eu"), (3, "Joe", "us")]
    # Without a key all rows of a folder that is loaded again are taken out.
    assert log.current() == [(3, "Joe", "us"), (4, "Dan", "eu"), (5, "Eve", "us")]
    assert timed.current() == [(1, "Ann", "eu"), (3, "Jo", "us"), (6, "Fay", "eu")]
    # A key that changes does so in its folder.
    assert moved.current() == [(1, "Ann", "eu"), (1, "Joe", "us"), (2, "Bob", "eu")]

    # A row that is deleted in one folder may be in the other.
    change(unique, "eu", "20201115-100000000", ("D", 1, None))
    result = project.run("2020-11-15")
    assert result.ok, result.errors
    assert unique.current() == [(1, "Jim", "us"), (2, "Bob", "eu"), (3, "Joe", "us")]
    # The feed has the shard once, as a part of the key, though primary_keys do not have it.
    assert unique.feed()["2020-11-15"] == [
        ("delete", 1, "eu", "Ann", None), ("insert", 1, "us", None, "Jim"),
    ]  # fmt: skip
    result = project.dbt("snapshot", "--vars", "{run_date: 2020-11-15}")
    assert result.ok, result.errors
    rows = project.query(
        "select id, name, shard, dbt_valid_to is null from " + project.schema + ".timed_history"
    )
    assert sort_by_value(rows) == [
        (1, "Ann", "eu", True), (2, "Bob", "eu", False), (3, "Jo", "us", True),
        (3, "Joe", "us", False), (6, "Fay", "eu", True),
    ]  # fmt: skip

    # From what is staged, the same.
    project.operate("replay", select=unique.label, dry_run=False)
    assert unique.current() == [(1, "Jim", "us"), (2, "Bob", "eu"), (3, "Joe", "us")]

    # What is undone of one folder is undone, and comes again.
    project.operate("rollback", select=timed.label, dry_run=False)
    assert timed.current() == [(1, "Ann", "eu"), (2, "Bob", "eu"), (3, "Joe", "us")]
    change(timed, "us", "20201116-100000000", ("I", 7, "Gil"))
    result = project.run("2020-11-16")
    assert result.ok, result.errors
    assert timed.current() == [
        (1, "Ann", "eu"), (2, "Bob", "eu"), (3, "Joe", "us"), (7, "Gil", "us"),
    ]  # fmt: skip
    project.operate("reapply", select=timed.label, dry_run=False)
    result = project.run("2020-11-16")
    assert result.ok, result.errors
    assert timed.current() == [
        (1, "Ann", "eu"), (3, "Jo", "us"), (6, "Fay", "eu"), (7, "Gil", "us"),
    ]  # fmt: skip
    result = project.dbt("test", "--vars", "{run_date: 2020-11-16}")
    assert result.ok, result.errors


def test_keys_that_two_folders_share_are_taken_once_the_shard_is_declared_a_part_of_them(
    project: Project,
) -> None:
    people = declare(project, "people", ["eu", "us"], primary_keys=["id"])
    load(people, "eu", (1, "Ann"))
    load(people, "us", (2, "Joe"))
    assert project.run("2020-11-13").ok
    change(people, "us", "20201114-100000000", ("I", 1, "Jim"))
    assert project.run("2020-11-14").failed == [people.snapshot_model]
    declare(project, "people", ["eu", "us"], primary_keys=["shard", "id"])
    result = project.run("2020-11-14")
    assert result.ok, result.errors
    assert people.current() == [(1, "Ann", "eu"), (1, "Jim", "us"), (2, "Joe", "us")]
    # Rows that are unique by both are not taken for unique by one of the two.
    declare(project, "people", ["eu", "us"], primary_keys=["id"])
    change(people, "us", "20201115-100000000", ("I", 4, "Zoe"))
    result = project.run("2020-11-15")
    assert result.failed == [people.staging_model]
    assert "primary_keys were shard, id and are id" in result.errors, result.errors
    # A folder that is declared no more does not take its rows away in silence.
    declare(project, "people", ["eu"], primary_keys=["shard", "id"])
    result = project.run("2020-11-15")
    assert "has rows of the shards us" in result.errors, result.errors
    assert people.current() == [(1, "Ann", "eu"), (1, "Jim", "us"), (2, "Joe", "us")]


@pytest.mark.thorough
def test_files_of_one_name_in_two_folders_are_told_apart(
    project: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    log = declare(project, "log", ["eu", "us"], primary_keys=[])
    people = declare(project, "people", ["eu", "us"])
    nulls = declare(project, "nulls", ["eu", "us"])
    same_name = "20201114-100000000"
    for table in (log, people):
        load(table, "eu", (1, "Ann"), (2, "Bob"))
        load(table, "us", (3, "Joe"))
    load(nulls, "eu", (1, "Ann"))
    load(nulls, "us", (None, "Joe"))
    result = project.run("2020-11-13")
    assert result.failed == [nulls.snapshot_model]
    assert "nulls/us/LOAD00000001.parquet row 1" in result.errors, result.errors
    assert "nulls/eu/" not in result.errors

    change(log, "eu", same_name, ("I", 4, "Dan"))
    change(log, "us", same_name, ("I", 5, "Eve"))
    change(people, "eu", same_name, ("U", 1, "Anna"))
    change(people, "us", same_name, ("U", 3, "Jo"))
    project.run_tables("2020-11-16", [log, people])
    rows = [(1, "Ann", "eu"), (2, "Bob", "eu"), (3, "Joe", "us"), (4, "Dan", "eu"),
            (5, "Eve", "us")]  # fmt: skip
    changed = [(1, "Anna", "eu"), (2, "Bob", "eu"), (3, "Jo", "us")]
    assert (log.current(), people.current()) == (rows, changed)
    project.operate("replay", select="*", dry_run=False)
    project.operate("backfill", select=log.label, from_date="2020-11-14", to_date="2020-11-14",
                    dry_run=False)  # fmt: skip
    assert (log.current(), people.current()) == (rows, changed)
    assert log.snapshot("2020-11-14") == rows

    # One of them is uploaded again.
    change(log, "eu", same_name, ("I", 6, "Fay"))
    change(people, "eu", same_name, ("U", 2, "Ben"))
    assert project.run_tables("2020-11-17", [log, people]).ok
    assert log.current() == [*rows[:3], (5, "Eve", "us"), (6, "Fay", "eu")]
    assert people.current() == [(1, "Ann", "eu"), (2, "Ben", "eu"), (3, "Jo", "us")]
    project.operate("replay", select="*", dry_run=False)
    assert log.current() == [*rows[:3], (5, "Eve", "us"), (6, "Fay", "eu")]
    assert people.current() == [(1, "Ann", "eu"), (2, "Ben", "eu"), (3, "Jo", "us")]

    # A full load without rows empties its folder, and that is said.
    load(people, "us")
    capfd.readouterr()
    assert project.run_tables("2020-11-18", [people]).ok
    assert people.current() == [(1, "Ann", "eu"), (2, "Ben", "eu")]
    assert "a full load without rows leaves none of shard us" in capfd.readouterr().out


@pytest.mark.thorough
def test_a_folder_that_is_taken_out_and_added_again_after_a_reload_is_as_it_is_then(
    project: Project,
) -> None:
    people = declare(project, "people", ["eu", "us"])
    log = declare(project, "log", ["eu", "us"], primary_keys=[])
    for table in (people, log):
        load(table, "eu", (1, "Ann"))
        load(table, "us", (1, "Joe"), (2, "Sue"))
    assert project.run("2020-11-13").ok
    change(people, "us", "20201114-100000000", ("D", 1, None), ("I", 3, "Kim"))
    change(log, "us", "20201114-100000000", ("I", 4, "Lee"))
    assert project.run("2020-11-14").ok
    for name, keys in (("people", ["shard", "id"]), ("log", [])):
        declare(project, name, ["eu"], primary_keys=keys)
    assert project.run("2020-11-15", "--full-refresh").ok
    assert people.current() == log.current() == [(1, "Ann", "eu")]
    # Meanwhile DMS loads it again.
    for name, keys in (("people", ["shard", "id"]), ("log", [])):
        table = declare(project, name, ["eu", "us"], primary_keys=keys)
        load(table, "us", (1, "Joe2"), (2, "Sue2"))
    change(people, "us", "20201116-120000000", ("U", 2, "Sue3"))
    result = project.run("2020-11-16")
    assert result.ok, result.errors
    assert people.current() == [(1, "Ann", "eu"), (1, "Joe2", "us"), (2, "Sue3", "us")]
    assert log.current() == [(1, "Ann", "eu"), (1, "Joe2", "us"), (2, "Sue2", "us")]


def test_a_key_that_is_twice_in_the_load_of_a_folder_is_warned_of_whenever_it_comes(
    project: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    people = declare(project, "people", ["eu", "us"])
    load(people, "eu", (1, "Ann"))
    load(people, "us", (1, "Joe"))
    assert project.run("2020-11-13").ok
    capfd.readouterr()
    load(people, "eu", (1, "Ann"), (2, "Bob"), (2, "Ben"))
    assert project.run("2020-11-14").ok
    warning = "hr.people: its full load has 3 rows and 2 keys"
    assert warning in capfd.readouterr().out


@dataclass(frozen=True)
class FolderStream:
    """What DMS writes into one folder: full loads under one name, and change files.

    Attributes:
        loads: the run that finds each, and its rows; all but the first are reloads.
        files: the change files.
        first_key: what is added to the keys.
        is_log: whether the table has no key; then all that comes is inserted.
    """

    loads: dict[int, list[Row]]
    files: list[ChangeFile]
    first_key: int
    is_log: bool

    def keyed(self, rows: Sequence[Row], place: int = 0) -> list[Row]:
        """Rows with the keys of this folder; `place` is that of the key in a row."""
        return [
            (*row[:place], row[place] + self.first_key, *row[place + 1 :]) for row in rows
        ]  # fmt: skip

    def changes(self, file: ChangeFile) -> list[Row]:
        """The rows of a change file."""
        rows = self.keyed(file.changes, 1)
        return [("I", *row[1:]) for row in rows] if self.is_log else rows

    def state(self, run: int, end: datetime) -> list[tuple[int, str | None]]:
        found = [number for number in self.loads if number <= run]
        last = max(found, default=None)
        load = self.keyed(self.loads[last]) if last is not None else []
        rows: dict[int, str | None] = dict(load)
        log = [*load]
        for file in self.files:
            is_replaced = len(found) > 1 and file.delivered < found[-1]
            if file.delivered <= run and file.time < end and not is_replaced:
                apply(self.changes(file), rows)
                log += [row[1:] for row in self.changes(file)]
        return log if self.is_log else [*rows.items()]


@dataclass(frozen=True)
class RandomShards:
    """Random streams side by side in folders of their own; see `RandomTable`."""

    folders: dict[str, FolderStream]
    keys: list[str]
    settings: dict[str, Any]

    @classmethod
    def of(cls, number: int, streams: Sequence[Stream]) -> "RandomShards":
        # As the streams: others with another DMS_PROPERTY_SEED.
        dice = random.Random(repr(streams))
        # With a key of its own a folder may have the keys of others.
        is_log = number % 3 == 2
        keys = [] if is_log else ["shard", "id"] if number % 2 else ["id"]
        folders = {}
        for place, stream in enumerate(streams[: number % 5 + 1]):
            # Folders have files of the same names: a file for each second hour.
            files = {
                hours * 7200: replace(file, second=hours * 7200)
                for file in stream.files
                for hours in [file.second // 7200]
            }
            reloads = [run for run in range(1, RUNS) if dice.random() < 0.4]
            loads: dict[int, list[Row]] = {}
            for run in [0, *reloads] if dice.random() < 0.8 else []:
                some = dice.sample(range(1, 13), dice.randint(0, 6))
                # Key 0 stays: a reload that has no key of before is another table's.
                loads[run] = [(0, f"load {run}"), *((key, f"load {run}") for key in some)]
            first_key = 0 if number % 2 else place * KEYS_OF_A_STREAM
            in_order = [files[second] for second in sorted(files)]
            folders[f"s{place}"] = FolderStream(loads, in_order, first_key, is_log)
        settings: list[dict[str, Any]] = [
            {}, {"change_feed": True}, {}, {"on_bad_row": "quarantine"}, {"image": "partial"},
        ]  # fmt: skip
        return cls(folders, keys, {} if is_log else settings[number % 5])

    def declare(self, project: Project, number: int) -> Table:
        return declare(
            project, f"shards_{number}", list(self.folders), primary_keys=self.keys,
            **self.settings,
        )  # fmt: skip

    def write(self, table: Table, run: int) -> None:
        for shard, stream in self.folders.items():
            if run in stream.loads:
                load(table, shard, *stream.keyed(stream.loads[run]))
            for file in stream.files:
                if file.delivered == run:
                    change(table, shard, file.name, *stream.changes(file))

    def write_changes_again(self, table: Table) -> None:
        # Other folders have files of the same names, which stay.
        shard, stream = next(iter(self.folders.items()))
        for file in reversed(stream.files):
            change(table, shard, file.name, *stream.changes(file))

    def state(self, run: int, run_date: date) -> list[Row]:
        end = datetime.combine(run_date, time()) + timedelta(days=1)
        return sort_by_value(
            [
                (key, name, shard)
                for shard, stream in self.folders.items()
                for key, name in stream.state(run, end)
            ]
        )


@pytest.mark.thorough
def test_random_streams_in_one_to_five_folders_are_as_a_plain_replay_of_each(
    new_project: NewProject,
) -> None:
    def table(number: int) -> RandomShards:
        return RandomShards.of(number, drawn(streams.filter(is_varied), number))

    play_random_tables(new_project, "random_shards", 50, table, in_passes=True)
