"""The command ``plan``: what the next run would do, without doing it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pyspark_dms.cli import main
from pyspark_dms.commands.plan import what_happens
from tests.conftest import NewProject
from tests.support.project import Project, Table


@pytest.fixture(scope="module")
def project(new_project: NewProject) -> Project:
    return new_project("planned")


@pytest.fixture(scope="module")
def people(project: Project) -> Table:
    table = project.declare("people", {"id": "int", "name": "string"}, ["id"])
    table.write_load((1, "Ann"), (2, "Bo"))
    table.write_changes("20201114-100000000", ("U", 1, "Anna"), ("D", 2, None), ("I", 3, "Cy"))
    return table


def plan(project: Project, *arguments: str) -> Result:
    with project.environment(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_PROFILES_DIR", str(project.folder / "profiles"))
        patch.setenv("DBT_LOG_PATH", str(project.folder / "logs"))
        options = ["--project-dir", str(project.folder)]
        return CliRunner().invoke(main, ["plan", *arguments, *options])


def planned(project: Project, run_date: str, tmp_path: Path) -> tuple[dict[str, Any], Result]:
    file = tmp_path / "plan.json"
    result = plan(project, "--run-date", run_date, "--json", str(file))
    tables = json.loads(file.read_text())["tables"] if file.exists() else []
    return {table["table"]: table for table in tables}, result


def files_of_the_lake(table: Table) -> set[str]:
    found = {str(path) for path in table.root().parent.rglob("*") if path.is_file()}
    assert any("dms_files" in path for path in found)
    return found


def test_it_says_what_waits_before_and_after_a_run_and_writes_nothing(
    project: Project, people: Table, tmp_path: Path
) -> None:
    found, result = planned(project, "2020-11-13", tmp_path)
    assert result.exit_code == 0, result.output
    first = found["hr.people"]
    assert (first["action"], first["files"], first["rows"], first["version"]) == ("build", 1, 2, 1)

    assert project.run("2020-11-13").ok
    before, indexed = files_of_the_lake(people), project.indexed(people)
    people.write_changes("20201114-110000000", ("U", 3, "Cyd"))
    found, result = planned(project, "2020-11-14", tmp_path)
    second = found["hr.people"]
    assert (second["action"], second["files"], second["rows"]) == ("merge", 2, 4)
    assert (second["base_version"], second["version"]) == (1, 2)
    assert "Nothing was changed." in result.output
    assert (files_of_the_lake(people), project.indexed(people)) == (before, indexed)

    assert project.run("2020-11-14").ok
    found, result = planned(project, "2020-11-15", tmp_path)
    assert found["hr.people"]["action"] == "none"
    assert result.exit_code == 0


def test_what_would_fail_is_said_with_the_error_of_the_run_and_exit_code_2(
    project: Project, people: Table, tmp_path: Path
) -> None:
    assert project.run("2020-11-14").ok
    declared = [project.folder / f"models/sources/hr/{name}.yml" for name in ("people", "wrong")]
    written = declared[0].read_text()
    project.declare("wrong", {"id": "int"}, ["id"], on_bad_row="stop")
    declared[0].write_text(written.replace('"data_type": "string"', '"data_type": "int"'))
    try:
        found, result = planned(project, "2020-11-15", tmp_path)
    finally:
        declared[0].write_text(written)
        project.declare("wrong", {"id": "int"}, ["id"], active=False)
    assert result.exit_code == 2
    assert found["hr.people"]["action"] == "refused"
    (error,) = found["hr.people"]["errors"]
    assert "[E404]" in error
    assert "column name is declared as int" in error
    (error,) = found["hr.wrong"]["errors"]
    assert "[E101]" in error
    assert "2 would fail" in result.output


def test_a_run_date_before_the_newest_one_is_refused(
    project: Project, people: Table, tmp_path: Path
) -> None:
    assert project.run("2020-11-14").ok
    found, result = planned(project, "2020-11-12", tmp_path)
    assert result.exit_code == 2
    assert "[E406]" in found["hr.people"]["errors"][0]


def test_a_table_that_is_not_declared_is_refused(project: Project, people: Table) -> None:
    result = plan(project, "--select", "hr.nobody")
    assert result.exit_code == 2
    assert "hr.nobody is no declared table" in result.output


@pytest.mark.parametrize(
    ("action", "says"),
    [
        ("merge", "changes onto version 4 → version 5"),
        ("build", "built from 2 full load files and later changes → version 5"),
        ("alter", "another declaration, same rows → version 5"),
        ("none", "2020-11-14 shows version 4, without a new one"),
        ("refused", "fails; nothing of it is published"),
        ("not active", "left out"),
    ],
)
def test_each_action_is_told_in_a_few_words(action: str, says: str) -> None:
    fields = {"base_version": 4, "version": 5, "load_files": 2, "run_date": "2020-11-14"}
    assert what_happens({"action": action, **fields}) == says
