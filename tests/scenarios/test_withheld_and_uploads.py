"""What was rolled back, uploaded again or never published does not leak into later states."""

import pytest

from tests.conftest import NewProject
from tests.support.dms_files import Row, write_rows, written_later
from tests.support.project import Project, RunResult

pytestmark = pytest.mark.thorough

COLUMNS = {"id": "int", "name": "string"}
FIRST = ((1, "Ann"), (2, "Bo"))
ROLLED_BACK = ("reloaded", "reuploaded")


class Story:
    """A project after some days and operations, and what was seen on the way."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.tables = project.tables
        self.redo = RunResult(False)
        self.result = RunResult(False)
        self.lines: list[Row] = []


@pytest.fixture(scope="module")
def story(new_project: NewProject) -> Story:
    project = new_project("withheld")
    for name in ROLLED_BACK:
        project.declare(name, COLUMNS, primary_keys=["id"])
    project.declare("unpublished", COLUMNS, primary_keys=["id"], max_delete_fraction=0.5)
    project.declare("lines", COLUMNS, primary_keys=[])
    tables, told = project.tables, Story(project)
    lines = tables["lines"]

    for table in tables.values():
        table.write_load(*FIRST)
    tables["reuploaded"].write_changes("20201113-100000000", ("U", 1, "13"))
    lines.write_changes("20201113-100000000", ("I", 3, "13"))
    assert project.run("2020-11-13").ok

    tables["reloaded"].write_load((2, "Bo"), (7, "Reloaded"))
    tables["reuploaded"].write_changes("20201113-100000000", ("U", 2, "again"))
    lines.write_changes("20201114-100000000", ("I", 4, "14"))
    assert project.run("2020-11-14").ok
    project.operate("rollback", select=[f"hr.{name}" for name in ROLLED_BACK], dry_run=False)

    unpublished = tables["unpublished"]
    unpublished.write_changes("20201114-110000000", ("D", 1, None), ("D", 2, None))
    told.redo = project.run_tables("2020-11-14", [unpublished])
    tables["reloaded"].write_changes("20201115-100000000", ("I", 8, "15"))
    lines.write_changes("20201113-100000000", ("I", 5, "13 again"))
    told.result = project.run_tables("2020-11-15", [tables["reloaded"], lines])

    # The newest file that was applied is not the newest of the run before.
    lines.write_changes("20201114-100000000", ("I", 6, "14 again"))
    assert project.run_tables("2020-11-16", [lines]).ok
    told.lines = lines.current()

    project.operate("replay", select="*", dry_run=False)
    return told


def test_changes_on_a_reload_that_was_rolled_back_are_refused(story: Story) -> None:
    error = story.result.message("stg_hr__reloaded")
    assert "hr.reloaded: " in error
    assert "full load" in error
    assert "reapply" in error
    assert story.tables["reloaded"].current() == [*FIRST]


def test_a_replay_keeps_a_file_whose_later_upload_was_rolled_back(story: Story) -> None:
    assert story.tables["reuploaded"].current() == [(1, "13"), (2, "Bo")]


def test_a_replay_leaves_out_what_was_staged_and_never_published(story: Story) -> None:
    assert "max_delete_fraction" in story.redo.message("unpublished_snapshot")
    assert story.tables["unpublished"].current() == [*FIRST]


def test_without_a_key_each_newest_upload_counts_once(story: Story) -> None:
    rows = [*FIRST, (5, "13 again"), (6, "14 again")]
    assert story.lines == rows
    assert story.tables["lines"].current() == rows


def test_what_was_staged_before_a_rollback_is_not_published_by_a_run_without_staging(
    new_project: NewProject,
) -> None:
    project = new_project("staged_and_rolled_back")
    people = project.declare("people", COLUMNS, primary_keys=["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    people.write_load((2, "Bo"), name="LOAD00000002.parquet")
    assert project.run("2020-11-13").ok
    project.operate("rollback", select="hr.people", dry_run=False)
    errors = project.run("2020-11-13", "--select", people.snapshot_model).errors
    assert "was published after its files were indexed" in errors
    assert "dbt run --select +people_snapshot" in errors
    assert people.current() == people.snapshot("2020-11-13") == [(1, "Ann")]
    assert project.run("2020-11-13").ok
    assert people.current() == [(1, "Ann")]


def test_a_mended_file_is_not_the_whole_of_a_load_of_which_the_rest_was_rolled_back(
    new_project: NewProject,
) -> None:
    project = new_project("mended_after_rollback")
    names = ("reloaded", "first_loaded", "reapplied", "begun", "first_begun", "added")
    reloaded, first_loaded, reapplied, begun, first_begun, added = (
        project.declare(name, COLUMNS, primary_keys=["id"]) for name in names
    )
    for table in (reloaded, reapplied, begun):
        table.write_load((1, "A"))
        table.write_load((2, "B"), name="LOAD00000002.parquet")
    assert project.run("2020-11-13").ok
    for table in project.tables.values():
        table.write_load((1, "Ann"))
        table.write_load((2, "Bo"), name="LOAD00000002.parquet")
    assert project.run("2020-11-14").ok
    project.operate("rollback", select="*", dry_run=False)
    assert project.run_tables("2020-11-15", [reloaded, first_loaded, begun, first_begun, added]).ok
    # With a version above the rollback, reapply includes files again, and goes back to none.
    replaced = [f"hr.{table.name}" for table in (reloaded, first_loaded, begun, first_begun)]
    assert "built the state" in project.operate("replay", select=replaced, dry_run=False)

    for table in (reloaded, first_loaded, reapplied):
        table.write_load((2, "Bob"), name="LOAD00000002.parquet")
    for table in (begun, first_begun):
        table.write_load((1, "Anna"))
    added.write_load((3, "Cy"), name="LOAD00000003.parquet")
    result = project.run("2020-11-16")
    for table in project.tables.values():
        error = result.message(table.staging_model)
        left = "LOAD00000002.parquet" if table in (begun, first_begun) else "LOAD00000001.parquet"
        count = 2 if table == added else 1
        assert f"without these files, which are unchanged ({count})" in error
        assert f"{table.folder}/{left}" in error
        # Of another full load, what was rolled back is not taken with it.
        assert ("reapply" in error) == (table == added)
    assert reloaded.current() == begun.current() == [(1, "A"), (2, "B")]
    assert first_loaded.current() == first_begun.current() == added.current() == []

    for name in replaced:
        assert "another full load" in project.operate_in_vain("reapply", select=name)
    project.operate("reapply", select="hr.reapplied hr.added", dry_run=False)
    assert reapplied.current() == [(1, "Ann"), (2, "Bo")]
    mended = (reloaded, first_loaded, reapplied, begun, first_begun)
    failed = project.run("2020-11-16").failed
    assert sorted(failed) == sorted(table.staging_model for table in mended)
    assert added.current() == [(1, "Ann"), (2, "Bo"), (3, "Cy")]
    for table in (reloaded, first_loaded, reapplied):
        table.write_load((1, "Ann"))
    for table in (begun, first_begun):
        table.write_load((2, "Bo"), name="LOAD00000002.parquet")
    assert project.run_tables("2020-11-16", mended).ok
    for table in (reloaded, first_loaded, reapplied):
        assert table.current() == [(1, "Ann"), (2, "Bob")]
    for table in (begun, first_begun):
        assert table.current() == [(1, "Anna"), (2, "Bo")]


def test_changes_on_a_reload_that_was_rolled_back_are_not_laid_over_the_next_one(
    new_project: NewProject,
) -> None:
    project = new_project("reloaded_after_rollback")
    people, cities, renamed = (
        project.declare(name, COLUMNS, primary_keys=["id"])
        for name in ("people", "cities", "renamed")
    )
    for run_date, name in (("2020-11-13", "A"), ("2020-11-14", "Ann")):
        for table in project.tables.values():
            table.write_load((1, name))
        assert project.run(run_date).ok
    project.operate("rollback", select="*", dry_run=False)
    assert project.run("2020-11-15").ok
    changes = ("U", 1, "before"), ("I", 2, "before")
    for table in (people, renamed):
        table.write_changes("20201116-100000000", *changes)
    failed = project.run("2020-11-16").failed
    assert failed == [people.staging_model, renamed.staging_model]
    # Of cities the changes are seen only with the reload.
    cities.write_changes("20201116-100000000", *changes)
    (renamed.folder / "LOAD00000001.parquet").unlink()
    for table, name in ((people, ""), (cities, ""), (renamed, "again/")):
        written_later(table.write_load((1, "reloaded"), name=f"{name}LOAD00000001.parquet"))
    result = project.run("2020-11-17")
    assert result.ok, result.errors
    for table in project.tables.values():
        assert table.current() == [(1, "reloaded")]


def test_what_was_rolled_back_and_lies_there_still_does_not_hide_a_reload(
    new_project: NewProject,
) -> None:
    project = new_project("reloaded_beside_a_withheld_file")
    people, cities = (
        project.declare(name, COLUMNS, primary_keys=["id"]) for name in ("people", "cities")
    )
    firsts = [table.write_load((1, "A"), (2, "B")) for table in (people, cities)]
    assert project.run("2020-11-13").ok
    withheld = [
        table.write_load((3, "C"), name="LOAD00000002.parquet") for table in (people, cities)
    ]
    assert project.run("2020-11-14").ok
    project.operate("rollback", select="*", dry_run=False)
    assert project.run_tables("2020-11-15", [people]).ok
    for table, first in zip((people, cities), firsts, strict=True):
        first.unlink()
        table.write_load((1, "reloaded"), name="SEGMENT1_LOAD00000001.parquet")
    result = project.run("2020-11-16")
    for table, path in zip((people, cities), withheld, strict=True):
        error = result.message(table.staging_model)
        assert "without these files, which are unchanged (1)" in error
        assert str(path) in error
        path.unlink()
    result = project.run("2020-11-16")
    assert result.ok, result.errors
    assert people.current() == cities.current() == [(1, "reloaded")]


def test_a_load_whose_first_file_readers_never_had_can_be_built_anew_after_a_rollback(
    new_project: NewProject,
) -> None:
    project = new_project("archived_before")
    people = project.declare("people", COLUMNS, primary_keys=["id"])
    people.write_load((2, "B"), name="LOAD00000002.parquet")
    assert project.run("2020-11-13").ok
    people.write_changes("20201114-100000000", ("U", 2, "Bo"))
    assert project.run("2020-11-14").ok
    project.operate("rollback", select="*", dry_run=False)
    result = project.run("2020-11-14", "--full-refresh")
    assert result.ok, result.errors
    assert people.current() == [(2, "B")]


def test_what_was_rolled_back_in_another_folder_does_not_hinder_a_reload(
    new_project: NewProject,
) -> None:
    project = new_project("moved_after_rollback")
    people = project.declare("people", COLUMNS, primary_keys=["id"])
    for run_date, name in (("2020-11-13", "A"), ("2020-11-14", "Ann")):
        people.write_load((1, name))
        assert project.run(run_date).ok
    project.operate("rollback", select="*", dry_run=False)
    people = project.declare(
        "people", COLUMNS, primary_keys=["id"], path=f"{project.dms_root}/moved/"
    )
    for run_date, name in (("2020-11-15", "B"), ("2020-11-16", "Bo")):
        write_rows(project.dms_root / "moved/LOAD00000001.parquet", COLUMNS, [(1, name)])
        result = project.run(run_date)
        assert result.ok, result.errors
        assert people.current() == [(1, name)]


def test_each_reapply_takes_back_one_of_the_rollbacks_of_a_change_and_a_reload(
    new_project: NewProject,
) -> None:
    project = new_project("reload_undone_twice")
    people = project.declare("people", COLUMNS, primary_keys=["id"])
    people.write_load((1, "13"), (2, "13"))
    assert project.run("2020-11-13").ok
    people.write_changes("20201114-100000000", ("U", 1, "14"))
    assert project.run("2020-11-14").ok
    written_later(people.write_load((1, "15")))
    assert project.run("2020-11-15").ok
    for state in ([(1, "14"), (2, "13")], [(1, "13"), (2, "13")]):
        project.operate("rollback", select="*", dry_run=False)
        assert people.current() == state
    # After a version above the rollbacks, it is the next run that takes the files.
    people.write_changes("20201116-100000000", ("I", 3, "16"))
    assert project.run("2020-11-16").ok
    assert people.current() == [(1, "13"), (2, "13"), (3, "16")]
    changed = [(1, "14"), (2, "13"), (3, "16")]
    for run_date, state in (("2020-11-17", changed), ("2020-11-18", [(1, "15")])):
        assert "no longer excluded: 1" in project.operate("reapply", select="*", dry_run=False)
        result = project.run(run_date)
        assert result.ok, result.errors
        assert people.current() == state


def test_each_reapply_takes_back_one_of_the_rollbacks_by_metadata_alone(
    new_project: NewProject,
) -> None:
    project = new_project("undone_twice")
    people = project.declare("people", COLUMNS, primary_keys=["id"])
    people.write_load((1, "Ann"))
    states = []
    for day in (13, 14, 15):
        people.write_changes(f"202011{day}-100000000", ("I", day, "new"))
        assert project.run(f"2020-11-{day}").ok
        states.append(people.current())
    for state in (states[1], states[0]):
        project.operate("rollback", select="*", dry_run=False)
        assert people.current() == state
    for state in (states[1], states[2]):
        project.operate("reapply", select="*", dry_run=False)
        assert people.current() == state
    assert "nothing to reapply" in project.operate_in_vain("reapply", select="*")
