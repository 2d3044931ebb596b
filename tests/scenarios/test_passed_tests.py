"""A data test that passed is not run again while its table has that version."""

import shutil

import pytest

from tests.conftest import NewProject
from tests.support.project import Project, RunResult, Table

COLUMNS = {"id": "int", "name": "string"}


@pytest.fixture(scope="module")
def tested(new_project: NewProject) -> tuple[Project, Table, Table]:
    """Two tables whose tests passed on the 13th; then a row of each is there twice."""
    project = new_project("passed")
    tables = (project.declare("same", COLUMNS, ["id"]), project.declare("other", COLUMNS, ["id"]))
    declare_tests(project, *tables)
    for table in tables:
        table.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    result = run_tests(project)
    assert result.ok, result.errors
    for table in tables:
        (rows,) = table.location("2020-11-13").glob("*.parquet")
        shutil.copy(rows, rows.with_name(f"again-{rows.name}"))
    project.query(f"refresh table {project.schema}.same_snapshot")
    project.query(f"refresh table {project.schema}.other_snapshot")
    return project, *tables


def declare_tests(project: Project, *tables: Table, **config: str) -> None:
    whole = {"snapshot_is_whole": {"arguments": {"keys": ["id"]}, "config": config}}
    once = {"every_file_is_staged_once": {"config": config}}
    tests: dict[str, object] = {table.snapshot_model: whole for table in tables}
    tests |= {table.staging_model: once for table in tables}
    project.write_properties(
        [{"name": model, "data_tests": [test]} for model, test in tests.items()]
    )


def run_tests(project: Project, *arguments: str) -> RunResult:
    return project.dbt("test", "--select", "test_type:generic,resource_type:test", *arguments)


def passed(project: Project) -> set[tuple[str, int]]:
    rows = project.query(f"select split(test, ' ')[0], version from {project.schema}.passed_tests")
    return {(name, version) for name, version in rows}


SAME, OTHER = "snapshot_is_whole_same_snapshot_id", "snapshot_is_whole_other_snapshot_id"


def test_what_passed_on_a_version_is_recorded_with_it(tested: tuple[Project, Table, Table]) -> None:
    project, *_ = tested
    assert passed(project) >= {
        (SAME, 1),
        (OTHER, 1),
        ("every_file_is_staged_once_stg_hr__same_", 1),
    }


def test_what_passed_is_not_run_again_and_the_command_says_so(
    tested: tuple[Project, Table, Table],
) -> None:
    project, *_ = tested
    result = run_tests(project)
    assert result.ok, result.errors
    assert "4 tests of 2 tables were not run again" in (project.folder / "logs/dbt.log").read_text()


def test_with_test_again_all_are_run(tested: tuple[Project, Table, Table]) -> None:
    project, *_ = tested
    result = run_tests(project, "--vars", "{test_again: true}")
    assert result.failed == [OTHER, SAME]


def test_a_table_of_which_files_were_indexed_since_is_tested_again(
    tested: tuple[Project, Table, Table],
) -> None:
    project, _, other = tested
    # An object that is never read makes no version.
    (other.folder / "notes.txt").write_text("for whoever looks here")
    assert project.run("2020-11-14").ok
    assert run_tests(project).failed == [OTHER]


def test_a_test_that_asks_more_than_before_is_run(tested: tuple[Project, Table, Table]) -> None:
    project, same, other = tested
    declare_tests(project, same, other, severity="warn")
    result = run_tests(project)
    assert result.status(SAME) == "warn"
