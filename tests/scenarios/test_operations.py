"""What a person can do about versions: look, go back, come again, build anew, fill in, clean up."""

import shlex
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import NewProject
from tests.support.dms_files import Row
from tests.support.engines import REPOSITORY
from tests.support.project import Project, Table
from tests.support.side_by_side import COLUMNS

DATES = ("2020-11-13", "2020-11-14", "2020-11-15", "2020-11-16")
DATED_COLUMNS = {**COLUMNS, "born_on": "date"}
LAYOUTS: dict[str, dict[str, Any]] = {
    "whole": {},
    "sliced": {"partition_date": "born_on", "partition_granularity": "month"},
    "newest_whole": {"history": False},
    "newest_sliced": {"history": False, "partition_date": "born_on"},
}
JANUARY, MAY = date(2020, 1, 1), date(2020, 5, 1)


def write_files(table: Table) -> None:
    """Something changes on the 14th and on the 15th, nothing on the 16th."""
    table.write_load((1, "Ann", JANUARY), (2, "Bo", MAY), (3, "Cy", None))
    table.write_changes("20201114-100000000", ("U", 1, "14", JANUARY), ("D", 2, None, None))
    table.write_changes("20201115-100000000", ("U", 1, "bad", MAY), ("I", 4, "bad", JANUARY))


@dataclass
class Story:
    """A project after some operations, and what was seen on the way."""

    project: Project
    seen: dict[str, dict[str, dict[str, list[Row]]]] = field(default_factory=dict)
    files: dict[str, set[Path]] = field(default_factory=dict)
    told: str = ""

    @property
    def tables(self) -> dict[str, Table]:
        return self.project.tables

    def see(self) -> dict[str, dict[str, list[Row]]]:
        return {name: visible(table) for name, table in self.tables.items()}


def visible(table: Table) -> dict[str, list[Row]]:
    """All that readers see of a table."""
    seen = {"current": table.current()}
    if table.history:
        seen |= {run_date: table.snapshot(run_date) for run_date in table.dates()}
    else:
        seen["snapshot"] = table.rows()
    return seen


@pytest.fixture(scope="module")
def undone(new_project: NewProject) -> Story:
    """All layouts: four dates, then a rollback of the last change."""
    story = Story(new_project("operations"))
    for name, keys in LAYOUTS.items():
        write_files(story.project.declare(name, DATED_COLUMNS, ["id"], **keys))
    for run_date in DATES:
        result = story.project.run(run_date)
        assert result.ok, result.errors
        story.seen[run_date] = story.see()
    told = story.project.operate("rollback", select="hr.*")
    assert "would" in told
    assert "dry_run: false" in told
    assert story.see() == story.seen[DATES[-1]]
    story.told = story.project.operate("rollback", select="hr.*", dry_run=False)
    return story


def test_a_rollback_undoes_the_last_change_and_the_days_after_it(undone: Story) -> None:
    for name, table in undone.tables.items():
        assert visible(table) == undone.seen[DATES[1]][name]
        assert [v["action"] for v in table.versions()] == [
            "build", "merge", "merge", "carry", "rollback",
        ]  # fmt: skip
    assert "withheld" in undone.told
    assert "2020-11-15, 2020-11-16" in undone.told


def test_reapply_takes_a_rollback_back_row_for_row(undone: Story) -> None:
    for name, table in undone.tables.items():
        undone.project.operate("reapply", select=table.snapshot_model, dry_run=False)
        assert visible(table) == undone.seen[DATES[-1]][name]
    told = undone.project.operate("reapply", select="hr.whole", dry_run=False)
    assert "nothing to reapply" in told


def test_rollback_to_goes_to_any_date_or_version(undone: Story) -> None:
    states = undone.seen
    for to, run_date in (("2020-11-13", DATES[0]), (3, DATES[2]), ("2020-11-14", DATES[1])):
        undone.project.operate("rollback_to", select="*", to=to, dry_run=False)
        for name, table in undone.tables.items():
            assert visible(table) == states[run_date][name], (name, to)
    # From the state of the 14th: the bad batch of the 15th does not come back by itself.
    for table in undone.tables.values():
        table.write_changes("20201115-120000000", ("I", 5, "good", MAY))
    assert undone.project.run(DATES[2]).ok
    for table in undone.tables.values():
        rows = [(1, "14", JANUARY), (3, "Cy", None), (5, "good", MAY)]
        assert table.current() == rows
        # A late file of a key that the bad batch changed too.
        table.write_changes("20201114-120000000", ("U", 1, "late", JANUARY))
    assert undone.project.run(DATES[3]).ok
    for table in undone.tables.values():
        rows = [(1, "late", JANUARY), (3, "Cy", None), (5, "good", MAY)]
        assert table.current() == rows
    replayed = undone.project.operate("replay", select="*", dry_run=False)
    for table in undone.tables.values():
        assert table.current() == rows, replayed
        assert table.versions()[-1]["action"] == "replay"
    # The bad batch was right after all, but others were published since.
    told = undone.project.operate("reapply", select="*")
    assert "run_date: 2020-11-16" in told
    told = undone.project.operate("reapply", select="*", dry_run=False)
    assert told.count("no longer withheld: 1") == len(LAYOUTS), told
    for run_date in ("2020-11-17", "2020-11-17"):
        assert undone.project.run(run_date).ok
        for table in undone.tables.values():
            assert table.current() == [
                (1, "bad", MAY), (3, "Cy", None), (4, "bad", JANUARY), (5, "good", MAY),
            ]  # fmt: skip
    assert "nothing to reapply" in undone.project.operate("reapply", select="*")


@pytest.mark.parametrize(
    ("operation", "arguments", "said"),
    [
        ("rollback", {}, "select is missing"),
        ("rollback", {"select": "hr.nobody"}, "no declared table"),
        ("rollback_to", {"select": "hr.whole", "to": 99}, "no version"),
        ("rollback_to", {"select": "hr.whole", "to": "2019-01-01"}, "no published date"),
        ("vacuum", {"select": "hr.whole", "retention": -1}, "retention is -1"),
        ("backfill", {"select": "hr.whole", "from_date": "x", "to_date": "y"}, "from_date is x"),
        (
            "backfill",
            {"select": "hr.newest_whole", "from_date": "2020-11-13", "to_date": "2020-11-14"},
            "history is false",
        ),
    ],
)  # fmt: skip
def test_wrong_arguments_change_nothing(
    undone: Story, operation: str, arguments: dict[str, Any], said: str
) -> None:
    versions = undone.tables["whole"].versions()
    told = undone.project.operate(operation, dry_run=False, **arguments)
    assert said in told
    assert "Nothing was changed" in told
    assert undone.tables["whole"].versions() == versions


def test_versions_tells_what_there_is(undone: Story) -> None:
    told = undone.project.operate("versions", select="hr.whole")
    assert "hr.whole" in told
    for word in ("version", "rollback", "merge", "carry", "current"):
        assert word in told


# -------------------------------------------------------------------------- vacuum


def files(table: Table) -> set[Path]:
    return set(table.root().rglob("*.parquet"))


@pytest.fixture(scope="module")
def vacuumed(new_project: NewProject) -> Story:
    """Four dates, the third of them twice, then a vacuum that keeps what readers see."""
    story = Story(new_project("vacuum"))
    project = story.project
    for name, keys in LAYOUTS.items():
        write_files(project.declare(name, DATED_COLUMNS, ["id"], **keys))
    for run_date in (*DATES[:3], DATES[2], DATES[3]):
        assert project.run(run_date).ok
    story.seen["before"] = story.see()
    stray = project.tables["whole"].root() / "notes.parquet"
    stray.write_text("not ours")
    story.files = {name: files(table) for name, table in project.tables.items()}
    arguments = {"select": "*", "retention": 0}
    assert "deleted 0 files" in project.operate("vacuum", **arguments, dry_run=False)
    assert "would delete" in project.operate("vacuum", **arguments, grace_hours=0)
    assert {name: files(table) for name, table in project.tables.items()} == story.files
    story.told = project.operate("vacuum", **arguments, grace_hours=0, dry_run=False)
    return story


@pytest.mark.parametrize("name", LAYOUTS)
def test_vacuum_leaves_all_that_readers_see(vacuumed: Story, name: str) -> None:
    table = vacuumed.tables[name]
    assert visible(table) == vacuumed.seen["before"][name]
    assert files(table) < vacuumed.files[name]
    assert vacuumed.tables["whole"].root().joinpath("notes.parquet").exists()


def test_a_vacuumed_version_is_refused_and_its_table_goes_on(vacuumed: Story) -> None:
    table = vacuumed.tables["newest_whole"]
    told = vacuumed.project.operate("rollback_to", select="hr.newest_whole", to=1, dry_run=False)
    assert "vacuumed" in told
    assert visible(table) == vacuumed.seen["before"]["newest_whole"]
    table.write_changes("20201117-100000000", ("I", 9, "17", None))
    assert vacuumed.project.run("2020-11-17").ok
    assert (9, "17", None) in table.current()


# ------------------------------------------------------------------------- backfill


def test_backfill_makes_the_dates_that_are_missing(new_project: NewProject) -> None:
    project = new_project("backfill")
    for name in ("whole", "sliced"):
        table = project.declare(name, DATED_COLUMNS, ["id"], **LAYOUTS[name])
        write_files(table)
        table.write_changes("20201117-100000000", ("D", 1, None, None))
    assert project.run("2020-11-14").ok
    assert project.run("2020-11-18").ok
    arguments = {"select": "*", "from_date": "2020-11-13", "to_date": "2020-11-18"}
    told = project.operate("backfill", **arguments)
    assert "2020-11-13, 2020-11-15, 2020-11-16, 2020-11-17" in told
    project.operate("backfill", **arguments, dry_run=False)
    expected = {
        "2020-11-13": [(1, "Ann", JANUARY), (2, "Bo", MAY), (3, "Cy", None)],
        "2020-11-14": [(1, "14", JANUARY), (3, "Cy", None)],
        "2020-11-15": [(1, "bad", MAY), (3, "Cy", None), (4, "bad", JANUARY)],
        "2020-11-16": [(1, "bad", MAY), (3, "Cy", None), (4, "bad", JANUARY)],
        "2020-11-17": [(3, "Cy", None), (4, "bad", JANUARY)],
        "2020-11-18": [(3, "Cy", None), (4, "bad", JANUARY)],
    }
    for table in project.tables.values():
        assert {day: table.snapshot(day) for day in table.dates()} == expected
        assert table.current() == expected["2020-11-18"]
        table.write_changes("20201119-100000000", ("U", 3, "19", None))
    assert "no date is missing" in project.operate("backfill", **arguments, dry_run=False)
    assert project.run("2020-11-19").ok
    for table in project.tables.values():
        assert table.current() == [(3, "19", None), (4, "bad", JANUARY)]
        assert table.snapshot("2020-11-17") == expected["2020-11-17"]


# ------------------------------------------------------------------------- the manual


def documented_commands() -> list[list[str]]:
    """The commands of docs/operations.md, in their order."""
    text = (REPOSITORY / "docs/operations.md").read_text(encoding="utf-8")
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("    dbt ")]


def test_every_documented_command_works(new_project: NewProject) -> None:
    project = new_project("manual")
    table = project.declare("employees", DATED_COLUMNS, ["id"], source="employees")
    write_files(table)
    table.write_changes("20201112-100000000", ("I", 8, "12", None))
    assert project.run("2020-11-12").ok
    assert project.run("2020-11-13").ok
    assert project.run("2020-11-15").ok
    commands = documented_commands()
    assert {command[1] for command in commands if command[0] == "run-operation"} == {
        "versions", "rollback", "rollback_to", "reapply", "replay", "backfill", "vacuum",
    }  # fmt: skip
    for command in commands:
        if command[1] == "backfill":
            # Back to where the 15th is published and the 14th is not.
            assert project.run("2020-11-15").ok
        result = project.dbt(*command)
        assert result.ok, (command, result.errors)
    assert table.dates() == ["2020-11-12", "2020-11-13", "2020-11-14", "2020-11-15"]
    # What was rolled back and never reapplied stays away.
    assert table.current() == [
        (1, "Ann", JANUARY), (2, "Bo", MAY), (3, "Cy", None), (8, "12", None),
    ]  # fmt: skip
