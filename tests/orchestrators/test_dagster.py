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

    def materialize(selected: str, date: str) -> None:
        command = [str(programs / "dagster"), "asset", "materialize", "-f", str(definitions)]
        given = ["--select", selected, "--partition", date]
        project.run([*command, *given], {"DAGSTER_HOME": str(tmp_path)})

    (tmp_path / "dagster.yaml").touch()
    materialize("*", "2020-11-13")
    for model in ("dms_files", "stg_employees__employees", "employees_snapshot"):
        materialize(model, "2020-11-14")
    assert project.published() == expected("2020-11-13", "2020-11-14")
