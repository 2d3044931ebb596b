"""What the date of a run means: which files it takes, and what a second run of it does."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.conftest import NewProject
from tests.support.project import Table
from tests.support.side_by_side import (
    COLUMNS,
    FailingRun,
    Run,
    SharedRows,
    Steps,
    scenario,
    shared_scenario,
)


def data_files(table: Table) -> set[Path]:
    """Every Parquet file below the staging and snapshot tables."""
    warehouse = table.current_location().parents[2]
    folders = (warehouse / table.staging_model, warehouse / table.snapshot_model)
    return {file for folder in folders for file in folder.rglob("*.parquet")}


@pytest.mark.thorough
@shared_scenario()
def test_changes_after_the_run_date_wait_for_their_day(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    yield Run("2020-11-13")
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-13") == [(1, "Ann")]
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@pytest.mark.thorough
@shared_scenario()
def test_a_day_ends_with_its_last_microsecond_in_utc(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-235959999999", ("U", 1, "on the 14th"))
    people.write_changes("20201115-000000000", ("U", 2, "on the 15th"))
    yield Run("2020-11-14")
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-14") == [(1, "on the 14th"), (2, "Bo")]
    assert people.snapshot("2020-11-15") == [(1, "on the 14th"), (2, "on the 15th")]


@scenario()
def test_the_same_run_twice_gives_the_same(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-100000000", ("U", 1, "Anna"), ("D", 2, "Bo"), ("I", 3, "Cy"))
    yield Run("2020-11-13")
    yield Run("2020-11-13")
    yield Run("2020-11-14")
    once = people.versions()[-1]
    yield Run("2020-11-14")
    twice = people.versions()[-1]
    assert people.snapshot("2020-11-13") == [(1, "Ann"), (2, "Bo")]
    assert people.snapshot("2020-11-14") == people.current() == [(1, "Anna"), (3, "Cy")]
    counts = ("base_version", "rows_before", "rows_inserted", "rows_updated", "rows_deleted")
    assert [once[count] for count in counts] == [twice[count] for count in counts]
    assert len(people.staged()) == 5


@pytest.mark.thorough
@scenario()
def test_the_same_run_again_takes_what_arrived_since(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-100000000", ("U", 1, "10:00"))
    yield Run("2020-11-14")
    people.write_changes("20201114-200000000", ("U", 1, "20:00"), ("I", 3, "20:00"))
    people.write_changes("20201114-050000000", ("U", 1, "05:00"), ("U", 2, "05:00"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == people.current() == [
        (1, "20:00"), (2, "05:00"), (3, "20:00"),
    ]  # fmt: skip


@pytest.mark.thorough
@scenario()
def test_a_full_load_that_grows_between_two_runs_of_its_date_is_taken_whole(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    people.write_load((2, "Bo"), name="LOAD00000002.parquet")
    yield Run("2020-11-13")
    assert people.snapshot("2020-11-13") == [(1, "Ann"), (2, "Bo")]


@pytest.mark.thorough
@scenario()
def test_a_skipped_day_is_made_up_for_by_the_next_run(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-100000000", ("U", 1, "14"), ("U", 2, "14"))
    people.write_changes("20201115-100000000", ("U", 1, "15"))
    yield Run("2020-11-13")
    yield Run("2020-11-15")
    assert people.dates() == ["2020-11-13", "2020-11-15"]
    assert people.snapshot("2020-11-15") == [(1, "15"), (2, "14")]


@pytest.mark.thorough
@scenario()
def test_a_date_before_the_newest_one_is_refused(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    yield Run("2020-11-14")
    versions = people.versions()
    error = yield FailingRun("2020-11-13")
    assert people.label in error
    assert "2020-11-13" in error
    assert "2020-11-14" in error
    assert people.versions() == versions
    assert people.dates() == ["2020-11-14"]
    assert people.current() == [(1, "Anna")]


@scenario()
def test_without_new_files_the_date_is_published_and_no_data_file_written(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    yield Run("2020-11-14")
    files = data_files(people)
    yield Run("2020-11-15")
    yield Run("2020-11-15")
    yield Run("2020-11-20")
    assert data_files(people) == files
    assert people.dates() == ["2020-11-14", "2020-11-15", "2020-11-20"]
    assert people.snapshot("2020-11-20") == people.current() == [(1, "Anna")]
    assert people.location("2020-11-20") == people.location("2020-11-14")


@pytest.mark.thorough
def test_a_table_that_is_behind_the_others_takes_its_own_days_only(new_project: NewProject) -> None:
    project = new_project("behind")
    ahead, behind = (project.declare(name, COLUMNS, ["id"]) for name in ("ahead", "behind"))
    for table in (ahead, behind):
        table.write_load((1, "Ann"))
        table.write_changes("20201114-100000000", ("U", 1, "14"))
        table.write_changes("20201115-100000000", ("U", 1, "15"))
    # The index knows the files of both.
    assert project.run_tables("2020-11-15", [ahead]).ok
    assert project.run_tables("2020-11-14", [behind]).ok
    assert behind.snapshot("2020-11-14") == [(1, "14")]
    assert project.run("2020-11-15").ok
    assert behind.snapshot("2020-11-15") == ahead.snapshot("2020-11-15") == [(1, "15")]


def test_the_default_run_date_is_today_in_utc(new_project: NewProject) -> None:
    project = new_project("today")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    before = datetime.now(UTC)
    result = project.dbt("run")
    after = datetime.now(UTC)
    assert result.ok, result.errors
    assert people.dates() in ([f"{before:%Y-%m-%d}"], [f"{after:%Y-%m-%d}"])


@pytest.mark.parametrize(
    "value", ["2020-13-01", "2020-02-30", "9999-12-99", "yesterday", "20201113", "2020-1-1"]
)
def test_a_malformed_run_date_is_refused_with_an_example(malformed: Table, value: str) -> None:
    result = malformed.project.run(value)
    assert not result.ok
    assert f"'{value}' is not a date" in result.errors
    assert "YYYY-MM-DD" in result.errors
    assert malformed.project.query("show schemas like 'malformed*'") == []


@pytest.fixture(scope="module")
def malformed(new_project: NewProject) -> Table:
    people = new_project("malformed").declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    return people


@pytest.mark.thorough
def test_the_model_of_a_table_may_say_whether_it_is_built_from_nothing(
    new_project: NewProject,
) -> None:
    project = new_project("full_refresh_of_models")
    own = {"kept": False, "always": True, "asked": None}
    tables = [project.declare(name, {"id": "int"}, ["id"]) for name in own]
    for table in tables:
        table.write_load((1,))
    configs = [
        {"name": f"{name}_snapshot", "config": {"full_refresh": value}}
        for name, value in own.items()
        if value is not None
    ]
    project.write_properties(configs)
    versions = []
    for options in ([], [], ["--full-refresh"]):
        result = project.run("2020-11-13", *options)
        assert result.ok, result.errors
        versions.append([len(table.versions()) for table in tables])
    assert versions == [[1, 1, 1], [1, 2, 1], [1, 3, 2]]
    # The plan of that run holds for those of its models that run again.
    models = [model for table in tables for model in (table.staging_model, table.snapshot_model)]
    result = project.run("2020-11-13", "--full-refresh", "--select", *models)
    assert result.ok, result.errors
    assert [len(table.versions()) for table in tables] == versions[-1]
