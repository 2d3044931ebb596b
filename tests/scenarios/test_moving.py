"""A lake from before the version log goes on with the same versions."""

import re
import shutil
from pathlib import Path

from tests.conftest import NewProject
from tests.support.project import Project, local_path

COLUMNS = {"id": "int", "name": "string"}


def make_old(project: Project) -> Path:
    """Take the version log away, and make the version history what it was before; the log."""
    history = f"{project.schema}.snapshot_versions"
    partitions = project.query(
        f"select source_name, table_name, version, _metadata.file_path from {history}"
    )
    (made,) = project.query(f"show create table {history}")[0]
    made = re.sub(r"\s*commit_id STRING( COLLATE \w+)? COMMENT '[^']*',", "", made)
    assert "commit_id" not in made, made
    project.query(f"drop table {history}")
    project.query(made)
    for source_name, table_name, version, path in partitions:
        project.query(
            f"alter table {history} add partition (source_name = '{source_name}', "
            f"table_name = '{table_name}', version = {version}) "
            f"location '{path.rpartition('/')[0]}'"
        )
    (location,) = project.query(f"select distinct _metadata.file_path from {history} limit 1")[0]
    log = local_path(location).parents[3] / "version_log"
    shutil.rmtree(log)
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

    people.write_changes("20201116-100000000", ("U", 1, "Anne"))
    assert project.run("2020-11-16").ok
    assert people.current() == [(1, "Anne")]
    assert people.dates() == ["2020-11-13", "2020-11-14", "2020-11-15", "2020-11-16"]
    # The date without changes is one of the version before it.
    told = project.operate("rollback_to", select="hr.people", to="2020-11-15", dry_run=False)
    assert "the state of version 2" in told
    assert people.current() == people.snapshot("2020-11-15") == [(1, "Anna")]
    assert people.dates() == ["2020-11-13", "2020-11-14", "2020-11-15"]
