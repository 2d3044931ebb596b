"""The bundled sample: every published partition is what MariaDB had at that moment."""

import csv
import json
from pathlib import Path

import pytest

from tests.support.engines import REPOSITORY, Engine
from tests.support.project import Project, Table, take_sample
from tests.support.source_rows import canonical_rows, read_expected, sort_rows

EXPECTED = REPOSITORY / "sample" / "expected"
DATES = sorted(folder.name for folder in EXPECTED.iterdir())
TABLES = sorted(f"{file.parent.name}/{file.stem}" for file in EXPECTED.glob(f"{DATES[0]}/*/*.csv"))


@pytest.fixture(scope="module")
def sample(each_engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The repository's own project on its sample: built from nothing, run, and built again."""
    project = Project(tmp_path_factory.mktemp("sample"), each_engine)
    take_sample(project)
    for command, run_date in zip(("build", "run", "build"), DATES, strict=True):
        result = project.dbt(command, "--vars", f"{{run_date: {run_date}}}")
        assert result.ok, result.errors
    return project


def sample_table(project: Project, name: str) -> Table:
    source, table = name.split("/")
    with expected_file(DATES[0], name).open(encoding="utf-8", newline="") as file:
        columns = next(csv.reader(file))
    return Table(project, table, dict.fromkeys(columns, ""), source)


def expected_file(run_date: str, name: str) -> Path:
    return EXPECTED / run_date / f"{name}.csv"


@pytest.mark.parametrize("run_date", DATES)
@pytest.mark.parametrize("name", TABLES)
def test_each_snapshot_of_the_sample_is_the_source_at_that_moment(
    sample: Project, name: str, run_date: str
) -> None:
    expected = read_expected(expected_file(run_date, name))
    assert sample_table(sample, name).canonical(run_date) == expected


@pytest.mark.parametrize("name", TABLES)
def test_the_current_tables_of_the_sample_are_the_source_at_the_end(
    sample: Project, name: str
) -> None:
    expected = read_expected(expected_file(DATES[-1], name))
    assert canonical_rows(sample_table(sample, name).current()) == expected


@pytest.mark.parametrize("run_date", DATES)
def test_the_history_of_the_sample_as_of_each_date_is_the_source_at_that_moment(
    sample: Project, run_date: str
) -> None:
    columns = ", ".join(sample_table(sample, "employees/employees").columns)
    moment = f"timestamp'{run_date} 23:59:59.999999'"
    found = sample.query(
        f"select {columns} from {sample.schema}.employees_history"
        f" where dbt_valid_from <= {moment} and (dbt_valid_to > {moment} or dbt_valid_to is null)"
    )
    expected = read_expected(expected_file(run_date, "employees/employees"))
    assert sort_rows(canonical_rows(found)) == expected


def test_the_data_tests_of_the_project_and_the_unit_tests_of_its_macros_pass_on_the_sample(
    sample: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DMS_UNIT_TESTS", "true")
    result = sample.dbt("test", "--vars", f"{{run_date: {DATES[-1]}}}")
    assert result.ok, result.errors
    assert "snapshot_is_whole_employees_snapshot_emp_no" in result.models
    assert "a_merge_takes_the_changes_of_this_run_and_generation" in result.models


def test_the_docs_of_the_project_are_made(sample: Project) -> None:
    result = sample.dbt("docs", "generate", "--vars", f"{{run_date: {DATES[-1]}}}")
    assert result.ok, result.errors
    catalog = json.loads((sample.folder / "target/catalog.json").read_text(encoding="utf-8"))
    employees = "model.dms_snapshots.employees_snapshot"
    assert catalog["nodes"][employees]["columns"]["hire_date"]["type"] == "date"
    manifest = json.loads((sample.folder / "target/manifest.json").read_text(encoding="utf-8"))
    described = manifest["nodes"][employees]["columns"]["hire_date"]["description"]
    assert described == "First day of work."


def test_the_freshness_of_the_sources_is_told_from_the_index(sample: Project) -> None:
    result = sample.dbt("source", "freshness")
    assert result.ok, result.errors
    told = json.loads((sample.folder / "target/sources.json").read_text(encoding="utf-8"))
    newest = {
        entry["unique_id"].split(".", 2)[2]: entry["max_loaded_at"] for entry in told["results"]
    }
    assert newest["employees.employees"].startswith("2020-11-15T18:00:00")
    assert set(newest) == {name.replace("/", ".") for name in TABLES}
