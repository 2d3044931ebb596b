"""A data test that passed is not run again while its table has that version."""

import pytest

from pyspark_dms import stores
from pyspark_dms.versions import recorded
from tests.conftest import NewProject
from tests.support.project import Project, RunResult, Table, copy_object

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
        (location,) = table.versions()[-1]["locations"]
        (rows,) = stores.data_files(location)
        copy_object(rows.path, f"{location}/again.parquet")
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
    """Names of tests, and the newest version that each passed on, as the version log has them."""
    table = next(iter(project.tables.values()))
    of_tables = recorded.read(str(table.root().parent / "version_log")).tables.values()
    return {
        (test.split()[0], version)
        for of_table in of_tables
        for test, (version, _) in of_table.get("passed", {}).items()
    }


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
    assert "Not run again: 4 tests of 2 tables." in (project.folder / "logs/dbt.log").read_text()


def test_with_test_again_all_are_run(tested: tuple[Project, Table, Table]) -> None:
    project, *_ = tested
    result = run_tests(project, "--vars", "{test_again: true}")
    assert result.failed == [OTHER, SAME]


def test_a_table_whose_run_has_looked_at_more_files_is_tested_again(
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


@pytest.fixture(scope="module")
def selected(new_project: NewProject) -> tuple[Project, Table]:
    """A table without today's run; another one's run has indexed a late file of it."""
    project = new_project("selected")
    waiting, other = (project.declare(name, COLUMNS, ["id"]) for name in ("waiting", "other"))
    declare_tests(project, waiting, other)
    for table in (waiting, other):
        table.write_load((1, "Ann"))
        table.write_changes("20201114-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-14").ok
    waiting.write_changes("20201114-110000000", ("U", 1, "Annie"))
    assert project.run_tables("2020-11-15", [other]).ok
    return project, waiting


ONCE = "every_file_is_staged_once_stg_hr__waiting_"


@pytest.mark.thorough
@pytest.mark.parametrize("variables", ["{}", "{test_again: true}"])
def test_a_file_that_waits_for_the_next_run_of_its_table_fails_no_test(
    selected: tuple[Project, Table], variables: str
) -> None:
    project, waiting = selected
    assert "20201114-110000000.parquet" in project.indexed(waiting)
    result = run_tests(project, "--vars", variables)
    assert result.status(ONCE) == "pass", result.errors


@pytest.mark.thorough
def test_staged_rows_of_no_file_that_was_read_fail_the_test(
    selected: tuple[Project, Table],
) -> None:
    project, _ = selected
    staging = f"{project.schema}.stg_hr__other"
    project.query(
        f"""insert into {staging} by name
        select * except (_dms_file_seq), _dms_file_seq + 1 as _dms_file_seq from {staging}
        where _dms_file_seq = (select max(_dms_file_seq) from {staging})"""
    )
    result = run_tests(project, "--vars", "{test_again: true}")
    assert "Got 1 result" in result.message("every_file_is_staged_once_stg_hr__other_")


@pytest.mark.thorough
def test_a_file_that_a_run_saw_and_no_version_applied_fails_the_test(
    selected: tuple[Project, Table],
) -> None:
    project, _ = selected
    # The same indexing, as a run that loses a file would leave it.
    project.query(
        f"""insert into {project.schema}.dms_files by name
        select * except (path), replace(path, '-100000000', '-100000001') as path
        from {project.schema}.dms_files
        where table_name = 'waiting' and path like '%20201114-100000000%'"""
    )
    result = run_tests(project, "--vars", "{test_again: true}")
    assert "Got 1 result" in result.message(ONCE), result.errors


@pytest.mark.thorough
def test_a_file_that_is_back_and_that_no_version_applied_fails_the_test(
    selected: tuple[Project, Table],
) -> None:
    project, _ = selected
    # One that was applied, and one that was not.
    project.query(
        f"""insert into {project.schema}.dms_files by name
        select * except (path, kind), 'restored' as kind, explode(array(path,
            replace(path, '-100000000', '-100000002'))) as path
        from {project.schema}.dms_files
        where table_name = 'waiting' and kind = 'cdc' and path like '%20201114-100000000%'"""
    )
    result = run_tests(project, "--vars", "{test_again: true}")
    assert "Got 2 results" in result.message(ONCE), result.errors


@pytest.mark.thorough
def test_a_waiting_file_that_the_next_run_of_its_table_ignores_fails_the_test(
    selected: tuple[Project, Table],
) -> None:
    project, waiting = selected
    ignores = '{% do plan.update({"action": "none", "files": [], "shown_version": 1}) %}'
    with project.interrupted("complete_plan", waiting.name, ignores):
        assert project.run_tables("2020-11-16", [waiting]).ok
    assert waiting.snapshot("2020-11-16") == [(1, "Anna")]
    # It passed while that file was waiting; beside it are the two of the tests before.
    assert "Got 3 results" in run_tests(project).message(ONCE)
