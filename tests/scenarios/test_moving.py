"""A lake from before the version log goes on with the same versions."""

import shutil
from datetime import date
from pathlib import Path

from pyspark_dms.versions.metadata import SCHEMAS, read_rows, write_rows
from tests.conftest import NewProject
from tests.support.project import Project, local_path

COLUMNS = {"id": "int", "name": "string"}


def make_old(project: Project) -> Path:
    """Take the version log away, and make the version history what it was before; the log."""
    history, dates = f"{project.schema}.snapshot_versions", f"{project.schema}.snapshot_dates"
    location = local_path(project.query(f"select _metadata.file_path from {history} limit 1")[0][0])
    root = location.parents[2]
    rows = read_rows(str(location.parent), SCHEMAS["snapshot_versions"])
    recorded = project.query(f"select distinct _metadata.file_path from {dates}")
    keys = ["source_name", "table_name", "version"]
    own = rows.drop_columns([*keys, "commit_id"])
    types = dict(tuple(row[:2]) for row in project.query(f"describe {history}"))
    columns = ", ".join(f"`{name}` {types[name]}" for name in own.column_names)
    project.query(f"drop table {history}")
    project.query(
        f"create table {history} ({columns}, source_name string, table_name string, version int) "
        f"using parquet partitioned by ({', '.join(keys)}) location '{root}'"
    )
    for place, row in enumerate(rows.select(keys).to_pylist()):
        folder = f"{root}/hr.people/20201114T060000000000Z-1-{row['version']}"
        write_rows(folder, own.schema, [own.slice(place, 1)])
        project.query(
            f"alter table {history} add partition (source_name = '{row['source_name']}', "
            f"table_name = '{row['table_name']}', version = {row['version']}) location '{folder}'"
        )
    (path,) = {local_path(path) for (path,) in recorded}
    moved = path.parents[2] / "2020-11-15"
    path.parent.rename(moved)
    columns = ", ".join(
        f"`{name}` {kind}"
        for name, kind, _ in project.query(f"describe {dates}")
        if name in SCHEMAS["snapshot_dates"].names
    )
    project.query(f"drop table {dates}")
    project.query(
        f"create table {dates} ({columns}, recorded_on date, run string) using parquet "
        f"partitioned by (recorded_on, run) location '{root.parent}/snapshot_dates'"
    )
    project.query(
        f"alter table {dates} add partition (recorded_on = '2020-11-15', run = 'all') "
        f"location '{moved}'"
    )
    log = root.parent / "version_log"
    shutil.rmtree(log)
    shutil.rmtree(location.parents[1])
    shutil.rmtree(path.parents[1])
    return log


def test_a_lake_from_before_the_version_log_is_moved_and_goes_on(new_project: NewProject) -> None:
    project = new_project("from_before")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-14").ok
    assert project.run("2020-11-15").ok
    log = make_old(project)

    failed = project.run("2020-11-16")
    assert "move_versions --args '{dry_run: false}'" in failed.errors
    assert "Would move 2 versions of 1 table" in project.operate("move_versions")
    assert not log.exists()
    assert "Moved 2 versions of 1 table" in project.operate("move_versions", dry_run=False)
    assert "nothing to move" in project.operate("move_versions", dry_run=False)
    history = project.query(f"select version, run_date from {project.schema}.snapshot_versions")
    assert sorted(history) == [(1, date(2020, 11, 13)), (2, date(2020, 11, 14))]

    people.write_changes("20201116-100000000", ("U", 1, "Anne"))
    assert project.run("2020-11-16").ok
    assert people.current() == [(1, "Anne")]
    assert people.dates() == ["2020-11-13", "2020-11-14", "2020-11-15", "2020-11-16"]
    # The date without changes is one of the version before it.
    told = project.operate("rollback_to", select="hr.people", to="2020-11-15", dry_run=False)
    assert "the state of version 2" in told
    assert people.current() == people.snapshot("2020-11-15") == [(1, "Anna")]
    assert people.dates() == ["2020-11-13", "2020-11-14", "2020-11-15"]


def test_metadata_tables_that_are_lost_are_made_again_from_the_version_log(
    new_project: NewProject,
) -> None:
    project = new_project("made_again")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    ask = (
        f"select source_name, version, run_date, rows_after from {project.schema}.snapshot_versions"
    )
    before = project.query(ask)
    (path,) = project.query(f"select _metadata.file_path from {project.schema}.snapshot_dates")[0]
    shutil.rmtree(local_path(path).parent)

    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-14").ok
    expected = [*before, ("hr", 2, date(2020, 11, 14), 1)]
    assert sorted(project.query(ask)) == expected
    project.query(f"drop table {project.schema}.snapshot_versions")
    assert project.run("2020-11-15").ok
    assert sorted(project.query(ask)) == expected
    project.operate("repair", select="*", dry_run=False)
    assert sorted(project.query(ask)) == expected
    shown = project.query(f"select version, dates from {project.schema}.snapshot_dates")
    assert sorted(shown) == [(1, []), (2, [date(2020, 11, 15)])]
