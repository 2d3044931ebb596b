"""Files that were indexed and are not there any more: archived, truncated away, reloaded, lost."""

import re
from pathlib import Path

import pytest

from pyspark_dms.declared import METADATA_MODELS
from tests.conftest import NewProject
from tests.support.dms_files import written_at, written_later
from tests.support.project import Table
from tests.support.side_by_side import COLUMNS, FailingRun, Run, Steps, scenario


def told(table: Table) -> list[str]:
    """What dbt has warned of files of a table that are gone, oldest first."""
    log = (table.project.folder / "logs/dbt.log").read_text()
    return re.findall(rf"\]: {table.label}: files that were applied are missing ([^\n]+)", log)


def notes(table: Table) -> list[tuple[str, str]]:
    """Name and kind of what the index holds of a table, beside files that were there at first."""
    rows = table.project.query(
        f"select path, kind from {table.project.schema}.dms_files"
        f" where table_name = '{table.name}' and kind in ('missing', 'restored')"
        " order by indexed_at, path"
    )
    return [(Path(path).name, kind) for path, kind in rows]


@pytest.mark.thorough
@scenario()
def test_files_that_are_gone_are_told_once_and_that_none_is_left_once_more(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    paths = [
        people.write_changes(f"202011{day}-100000000", ("U", 1, f"{day}")) for day in (11, 12, 13)
    ]
    yield Run("2020-11-13")
    paths[0].unlink()
    yield Run("2020-11-14")
    assert len(told(people)) == 1
    assert paths[0].name in told(people)[0]
    assert "--full-refresh fails until they are back" in told(people)[0]
    paths[1].unlink()
    yield Run("2020-11-15")
    assert len(told(people)) == 1
    paths[2].unlink()
    (people.folder / "LOAD00000001.parquet").unlink()
    yield Run("2020-11-16")
    assert len(told(people)) == 2
    assert told(people)[1].startswith("(2): ")
    assert "None is left" in told(people)[1]
    yield Run("2020-11-17")
    assert len(told(people)) == 2
    assert people.snapshot("2020-11-17") == [(1, "13")]
    assert len(notes(people)) == 4


@pytest.mark.thorough
@scenario(on_missing_files="fail")
def test_where_no_file_may_go_the_table_fails_until_it_is_back(people: Table) -> Steps:
    load = people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    yield Run("2020-11-14")
    load.rename(people.folder.parent / "put_aside")
    for _ in range(2):
        error = yield FailingRun("2020-11-15")
        for part in (
            people.label,
            "missing (1)",
            str(load),
            "on_missing_files",
            "Put them back",
        ):
            assert part in error
    assert people.dates() == ["2020-11-14"]
    (people.folder.parent / "put_aside").rename(load)
    yield Run("2020-11-15")
    # A load that is put back is no reload.
    assert people.snapshot("2020-11-15") == [(1, "Anna")]
    assert notes(people) == [(load.name, "missing"), (load.name, "restored")]
    load.unlink()
    yield FailingRun("2020-11-16")


@pytest.mark.thorough
def test_missing_files_are_not_warned_of_again_after_a_rollback(new_project: NewProject) -> None:
    project = new_project("warned_and_rolled_back")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    gone = people.write_changes("20201113-100000000", ("U", 1, "13"))
    assert project.run("2020-11-13").ok
    gone.unlink()
    assert project.run("2020-11-14").ok
    assert len(told(people)) == 1
    people.write_changes("20201115-100000000", ("U", 1, "15"))
    assert project.run("2020-11-15").ok
    project.operate("rollback", select=people.label, dry_run=False)
    assert people.current() == [(1, "13")]
    project.declare("people", COLUMNS, ["id"], on_missing_files="fail")
    result = project.run("2020-11-16")
    assert result.ok, result.errors
    assert len(told(people)) == 1
    assert people.current() == [(1, "13")]


@pytest.mark.thorough
@scenario()
def test_a_file_that_was_lost_before_it_was_read_is_mended_by_a_reload(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    lost = people.write_changes("20201114-100000000", ("X", 1, "?"))
    yield FailingRun("2020-11-14")
    lost.unlink()
    error = yield FailingRun("2020-11-14")
    assert lost.name in error
    assert "reload the table in DMS" in error
    assert told(people) == []
    # More of the same full load does not have what the lost file said.
    more = people.write_load((2, "Bo"), name="LOAD00000002.parquet")
    written_later(more)
    error = yield FailingRun("2020-11-14")
    assert lost.name in error
    more.unlink()
    written_later(people.write_load((1, "reloaded")))
    yield Run("2020-11-14")
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "reloaded")]


@pytest.mark.thorough
def test_what_is_not_listed_is_not_missed_and_who_runs_later_is_told_too(
    new_project: NewProject,
) -> None:
    project = new_project("missing")
    moved, short, alone = (
        project.declare(name, COLUMNS, ["id"]) for name in ("moved", "short", "alone")
    )
    for table in (moved, short, alone):
        table.write_load((1, "Ann"))
        for day in (14, 24):
            table.write_changes(f"202011{day}-100000000", ("U", 1, f"{day}"))
    assert project.run("2020-11-24").ok
    # A listing that starts behind a file cannot tell whether it is there.
    (short.folder / "20201114-100000000.parquet").unlink()
    project.declare("moved", COLUMNS, ["id"], path=f"{project.dms_root}/elsewhere/")
    (alone.folder / "20201114-100000000.parquet").unlink()
    late = "{run_date: 2020-11-25, late_file_days: 5}"
    assert project.dbt("run", "--vars", late).ok
    assert [notes(table) for table in (moved, short, alone)] == [[], [], []]
    # Another table's run indexes all; this table's own run tells it.
    assert project.run("2020-11-26", "--select", METADATA_MODELS, moved.staging_model).ok
    assert notes(alone) == [("20201114-100000000.parquet", "missing")]
    assert told(alone) == told(moved) == []
    assert project.run("2020-11-26").ok
    assert len(told(alone)) == len(told(short)) == 1
    assert told(moved) == []


@pytest.mark.thorough
def test_a_folder_without_files_is_told_until_there_are_some_if_there_were_elsewhere(
    new_project: NewProject,
) -> None:
    project = new_project("misplaced")
    names = ("moved", "strict", "stays", "never")
    moved, strict, stays, never = (project.declare(name, COLUMNS, ["id"]) for name in names)
    for table in (moved, strict, stays):
        table.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    log = project.folder / "logs/dbt.log"
    assert f"warning  hr.never: there are no files under {never.folder}" in log.read_text()
    moved_to, strict_to = (project.dms_root / "elsewhere" / name for name in ("moved", "strict"))
    project.declare("moved", COLUMNS, ["id"], path=f"{moved_to}/")
    project.declare("strict", COLUMNS, ["id"], path=f"{strict_to}/", on_missing_files="fail")
    for run_date in ("2020-11-14", "2020-11-15"):
        said_before = len(log.read_text())
        result = project.run(run_date)
        assert result.failed == [strict.staging_model]
        for part in ("hr.strict", f"there are no files under {strict_to}/", "DMS_ROOT"):
            assert part in result.errors
        said = log.read_text()[said_before:]
        assert f"warning  hr.moved: there are no files under {moved_to}/" in said
        assert "warnings: 1." in said
        assert moved.snapshot(run_date) == [(1, "Ann")]
    moved_to.parent.mkdir()
    for table, folder in ((moved, moved_to), (strict, strict_to)):
        table.folder.rename(folder)
    said_before = len(log.read_text())
    assert project.run("2020-11-16").ok
    assert "there are no files" not in log.read_text()[said_before:]
    for table in (moved, strict, stays):
        assert table.snapshot("2020-11-16") == [(1, "Ann")]
    assert project.dbt("test", "--select", "dms_files").ok
    # Its files were there, and are gone: that is told in other words, and once.
    (moved_to / "LOAD00000001.parquet").unlink()
    for run_date in ("2020-11-17", "2020-11-18"):
        assert project.run_tables(run_date, [moved]).ok
    assert len(told(moved)) == 1
    assert "there are no files" not in log.read_text()[said_before:]


@pytest.mark.thorough
def test_a_table_whose_files_are_moved_or_renamed_keeps_its_rows(
    new_project: NewProject,
) -> None:
    project = new_project("moved_away")
    moved, renamed = (project.declare(name, COLUMNS, ["id"]) for name in ("moved", "renamed"))
    rows = [(1, "14"), (2, "14")]
    for table in (moved, renamed):
        written_at(table.write_load((1, "13")), 13, 8)
        written_at(
            table.write_changes("20201114-100000000", ("U", 1, "14"), ("I", 2, "14")), 14, 10
        )
    assert project.run("2020-11-14").ok
    folder = project.dms_root / "moved_away" / moved.name
    folder.parent.mkdir(parents=True)
    moved.folder.rename(folder)
    inner = renamed.folder / "inner"
    inner.mkdir()
    for path in list(renamed.folder.glob("*.parquet")):
        path.rename(inner / path.name)
    # A store moves by copying: files get new times, in the order of their names.
    written_at(inner / "20201114-100000000.parquet", 15, 8)
    written_at(inner / "LOAD00000001.parquet", 15, 8, 1)
    # A run sees that all are gone before it is told where they are.
    assert project.run("2020-11-15").ok
    assert renamed.current() == moved.current() == rows
    project.declare(moved.name, COLUMNS, ["id"], path=f"{folder}/")
    result = project.run("2020-11-16")
    assert result.ok, result.errors
    assert moved.current() == renamed.current() == rows


@pytest.mark.thorough
def test_changes_that_are_copied_to_a_folder_behind_a_reload_stay_before_it(
    new_project: NewProject,
) -> None:
    project = new_project("sorted_into_folders")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "13"), (2, "13"))
    change = people.write_changes("20201114-100000000", ("U", 1, "14"), ("D", 2, None))
    assert project.run("2020-11-14").ok
    written_later(people.write_load((1, "15"), (2, "15")))
    (people.folder / "2020").mkdir()
    change = change.rename(people.folder / "2020" / change.name)
    written_later(change, minutes=10)
    result = project.run("2020-11-15")
    assert result.ok, result.errors
    assert people.current() == [(1, "15"), (2, "15")]


@pytest.mark.thorough
def test_a_file_that_is_put_back_does_not_stop_commands_of_their_own(
    new_project: NewProject,
) -> None:
    project = new_project("put_back_one_by_one")
    people = project.declare("people", COLUMNS, ["id"])
    load = people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-14").ok
    put_aside = load.rename(project.folder / "put_aside")
    assert project.run("2020-11-15").ok
    put_aside.rename(load)
    people.write_changes("20201116-100000000", ("I", 2, "Bo"))
    # As a scheduler does; whether the file was applied is asked of versions before the current one.
    for model in ("dms_files", people.staging_model, people.snapshot_model):
        result = project.run("2020-11-16", "--select", model)
        assert result.ok, result.errors
    assert notes(people) == [(load.name, "missing"), (load.name, "restored")]
    assert people.snapshot("2020-11-16") == [(1, "Anna"), (2, "Bo")]
