"""Stray files from the landing area to a snapshot: what dbt says of them, and what readers see."""

import json
from pathlib import Path

import pytest

from tests.conftest import NewProject
from tests.support.dms_files import written_later
from tests.support.project import Project, RunResult, Table

COLUMNS = {"id": "int", "name": "string"}
WHOLE = [(1, "Ann"), (2, "Bo")]
EXPORT = "id,name\n1,Ann\n2,old\n3,deleted at the source\n"


@pytest.fixture(scope="module")
def project(new_project: NewProject) -> Project:
    return new_project("stray_files")


def error_of(result: RunResult, table: Table) -> str:
    return result.message(table.staging_model)


def run_with(project: Project, run_date: str, **variables: object) -> RunResult:
    return project.dbt("run", "--vars", json.dumps({"run_date": run_date, **variables}))


def exported(table: Table, name: str) -> Path:
    """A CSV export beside a file of DMS, under its name."""
    path = table.folder / name
    path.write_text(EXPORT)
    return path


@pytest.mark.thorough
def test_stray_files_stop_their_tables_alone_and_cost_nothing(project: Project) -> None:
    keyed = project.declare("keyed", COLUMNS, primary_keys=["id"])
    lines = project.declare("lines", COLUMNS, primary_keys=[])
    declared = project.declare("declared", COLUMNS, primary_keys=["id"], format="parquet")
    again = project.declare("again", COLUMNS, primary_keys=["id"])
    for table in project.tables.values():
        table.write_load(*WHOLE)
    strays = [exported(table, "LOAD00000001.csv") for table in (keyed, lines, declared)]
    again.write_changes("20201113-100000000", ("U", 1, "first"))
    result = project.run("2020-11-13")
    for table, stray in zip((keyed, lines), strays, strict=False):
        error = error_of(result, table)
        # Not that the file has a header row, which nobody has to declare.
        assert "csv.header" not in error
        assert f"two files have one name: {stray}" in error
        assert "LOAD00000001.parquet. Nothing of this table was published" in error
        assert "[E215]" in error
        assert table.dates() == []
    assert declared.snapshot("2020-11-13") == WHOLE
    log = (project.folder / "logs/dbt.log").read_text()
    assert f"format is parquet, so files of another one are not read (1): {strays[2]}" in log

    # Whoever deletes them has the table; also of one that was indexed, if a person says so.
    for stray in strays:
        stray.unlink()
    unreadable = keyed.write_changes("20201114-100000000", ("X", 1, "?"))
    again.write_changes("20201113-100000000", ("U", 1, "second"))
    written_later(again.folder / "20201113-100000000.parquet")
    result = project.run("2020-11-14")
    assert result.failed == [keyed.staging_model]
    assert lines.snapshot("2020-11-14") == WHOLE
    unreadable.unlink()
    result = project.run("2020-11-14")
    command = "run_date: 2020-11-14, allow_missing_files: [hr.keyed]}'"
    assert f"{unreadable}. Nothing of this table was published" in error_of(result, keyed)
    assert command in error_of(result, keyed)
    assert run_with(project, "2020-11-14", allow_missing_files=["hr.keyed"]).ok
    assert project.run("2020-11-15").ok
    assert keyed.snapshot("2020-11-15") == WHOLE

    # The second upload is rolled back: the first, from which the state was built, is gone.
    for dry_run in (True, False):
        told = project.operate("rollback", select="hr.again", dry_run=dry_run)
        assert f"the state has an earlier upload of {again.folder}/20201113-100000000" in told
        assert "--full-refresh fails (E205) until it is uploaded again" in told
    assert project.run("2020-11-16").ok
    assert again.snapshot("2020-11-16") == [(1, "first"), (2, "Bo")]
    result = project.run_tables("2020-11-16", [again], "--full-refresh")
    assert "Upload these files again" in error_of(result, again)
    assert "[E205]" in error_of(result, again)
