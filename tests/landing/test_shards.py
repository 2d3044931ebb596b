"""A table of several folders: each has full loads, load generations and an order of its own."""

import random
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import pytest

from pyspark_dms.landing.events import ListedFolder, ListedObject, ObjectEvent, Run
from pyspark_dms.landing.facts import FilePlan, TableFacts, Version
from pyspark_dms.landing.file_names import classify
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.landing.objects import decide
from pyspark_dms.landing.shards import events_of, folders_of, plan_table
from pyspark_dms.versions.manifest import FileRef, Shard
from tests.landing.fake_table import FIRST_MOMENT, Row
from tests.versions.made import manifest

FIRST = "LOAD00000001.parquet"


def change_name(day: int, hour: int = 10) -> str:
    return f"202011{day:02}-{hour}0000000.parquet"


@dataclass(frozen=True)
class Made:
    """A version: the files that its state was built from with their rows, and what it shows."""

    version: Version
    line: list[tuple[IndexedFile, tuple[Row, ...]]]
    base: Version | None

    @property
    def rows(self) -> dict[tuple[str, int], str]:
        """The rows by shard and key: of each folder its files in their order."""
        rows: dict[tuple[str, int], str] = {}
        for file, changes in sorted(self.line, key=lambda one: one[0].file_seq):
            for row in changes:
                apply(rows, file.shard or "", row)
        return rows


class Shards:
    """A landing area of several folders in memory, and the versions that runs make of it.

    A merge takes away the folders that the plan replaces, and adds its files to those of the base.
    """

    def __init__(self, *names: str) -> None:
        self.folders = {name: f"s3://{name}/hr/people/" for name in names}
        self.files: dict[str, tuple[tuple[Row, ...], datetime]] = {}
        self.events: list[ObjectEvent] = []
        self.made: list[Made] = []
        self.now = FIRST_MOMENT
        self.single = False

    def write(self, shard: str, name: str, *rows: Row) -> None:
        self.now += timedelta(minutes=1)
        self.files[self.folders[shard] + name] = (rows, self.now)

    @property
    def declared(self) -> list[tuple[str, str]]:
        return [] if self.single else [*self.folders.items()]

    def list_folder(self, path: str) -> tuple[list[ListedObject], list[ListedFolder]]:
        found = []
        for file, (rows, at) in sorted(self.files.items()):
            if file.startswith(path):
                name = classify(file)
                etag = f"{abs(hash(rows)):x}"[:8]
                found.append(
                    ListedObject(
                        file, name.kind, name.file_time, None, name.name_order, 10, etag, at
                    )
                )
        return found, [ListedFolder(path, None, len(found), None)]

    def facts(self, run_date: date, full_refresh: bool) -> TableFacts:
        current = self.made[-1].version if self.made else None
        base = current
        if current and current.run_date == run_date:
            base = self.made[-1].base
        return TableFacts(
            label="hr.people", path=next(iter(self.folders.values())) if self.single else "",
            transaction_path=None, cdc_start_date=None, on_missing_files="warn",
            full_refresh=full_refresh, run_command="dbt run", rebuild_command="dbt run --fr",
            current=current, base=None if full_refresh else base, excluded=frozenset(),
            included=frozenset(),
            history={
                one.version.version: manifest(
                    one.version.version, on=one.version.base_version,
                    files=tuple(FileRef(*key) for key in one.version.files),
                )
                for one in self.made
            },
            shards=tuple(self.declared),
        )  # fmt: skip

    def plan(self, day: str, full_refresh: bool = False) -> FilePlan:
        self.now += timedelta(minutes=1)
        run = Run(date.fromisoformat(day), self.now)
        facts = self.facts(run.run_date, full_refresh)
        known = facts.current.shards if facts.current else {}
        taken = {key for made in self.made for key in made.version.files}
        new = []
        folders = folders_of(facts.path or None, facts.shards, known, self.events)
        for folder, own in zip(folders, events_of(folders, self.events), strict=True):
            objects, listed = self.list_folder(folder.path)
            new += folder.as_recorded(decide(own, objects, listed, taken, (), run))
        self.events += new
        return plan_table(self.events, facts, run)

    def run(self, day: str, full_refresh: bool = False) -> FilePlan:
        plan = self.plan(day, full_refresh)
        assert plan.error is None, plan.error
        run_date = date.fromisoformat(day)
        facts = self.facts(run_date, full_refresh)
        if plan.action == "none":
            assert facts.current
            assert plan.shown_version == facts.current.version
            return plan
        line = [(file, self.files[file.path][0]) for file in plan.files]
        if plan.action == "merge":
            assert facts.base
            of_base = next(one for one in self.made if one.version == facts.base)
            line += [one for one in of_base.line if one[0].shard not in plan.replaced_shards]
        # As a manifest has them, also those that a folder was reloaded over.
        loads = {(file.path, file.etag) for file in plan.files if file.kind == "load"}
        if plan.action == "merge" and facts.base:
            loads |= facts.base.load_files
        version = Version(
            version=len(self.made) + 1, run_date=run_date, newest_date=run_date,
            generation=plan.generation, last_file_seq=plan.last_file_seq,
            base_version=facts.base.version if facts.base else None, rows_after=len(line),
            indexed_from=plan.indexed_from, indexed_through=plan.indexed_through,
            files=frozenset((file.path, file.etag) for file in plan.files),
            load_files=frozenset(loads), shards={state.name: state for state in plan.shards},
        )  # fmt: skip
        self.made.append(Made(version, line, facts.base))
        return plan

    @property
    def rows(self) -> dict[tuple[str, int], str]:
        return self.made[-1].rows


def apply(rows: dict[tuple[str, int], str], shard: str, row: Row) -> None:
    """A row of a full load is key and name; one of a change begins with its operation."""
    if len(row) == 2:
        rows[shard, row[0]] = row[1]
    elif row[0] == "D":
        rows.pop((shard, row[1]), None)
    else:
        rows[shard, row[1]] = row[2]


def names(plan: FilePlan) -> list[str]:
    return sorted("/".join([file.shard or "", file.path.rsplit("/", 1)[1]]) for file in plan.files)


def test_a_reload_of_one_folder_replaces_its_rows_only() -> None:
    people = Shards("eu", "us")
    people.write("eu", FIRST, (1, "Ann"), (2, "Bob"))
    people.write("us", FIRST, (1, "Joe"))
    assert people.run("2020-11-13").action == "build"
    people.write("eu", FIRST, (1, "Anna"))
    people.write("us", change_name(14), ("I", 7, "Jim"))
    plan = people.run("2020-11-14")
    assert (plan.action, plan.replaced_shards) == ("merge", ("eu",))
    assert people.rows == {("eu", 1): "Anna", ("us", 1): "Joe", ("us", 7): "Jim"}
    # The other folder goes on where it was.
    assert plan.shards[0].generation == 2
    assert plan.shards[1].generation == 100_001
    people.write("us", change_name(15), ("D", 1, ""))
    assert names(people.run("2020-11-15")) == [f"us/{change_name(15)}"]
    assert people.rows == {("eu", 1): "Anna", ("us", 7): "Jim"}


def test_all_folders_that_begin_again_are_a_build() -> None:
    people = Shards("eu", "us")
    for shard in ("eu", "us"):
        people.write(shard, FIRST, (1, shard))
    people.run("2020-11-13")
    for shard in ("eu", "us"):
        people.write(shard, FIRST, (2, shard))
    plan = people.run("2020-11-14")
    assert (plan.action, plan.replaced_shards) == ("build", ())
    assert people.rows == {("eu", 2): "eu", ("us", 2): "us"}


def test_a_late_file_is_late_in_its_folder_only() -> None:
    people = Shards("eu", "us")
    people.write("eu", change_name(14, 20), ("I", 1, "Ann"))
    people.write("us", change_name(14, 10), ("I", 1, "Joe"))
    people.run("2020-11-14")
    people.write("us", change_name(14, 15), ("U", 1, "Jo"))
    assert not people.run("2020-11-15").is_late
    people.write("us", change_name(14, 12), ("U", 1, "old"))
    assert people.run("2020-11-16").is_late


def test_a_folder_that_is_added_is_merged_with_the_others() -> None:
    people = Shards("eu")
    people.write("eu", FIRST, (1, "Ann"))
    people.run("2020-11-13")
    # It may stand anywhere in the list.
    people.folders = {"asia": "s3://asia/hr/people/", **people.folders}
    people.write("asia", FIRST, (1, "Li"))
    plan = people.run("2020-11-14")
    assert (plan.action, names(plan)) == ("merge", [f"asia/{FIRST}"])
    assert people.rows == {("eu", 1): "Ann", ("asia", 1): "Li"}
    assert {state.name: state.generation for state in plan.shards} == {"eu": 1, "asia": 100_001}


def test_a_folder_without_files_is_warned_of_once() -> None:
    people = Shards("eu", "us")
    people.write("eu", FIRST, (1, "Ann"))
    plan = people.run("2020-11-13")
    assert ["no files under s3://us/hr/people/" in what for what, _ in plan.warnings] == [True]
    people.write("eu", change_name(14), ("I", 2, "Bob"))
    assert people.run("2020-11-14").warnings == ()


def test_a_folder_that_is_declared_no_more_fails_the_table() -> None:
    people = Shards("eu", "us")
    for shard in ("eu", "us"):
        people.write(shard, FIRST, (1, shard))
    people.run("2020-11-13")
    del people.folders["us"]
    error = people.plan("2020-11-14").error or ""
    for part in ("hr.people: version 1 has rows of the shards us", "Nothing of this table was",
                 "Declare them again", "dbt run --fr"):  # fmt: skip
        assert part in error, error
    people.run("2020-11-14", full_refresh=True)
    assert people.rows == {("eu", 1): "eu"}


@pytest.mark.parametrize("was_single", [True, False])
def test_one_folder_and_a_list_of_folders_are_not_built_on_each_other(was_single: bool) -> None:
    people = Shards("eu", "us")
    for shard in ("eu", "us"):
        people.write(shard, FIRST, (1, shard))
    people.single = was_single
    people.run("2020-11-13")
    people.single = not was_single
    error = people.plan("2020-11-14").error or ""
    assert ("path is a list of folders, and version 1 was made from one folder" in error) is (
        was_single
    )
    assert "dbt run --fr" in error
    plan = people.run("2020-11-14", full_refresh=True)
    assert len(plan.files) == (2 if was_single else 1)
    people.write("eu", change_name(15), ("U", 1, "new"))
    assert len(people.run("2020-11-15").files) == 1


def test_a_parent_folder_that_becomes_a_list_of_its_folders_has_each_file_once() -> None:
    people = Shards("eu", "us")
    listed = {"eu": "s3://lake/people/eu/", "us": "s3://lake/people/us/"}
    people.folders = dict(listed)
    people.write("eu", FIRST, (1, "Ann"))
    people.write("us", FIRST, (2, "Joe"))
    people.folders = {"all": "s3://lake/people/"}
    people.single = True
    people.run("2020-11-13")
    people.folders = listed
    people.single = False
    plan = people.run("2020-11-14", full_refresh=True)
    assert names(plan) == [f"eu/{FIRST}", f"us/{FIRST}"]
    assert people.rows == {("eu", 1): "Ann", ("us", 2): "Joe"}


def test_a_folder_that_cannot_be_listed_fails_the_table() -> None:
    people = Shards("eu", "us")
    people.write("eu", FIRST, (1, "Ann"))
    people.run("2020-11-13")
    listed = people.list_folder

    def refused(path: str) -> tuple[list[ListedObject], list[ListedFolder]]:
        if path.startswith("s3://us"):
            return [], [ListedFolder(path, None, 0, "no access")]
        return listed(path)

    people.list_folder = refused  # type: ignore[method-assign]
    people.write("eu", change_name(14), ("U", 1, "Anna"))
    assert "s3://us/hr/people/ cannot be listed: no access" in (
        people.plan("2020-11-14").error or ""
    )
    people.list_folder = listed  # type: ignore[method-assign]
    assert names(people.run("2020-11-14")) == [f"eu/{change_name(14)}"]


def test_a_date_that_is_run_again_takes_the_files_of_all_folders_again() -> None:
    people = Shards("eu", "us")
    for shard in ("eu", "us"):
        people.write(shard, FIRST, (1, shard))
    people.run("2020-11-13")
    people.write("eu", change_name(14), ("U", 1, "Anna"))
    people.run("2020-11-14")
    assert people.run("2020-11-14").action == "none"
    people.write("us", change_name(14), ("U", 1, "Jo"))
    assert names(people.run("2020-11-14")) == [f"eu/{change_name(14)}", f"us/{change_name(14)}"]
    assert people.rows == {("eu", 1): "Anna", ("us", 1): "Jo"}


def test_a_folder_keeps_its_number_wherever_it_stands() -> None:
    shards = [("b", "s3://b/"), ("a", "s3://a/"), ("c", "s3://c/")]
    known = {"a": Shard("a", 3, 1), "b": Shard("b", 200_001, 1)}
    numbers = {f.shard: f.number for f in folders_of(None, shards, known, [])}
    assert numbers == {"a": 0, "b": 2, "c": 3}


def expected(people: Shards, until: date) -> dict[tuple[str, int], str]:
    """Each folder by itself: the newest full load, then the changes up to a date in their order."""
    rows: dict[tuple[str, int], str] = {}
    for shard, path in people.folders.items():
        own = {file.removeprefix(path): one for file, one in people.files.items()
               if file.startswith(path)}  # fmt: skip
        loaded_at = own[FIRST][1] if FIRST in own else None
        for row in own[FIRST][0] if FIRST in own else ():
            apply(rows, shard, row)
        for name in sorted(own.keys() - {FIRST}):
            changes, at = own[name]
            time = classify(name).file_time
            if (loaded_at is None or at > loaded_at) and time and time.date() <= until:
                for row in changes:
                    apply(rows, shard, row)
    return rows


@pytest.mark.parametrize("seed", range(60))
def test_random_folders_are_as_each_by_itself(seed: int) -> None:
    dice = random.Random(seed)
    people = Shards(*"abcde"[: dice.randint(1, 5)])
    for day in sorted(dice.choices(range(13, 20), k=7)):
        for shard in people.folders:
            kind = dice.random()
            has_load = people.folders[shard] + FIRST in people.files
            if kind < 0.25 or not has_load:
                rows = [(key, f"load {day}") for key in dice.sample(range(9), dice.randint(1, 5))]
                people.write(shard, FIRST, *rows)
            for _ in range(dice.randint(0, 2)):
                name = change_name(dice.randint(13, day + 1), dice.randint(10, 23))
                if people.folders[shard] + name in people.files:
                    continue
                some = [(dice.choice("IUD"), dice.randint(0, 8), f"{day}") for _ in range(3)]
                people.write(shard, name, *some)
        run_date = date(2020, 11, day)
        try:
            people.run(f"{run_date}")
        except AssertionError as error:
            raise AssertionError((seed, day)) from error
        assert people.rows == expected(people, run_date), (seed, day)
    people.run(f"{run_date}", full_refresh=True)
    assert people.rows == expected(people, run_date), seed
