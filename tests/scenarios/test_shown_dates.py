"""What readers see under a date, where it is not the state of the newest version of that date."""

import shutil

import pytest

from tests.conftest import NewProject
from tests.support.dms_files import Row
from tests.support.project import Project, Table

pytestmark = pytest.mark.thorough

COLUMNS = {"id": "int", "name": "string"}
LOADED = [(1, "Ann"), (2, "Bo")]


class Story:
    """What four tables went through: rows as readers saw them, and what operations printed."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.damaged, self.stale, self.undone, self.swapped = (
            project.declare(name, COLUMNS, ["id"])
            for name in ("damaged", "stale", "undone", "swapped")
        )
        self.seen: dict[str, list[Row]] = {}
        self.said: dict[str, str] = {}

    def run(self, run_date: str, *tables: Table) -> None:
        result = self.project.run_tables(run_date, tables)
        assert result.ok, result.errors

    def operate(self, operation: str, table: Table, **arguments: object) -> None:
        name = f"{operation} {table.name}"
        self.said[name] = self.project.operate(
            operation, select=table.label, dry_run=False, **arguments
        )


@pytest.fixture(scope="module")
def story(new_project: NewProject) -> Story:
    story = Story(new_project("shown_dates"))
    project, damaged, stale = story.project, story.damaged, story.stale
    undone, swapped = story.undone, story.swapped
    for table in (damaged, stale, undone, swapped):
        table.write_load(*LOADED)
    story.run("2020-11-13", damaged, stale, undone, swapped)
    # Shown, and not recorded.
    with project.interrupted("record_run"):
        assert not project.run_tables("2020-11-14", [stale]).ok
    stale.write_changes("20201113-230000000", ("U", 1, "late"))
    story.run("2020-11-13", stale)
    story.run("2020-11-14", undone, swapped)
    damaged.write_changes("20201114-100000000", ("U", 1, "Anna"))
    undone.write_changes("20201114-100000000", ("U", 1, "bad"))
    swapped.write_changes("20201114-100000000", ("U", 1, "bad"))
    story.run("2020-11-14", damaged, undone, swapped)
    for table in (damaged, stale):
        story.operate("vacuum", table, retention=0, grace_hours=0)
    (rows,) = damaged.location("2020-11-14").glob("*.parquet")
    shutil.copy(rows, rows.with_name(f"again-{rows.name}"))
    story.operate("replay", damaged)
    for table in (undone, swapped):
        story.operate("rollback", table)
        table.write_changes("20201115-100000000", ("U", 2, "Bob"))
    story.run("2020-11-15", undone, swapped)
    story.seen["undone"] = undone.snapshot("2020-11-14")
    story.operate("rollback_to", undone, to="2020-11-14")
    story.operate("rollback_to", swapped, to=2)
    return story


def test_a_replay_behind_a_vacuum_replaces_the_rows_of_the_date_too(story: Story) -> None:
    rows = [(1, "Anna"), (2, "Bo")]
    assert story.damaged.current() == story.damaged.snapshot("2020-11-14") == rows
    assert story.damaged.snapshot("2020-11-13") == LOADED


def test_a_vacuum_leaves_no_date_whose_files_it_deletes(story: Story) -> None:
    assert story.stale.dates() == ["2020-11-13"]
    assert story.stale.snapshot("2020-11-13") == [(1, "late"), (2, "Bo")]


def test_rollback_to_a_date_is_to_what_readers_see_under_it(story: Story) -> None:
    assert story.seen["undone"] == LOADED
    assert story.undone.current() == story.undone.snapshot("2020-11-14") == LOADED


def test_files_that_are_excluded_while_others_come_back_are_told(story: Story) -> None:
    assert story.swapped.current() == [(1, "bad"), (2, "Bo")]
    said = story.said["rollback_to swapped"]
    assert (
        "files of version 4 that are excluded, so that no run takes them until reapply: 1" in said
    )
