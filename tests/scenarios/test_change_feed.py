"""The change feed: what each run date changed, with the values before and after."""

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import NewProject
from tests.support.dms_files import Row
from tests.support.project import Project, RunResult, Table, local_path
from tests.support.side_by_side import COLUMNS

pytestmark = pytest.mark.thorough

DATED_COLUMNS = {**COLUMNS, "born_on": "date"}
# The fourth one, and all operations, are in test_random_versions.
LAYOUTS: dict[str, dict[str, Any]] = {
    "whole": {},
    "sliced": {"partition_date": "born_on", "partition_granularity": "month"},
    "newest_sliced": {"history": False, "partition_date": "born_on"},
}
JANUARY, MAY = date(2020, 1, 1), date(2020, 5, 1)
Feed = dict[str, list[Row]]
OPERATED = "hr.whole hr.newest_sliced"

# Kind, key, then name before and after, birthday before and after.
LOADED: list[Row] = [
    ("insert", 1, None, "Ann", None, JANUARY),
    ("insert", 2, None, None, None, MAY),
    ("insert", 3, None, "Cy", None, None),
    ("insert", 4, None, "Di", None, JANUARY),
    ("insert", 6, None, "Fay", None, MAY),
]
CHANGED: list[Row] = [
    ("delete", 3, "Cy", None, None, None),
    ("insert", 5, None, "Ed", None, MAY),
    ("update", 1, "Ann", "Anna", JANUARY, JANUARY),
    ("update", 2, None, "Bo", MAY, MAY),
    ("update", 4, "Di", "Di", JANUARY, MAY),
]
FIRST_TRY: list[Row] = [
    ("delete", 5, "Ed", None, MAY, None),
    ("update", 1, "Anna", None, JANUARY, JANUARY),
]
SECOND_TRY: list[Row] = [
    ("delete", 5, "Ed", None, MAY, None),
    ("update", 1, "Anna", "again", JANUARY, None),
    ("update", 6, "Fay", "late", MAY, MAY),
]
RELOADED: list[Row] = [
    ("delete", 4, "Di", None, MAY, None),
    ("delete", 6, "late", None, MAY, None),
    ("insert", 8, None, "Hal", None, JANUARY),
    ("update", 2, "Bo", "Bob", MAY, MAY),
]


def write_files(table: Table) -> None:
    table.write_load(
        (1, "Ann", JANUARY), (2, None, MAY), (3, "Cy", None), (4, "Di", JANUARY), (6, "Fay", MAY)
    )
    # Nothing becomes of 6, which is as it was, of 7, which came and went, and of 99, unknown.
    table.write_changes(
        "20201114-100000000",
        ("U", 1, "Anna", JANUARY), ("U", 2, "Bo", MAY), ("D", 3, None, None),
        ("I", 4, "Di", MAY), ("I", 5, "Ed", MAY), ("U", 6, "Fay", MAY),
        ("I", 7, "Gus", MAY), ("D", 7, None, None), ("D", 99, None, None),
    )  # fmt: skip
    table.write_changes("20201115-100000000", ("U", 1, None, JANUARY), ("D", 5, None, None))


def write_late_files(table: Table) -> None:
    """One for the date that is run again, and one from the day before."""
    table.write_changes("20201115-200000000", ("U", 1, "again", None))
    table.write_changes("20201114-200000000", ("U", 6, "late", MAY), ("U", 1, "overruled", MAY))


@dataclass
class Story:
    """A project after some runs and operations, and what its feeds were on the way."""

    project: Project
    feeds: dict[str, dict[str, Feed]] = field(default_factory=dict)
    told: dict[str, RunResult] = field(default_factory=dict)
    died_state: list[Row] = field(default_factory=list)
    folders: dict[str, tuple[set[Path], set[Path]]] = field(default_factory=dict)

    def run(self, run_date: str) -> RunResult:
        return self.project.run(run_date)

    def see(self, step: str) -> None:
        self.feeds[step] = {name: table.feed() for name, table in self.project.tables.items()}

    def operate(self, operation: str, **arguments: Any) -> None:
        self.project.operate(operation, dry_run=False, **arguments)
        self.see(operation)


def folders_with_files(table: Table) -> set[Path]:
    return {path.parent for path in table.root().glob("*/feed/*.parquet")}


def folders_that_readers_see(table: Table) -> set[Path]:
    rows = table.project.query(
        f"select distinct input_file_name() from {table.project.schema}.{table.name}_changes"
    )
    return {local_path(row[0]).parent for row in rows}


@pytest.fixture(scope="module")
def story(new_project: NewProject) -> Story:
    """All layouts after runs, operations, a reload and a full refresh; others where they differ."""
    story = Story(new_project("change_feed"))
    project = story.project
    for name, keys in LAYOUTS.items():
        write_files(project.declare(name, DATED_COLUMNS, ["id"], change_feed=True, **keys))
    notes = project.declare("notes", {"text": "string"}, [], change_feed=True)
    notes.write_load(("a",), ("a",))
    notes.write_changes("20201114-100000000", ("I", "b"), ("I", "a"))
    varied = project.declare("varied", COLUMNS, ["id"], change_feed=True)
    varied.write_load((1, "only"))
    varied.write_changes("20201115-100000000", ("D", 1, None))
    assert story.run("2020-11-13").ok

    with project.interrupted("publish_feed", "sliced"):
        story.told["died"] = story.run("2020-11-14")
    story.see("died")
    story.died_state = project.tables["sliced"].snapshot("2020-11-14")

    assert story.run("2020-11-15").ok
    story.see("first try")
    for name in LAYOUTS:
        write_late_files(project.tables[name])
    assert story.run("2020-11-15").ok
    varied = project.declare("varied", {**COLUMNS, "city": "string"}, ["id"], change_feed=True)
    varied.write_changes("20201116-100000000", ("I", 2, "back", "Bern"))
    assert story.run("2020-11-16").ok
    story.see("runs")

    story.operate("rollback", select=OPERATED)
    story.operate("reapply", select=OPERATED)
    story.operate("vacuum", select=OPERATED, retention=0, grace_hours=0)
    for name in ("whole", "newest_sliced"):
        table = project.tables[name]
        story.folders[name] = folders_with_files(table), folders_that_readers_see(table)

    for name in LAYOUTS:
        project.tables[name].write_load((1, "again", None), (2, "Bob", MAY), (8, "Hal", JANUARY))
    notes.write_load(("a",), ("c",))
    varied = project.declare("varied", varied.columns, ["id"])
    varied.write_changes("20201117-100000000", ("D", 2, None, None))
    assert story.run("2020-11-17").ok
    story.see("reload")
    for path in project.tables["sliced"].root().glob("*/rows/**/*.parquet"):
        path.unlink()
    some = [project.tables[name] for name in ("whole", "newest_sliced", "notes", "sliced")]
    story.told["full refresh"] = project.run_tables("2020-11-17", some, "--full-refresh")
    story.see("full refresh")
    return story


@pytest.mark.parametrize("name", LAYOUTS)
def test_each_date_has_what_it_changed_with_the_values_before_and_after(
    story: Story, name: str
) -> None:
    assert story.feeds["runs"][name] == {
        "2020-11-13": LOADED,
        "2020-11-14": CHANGED,
        "2020-11-15": SECOND_TRY,
    }


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_date_that_is_run_again_has_the_changes_of_the_last_time(story: Story, name: str) -> None:
    assert story.feeds["first try"][name]["2020-11-15"] == FIRST_TRY
    assert story.feeds["runs"][name]["2020-11-15"] == SECOND_TRY


def test_the_snapshot_is_right_before_the_feed_is_shown(story: Story) -> None:
    assert "died here" in story.told["died"].message("sliced_snapshot")
    assert story.feeds["died"]["sliced"] == {"2020-11-13": LOADED}
    assert story.feeds["died"]["whole"] == {"2020-11-13": LOADED, "2020-11-14": CHANGED}
    # The run that came next has finished it.
    assert story.feeds["first try"]["sliced"]["2020-11-14"] == CHANGED
    assert story.died_state == [
        (1, "Anna", JANUARY), (2, "Bo", MAY), (4, "Di", MAY), (5, "Ed", MAY), (6, "Fay", MAY),
    ]  # fmt: skip


@pytest.mark.parametrize("name", OPERATED.replace("hr.", "").split())
def test_the_feed_follows_the_published_versions(story: Story, name: str) -> None:
    assert story.feeds["rollback"][name] == story.feeds["first try"][name]
    assert story.feeds["reapply"][name] == story.feeds["runs"][name]


@pytest.mark.parametrize("name", OPERATED.replace("hr.", "").split())
def test_vacuum_keeps_the_changes_that_are_shown_and_no_others(story: Story, name: str) -> None:
    assert story.feeds["vacuum"][name] == story.feeds["runs"][name]
    found, seen = story.folders[name]
    assert len(found) == 3
    assert found == seen


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_reload_changes_what_differs(story: Story, name: str) -> None:
    assert story.feeds["reload"][name]["2020-11-17"] == RELOADED


@pytest.mark.parametrize("name", OPERATED.replace("hr.", "").split())
def test_a_full_refresh_changes_what_differs_from_the_date_before(story: Story, name: str) -> None:
    assert story.feeds["full refresh"][name] == story.feeds["reload"][name]


def test_without_a_key_rows_come_and_with_a_reload_go(story: Story) -> None:
    assert story.feeds["full refresh"]["notes"] == {
        "2020-11-13": [("insert", None, "a"), ("insert", None, "a")],
        "2020-11-14": [("insert", None, "a"), ("insert", None, "b")],
        "2020-11-17": [("delete", "a", None), ("delete", "a", None), ("delete", "b", None),
                       ("insert", None, "c")],
    }  # fmt: skip


def test_a_table_may_become_empty_get_a_column_and_ask_for_no_feed_any_more(story: Story) -> None:
    assert story.feeds["runs"]["varied"] == {
        "2020-11-13": [("insert", 1, None, "only", None, None)],
        "2020-11-15": [("delete", 1, "only", None, None, None)],
        "2020-11-16": [("insert", 2, None, "back", None, "Bern")],
    }
    assert story.project.tables["varied"].current() == []
    assert story.feeds["reload"]["varied"] == story.feeds["runs"]["varied"]


def test_changes_since_a_state_whose_files_are_lost_are_refused(story: Story) -> None:
    message = story.told["full refresh"].message("sliced_snapshot")
    assert "were changed by hand: 1 missing (part-" in message
    assert "dbt run-operation repair --args '{select: hr.sliced}'" in message
    assert story.feeds["full refresh"]["sliced"] == story.feeds["reload"]["sliced"]
