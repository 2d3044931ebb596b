"""What comes after an operation: the next operation, run, data test and history."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from tests.conftest import NewProject
from tests.scenarios.test_history import as_of, declare_history, history
from tests.support.dms_files import Row
from tests.support.project import Project, RunResult, Table

pytestmark = pytest.mark.thorough

COLUMNS = {"id": "int", "name": "string", "city": "string"}
FIRST, SECOND = "20201114-100000000", "20201116-100000000"


@dataclass(frozen=True)
class Story:
    """A project after some operations, and what was seen on the way.

    Attributes:
        seen: of `filled` the dates, after each step; of `repeated` those after its rollback.
        rollback: what the rollback of `repeated` told, first without doing it; then what that of
            `refilled` and `rebuilt` did.
        snapshots: the first `dbt snapshot` after the rollbacks.
        next_run: the first `dbt run` after the rollbacks.
        tests: the data tests after that.
        indexings: how many partitions the index of files had then.
    """

    project: Project
    seen: Mapping[str, list[str]]
    rollback: list[str]
    rows: list[Row]
    snapshots: RunResult
    next_run: RunResult
    tests: RunResult
    indexings: int

    @property
    def tables(self) -> dict[str, Table]:
        return self.project.tables


@pytest.fixture(scope="module")
def story(new_project: NewProject) -> Story:
    """The 14th, the 16th, the 16th again; then operations, and the 16th once more."""
    project = new_project("after_operations")
    names = (
        "filled", "taken", "mended", "redone", "switched", "shorter", "longer", "repeated",
        "refilled", "rebuilt",
    )  # fmt: skip
    tables = {name: project.declare(name, COLUMNS, ["id"]) for name in names}
    project.write_properties(
        [
            {"name": t.staging_model, "data_tests": ["every_file_is_staged_once"]}
            for t in tables.values()
        ]
    )
    for name in ("redone", "switched", "shorter", "longer"):
        declare_history(project, tables[name], f"{name}_history", hard_deletes="invalidate")
    for table in tables.values():
        table.write_load((1, "Ann", "Rome"), (2, "Bo", "Oslo"), at="2020-11-14 01:00:00.000000")
        table.write_changes(FIRST, ("U", 1, "14", "Rome"), ("I", 3, "14", "Rome"))
    assert project.run("2020-11-14").ok

    for name in ("filled", "redone", "switched", "repeated", "refilled", "rebuilt"):
        tables[name].write_changes(SECOND, ("U", 2, "16", "Oslo"))
    tables["taken"].write_changes(FIRST, ("U", 1, "bad", "Rome"))
    tables["shorter"].write_changes(FIRST, ("U", 1, "14", "Rome"))
    tables["longer"].write_changes(
        FIRST, ("U", 1, "14", "Rome"), ("I", 3, "14", "Rome"), ("I", 4, "14", "Rome")
    )
    tables["mended"].write_changes(SECOND, ("U", 2, "worse", "Oslo"))
    assert project.run("2020-11-16", "--select", "dms_files").ok
    tables["mended"].write_changes(SECOND, ("U", 2, "bad", "Oslo"), ("I", 9, "bad", "Oslo"))
    assert project.run("2020-11-16").ok

    tables["redone"].write_changes("20201116-110000000", ("U", 2, "bad", "Oslo"))
    tables["switched"].write_changes(SECOND, ("U", 2, "bad", "Oslo"), ("I", 9, "bad", "Oslo"))
    assert project.run("2020-11-16").ok

    for name in ("redone", "switched"):
        project.operate("rollback_to", select=f"hr.{name}", to=2, dry_run=False)
    for name in ("taken", "mended"):
        project.operate("rollback_to", select=f"hr.{name}", to=1, dry_run=False)
    snapshots = project.dbt("snapshot")

    rollback = [
        project.operate("rollback", select="hr.repeated", dry_run=dry_run)
        for dry_run in (True, False)
    ]
    between = {"from_date": "2020-11-15", "to_date": "2020-11-15"}
    built_again = [tables["refilled"], tables["rebuilt"]]
    assert project.run_tables("2020-11-16", built_again, "--full-refresh").ok
    project.operate("backfill", select="hr.refilled", dry_run=False, **between)
    assert project.run_tables("2020-11-16", built_again, "--full-refresh").ok
    rollback.append(project.operate("rollback", select="hr.refilled hr.rebuilt", dry_run=False))
    filled, seen = tables["filled"], {"repeated": tables["repeated"].dates()}
    rows = filled.current()
    for step, operation, arguments in (
        ("filled", "backfill", between),
        ("vacuumed", "vacuum", {"retention": 0, "grace_hours": 0}),
        ("undone", "rollback", {}),
        ("reapplied", "reapply", {}),
        ("replayed", "replay", {}),
    ):
        project.operate(operation, select="hr.filled", dry_run=False, **arguments)
        seen[step] = filled.dates()
    rolled_back = [tables[name] for name in ("taken", "mended", "redone", "repeated")]
    next_run = project.run_tables("2020-11-16", rolled_back)
    indexings = len(project.query(f"show partitions {project.schema}.dms_files"))
    tests = project.dbt("test")
    return Story(project, seen, rollback, rows, snapshots, next_run, tests, indexings)


def test_a_rollback_after_a_vacuum_undoes_what_was_done_before_the_vacuum(story: Story) -> None:
    assert [v["action"] for v in story.tables["filled"].versions()][2:] == [
        "backfill", "vacuum", "rollback", "reapply", "replay",
    ]  # fmt: skip
    assert story.seen["vacuumed"] == ["2020-11-14", "2020-11-15", "2020-11-16"]
    assert story.seen["undone"] == ["2020-11-14", "2020-11-16"]
    assert story.seen["reapplied"] == story.seen["vacuumed"]


def test_a_rollback_undoes_a_date_that_was_run_again_with_the_same_files_at_once(
    story: Story,
) -> None:
    would, did, _ = story.rollback
    assert "from version 2 to the state of version 1 (2020-11-14, 3 rows)" in would
    assert "files of version 2 that would be excluded, so that no run takes" in would
    assert "reapply: 1\n" in did
    assert story.seen["repeated"] == ["2020-11-14"]
    assert story.next_run.ok, story.next_run.errors
    assert story.tables["repeated"].current() == [
        (1, "14", "Rome"), (2, "Bo", "Oslo"), (3, "14", "Rome"),
    ]  # fmt: skip


def test_a_backfill_between_two_runs_of_a_date_is_undone_for_itself(story: Story) -> None:
    told = story.rollback[-1]
    assert "hr.refilled: went from version 5 to the state of version 4" in told
    assert "no files are excluded: version 4 has those of version 5 too" in told
    assert story.tables["refilled"].dates() == ["2020-11-14", "2020-11-15", "2020-11-16"]


def test_a_table_that_was_built_anew_twice_is_as_before_after_one_rollback(story: Story) -> None:
    assert "hr.rebuilt: went from version 4 to the state of version 2" in story.rollback[-1]
    assert "no files are excluded: version 2 has those of version 4 too" in story.rollback[-1]


def test_a_replay_leaves_the_dates_that_were_filled_in(story: Story) -> None:
    assert story.seen["replayed"] == ["2020-11-14", "2020-11-15", "2020-11-16"]
    assert story.tables["filled"].current() == story.rows


def test_a_run_goes_on_without_a_file_whose_newest_upload_was_rolled_back(story: Story) -> None:
    assert story.next_run.ok, story.next_run.errors
    assert story.tables["mended"].current() == [
        (1, "14", "Rome"), (2, "Bo", "Oslo"), (3, "14", "Rome"),
    ]  # fmt: skip
    assert story.tables["taken"].current() == story.tables["mended"].current()


def test_a_run_that_finds_no_new_file_adds_nothing_to_the_index(story: Story) -> None:
    # Four runs found something; those after them did not.
    assert story.indexings == 4


def test_what_was_published_of_a_file_is_not_left_out_in_silence(story: Story) -> None:
    # Its first upload is a part of the state and is not there any more, its second is withheld.
    table = story.tables["taken"]
    before = table.current()
    result = story.project.run_tables("2020-11-16", [table], "--full-refresh")
    assert result.failed == [table.staging_model]
    for part in (FIRST, "rolled back", "reapply", "rollback_to"):
        assert part in result.errors
    assert table.current() == before


def test_files_that_were_rolled_back_are_no_failure_of_a_data_test(story: Story) -> None:
    assert story.tests.ok, story.tests.errors


def test_a_history_has_nothing_that_was_rolled_back(story: Story) -> None:
    # Nor of an upload in the place of one that is published again.
    for name in ("redone", "switched"):
        assert story.snapshots.status(f"{name}_history") == "success"
        for date in ("2020-11-14", "2020-11-16"):
            found = as_of(story.project, f"{name}_history", f"{date} 23:59:59.999999")
            assert found == story.tables[name].snapshot(date)


def test_a_history_is_refused_where_an_uploaded_file_lacks_what_it_had(story: Story) -> None:
    error = story.snapshots.message("shorter_history")
    for part in ("hr.shorter", FIRST, "2020-11-14", "2020-11-16", '"id":3', "--full-refresh"):
        assert part in error
    assert story.snapshots.failed == ["shorter_history"]
    found = as_of(story.project, "longer_history", "2020-11-16 23:59:59.999999")
    assert found == story.tables["longer"].current()


def test_a_history_does_not_go_back_to_the_state_before_a_date_that_was_filled_in(
    new_project: NewProject,
) -> None:
    project = new_project("filled_history")
    people = project.declare("people", COLUMNS, ["id"])
    name = declare_history(project, people, "people_history", hard_deletes="invalidate")
    people.write_load((1, "13", "Rome"), (2, "13", "Oslo"), (3, "13", "Bern"))
    assert_history_taken(project, "2020-11-13")
    people.write_changes("20201114-100000000", ("U", 1, "14", "Rome"))
    people.write_changes("20201115-100000000", ("U", 2, "15", "Oslo"), ("D", 3, None, None))
    assert_history_taken(project, "2020-11-15")
    people.write_changes("20201116-100000000", ("U", 1, "16", "Rome"))
    assert_history_taken(project, "2020-11-16")
    project.operate(
        "backfill",
        select="hr.people",
        from_date="2020-11-14",
        to_date="2020-11-14",
        dry_run=False,
    )
    # It takes the newest version again, which is that of the backfill.
    project.operate("vacuum", select="hr.people", retention=0, grace_hours=0, dry_run=False)
    assert [version["action"] for version in people.versions()][3:] == ["backfill", "vacuum"]
    result = project.dbt("snapshot")
    assert result.ok, result.errors
    assert len(people.dates()) == 4
    assert other_dates(people, name) == []


def test_a_history_built_on_before_a_full_refresh_is_that_of_what_was_published(
    new_project: NewProject,
) -> None:
    project = new_project("refreshed_histories")
    undone = project.declare("undone", COLUMNS, ["id"])
    newest = project.declare("newest", COLUMNS, ["id"], history=False)
    skipped = project.declare("skipped", COLUMNS, ["id"])
    unchanged = project.declare("unchanged", COLUMNS, ["id"])
    for table in project.tables.values():
        declare_history(project, table, f"{table.name}_history", hard_deletes="invalidate")
        table.write_load((1, "13", "Rome"), (2, "13", "Oslo"))
    assert_history_taken(project, "2020-11-13")
    for table in (undone, newest):
        table.write_changes("20201114-100000000", ("U", 1, "bad", "Rome"), ("I", 9, "bad", "Rome"))
    skipped.write_changes("20201114-100000000", ("U", 1, "14", "Rome"))
    unchanged.write_changes("20201114-100000000", ("U", 1, "14", "Rome"))
    assert_history_taken(project, "2020-11-14", "--exclude", "skipped_history")
    project.operate("rollback", select="hr.undone hr.newest", dry_run=False)
    # Readers have seen the 15th without the changes of the 14th that come late.
    assert project.run_tables("2020-11-15", [unchanged]).ok
    for table in (undone, newest):
        table.write_changes("20201114-110000000", ("U", 1, "14", "Rome"))
    unchanged.write_changes("20201114-110000000", ("U", 2, "14", "Oslo"))
    skipped.write_changes("20201115-100000000", ("D", 2, None, None))
    assert project.run("2020-11-15", "--full-refresh").ok
    project.operate("vacuum", select="*", retention=0, grace_hours=0, dry_run=False)
    result = project.dbt("snapshot")
    assert result.ok, result.errors

    assert undone.dates() == ["2020-11-13", "2020-11-15"]
    assert skipped.dates() == unchanged.dates() == ["2020-11-13", "2020-11-14", "2020-11-15"]
    tables = (undone, skipped, unchanged)
    wrong = [one for table in tables for one in other_dates(table, f"{table.name}_history")]
    assert wrong == []
    # Of the undone run no date is shown, and its history has what the file in its place says.
    assert as_of(project, "undone_history", "2020-11-14 23:59:59.999999") == [
        (1, "14", "Rome"), (2, "13", "Oslo"),
    ]  # fmt: skip
    assert history(project, "newest_history") == history(project, "undone_history")


def assert_history_taken(project: Project, run_date: str, *arguments: str) -> None:
    assert project.run(run_date).ok
    result = project.dbt("snapshot", *arguments)
    assert result.ok, result.errors


def other_dates(table: Table, name: str) -> list[tuple[str, str, list[Row]]]:
    """The dates of which the history is not the snapshot, with the rows it has instead."""
    found = [
        (name, date, as_of(table.project, name, f"{date} 23:59:59.999999"))
        for date in table.dates()
    ]
    return [one for one in found if one[2] != table.snapshot(one[1])]
