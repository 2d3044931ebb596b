"""The command ``show``: what a person sees of what was published."""

from decimal import Decimal

import pytest
from click.testing import CliRunner, Result

from pyspark_dms.cli import main
from tests.conftest import NewProject
from tests.support.project import Project


@pytest.fixture(scope="module")
def project(new_project: NewProject) -> Project:
    """Two dates of one table: two rows; then one updated to NULL, one deleted, one inserted."""
    project = new_project("shown")
    people = project.declare(
        "people", {"id": "int", "name": "string", "wage": "decimal(10,2)"}, ["id"]
    )
    people.write_load((1, "Ann", Decimal("10.00")), (2, "Bob", Decimal("20.50")))
    people.write_changes(
        "20201114-100000000",
        ("U", 1, None, Decimal("10.00")),
        ("D", 2, None, None),
        ("I", 3, "[b]", Decimal("7.00")),
    )
    return project


def invoke(project: Project, *arguments: str) -> Result:
    with project.environment(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_PROFILES_DIR", str(project.folder / "profiles"))
        patch.setenv("DBT_LOG_PATH", str(project.folder / "logs"))
        options = ["--project-dir", str(project.folder)]
        return CliRunner().invoke(main, [*arguments, *options])


def lines(result: Result) -> list[list[str]]:
    return [line.split() for line in result.output.splitlines()]


def test_before_the_first_run_it_says_how_to_publish(project: Project) -> None:
    result = invoke(project, "show")
    assert result.exit_code == 1
    assert "Nothing is published" in result.output
    assert "dbt run --vars" in result.output


def test_counts_and_rows_of_the_newest_and_of_an_earlier_date(project: Project) -> None:
    assert project.run("2020-11-13").ok
    assert project.run("2020-11-14").ok

    newest = invoke(project, "show")
    assert newest.exit_code == 0, newest.output
    # table, before, inserted, updated, deleted, after, how
    assert ["hr.people", "2", "1", "1", "1", "2", "merge"] in lines(newest)
    assert ["1", "NULL", "10.00"] in lines(newest)
    assert ["3", "[b]", "7.00"] in lines(newest)

    earlier = invoke(project, "show", "--run-date", "2020-11-13")
    assert ["hr.people", "0", "2", "0", "0", "2", "build"] in lines(earlier)
    assert ["2", "Bob", "20.50"] in lines(earlier)
    assert "is not published" not in earlier.output
    later = invoke(project, "show", "--run-date", "2020-11-15")
    assert "the state at the end of 2020-11-14; 2020-11-15 is not published" in later.output


def test_tables_are_named_by_source_and_table_or_by_snapshot(project: Project) -> None:
    for name in ("hr.people", "people_snapshot"):
        shown = invoke(project, "show", name).output
        assert "people_snapshot" in shown
        assert "orders_snapshot" not in shown
    unknown = invoke(project, "show", "hr.poeple")
    assert unknown.exit_code == 1
    assert "hr.poeple is not published. There are: hr.people" in unknown.output


def test_a_table_that_is_not_there_at_a_date_is_told_with_the_date(project: Project) -> None:
    result = invoke(project, "show", "hr.orders", "--run-date", "2020-11-13")
    assert result.exit_code == 1
    assert "hr.orders is not published up to 2020-11-13. There are: hr.people" in result.output


def test_nothing_before_the_first_date(project: Project) -> None:
    result = invoke(project, "show", "--run-date", "2020-11-12")
    assert result.exit_code == 1
    assert "Nothing is published up to 2020-11-12" in result.output


@pytest.mark.parametrize("date", ["2020-13-01", "13.11.2020", "2020-1-1"])
def test_a_run_date_that_is_no_date_is_refused(date: str) -> None:
    result = CliRunner().invoke(main, ["show", "--run-date", date])
    assert result.exit_code == 2
    assert "YYYY-MM-DD" in result.output
