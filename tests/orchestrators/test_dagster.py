"""The Dagster definitions of docs/how-to/orchestrators.md, run by Dagster."""

from pathlib import Path

import pytest

from tests.support.orchestrators import SampleProject, code_block, environment_of, expected

pytestmark = pytest.mark.thorough


def test_assets_are_published_by_one_command_and_by_one_for_each_model(tmp_path: Path) -> None:
    programs = environment_of("dagster")
    project = SampleProject(tmp_path)
    project.prepare()
    definitions = tmp_path / "definitions.py"
    definitions.write_text(code_block(definitions.name).replace("/opt/dms", str(project.folder)))

    def materialize(selected: str, date: str, fails: bool = False) -> str:
        command = [str(programs / "dagster"), "asset", "materialize", "-f", str(definitions)]
        given = ["--select", selected, "--partition", date]
        home = {"DAGSTER_HOME": str(tmp_path)}
        return project.run([*command, *given], home, fails)

    (tmp_path / "dagster.yaml").touch()
    materialize("*", "2020-11-13")
    for model in ("dms_files", "stg_employees__employees", "employees_snapshot"):
        materialize(model, "2020-11-14")
    refused = materialize("employees_snapshot", "2020-11-15", fails=True)
    assert "no run has indexed its files for run_date 2020-11-15" in refused
    assert project.published() == expected("2020-11-13", "2020-11-14")
