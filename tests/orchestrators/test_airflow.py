"""The Airflow DAG of docs/how-to/orchestrators.md, run by Airflow: each model has a command."""

from pathlib import Path

import pytest

from tests.support.orchestrators import SampleProject, code_block, environment_of, expected

pytestmark = pytest.mark.thorough


def test_each_date_of_the_dag_is_published(tmp_path: Path) -> None:
    airflow = str(environment_of("airflow") / "airflow")
    project = SampleProject(tmp_path)
    project.prepare()
    dag = tmp_path / "dags/dms_tables.py"
    dag.parent.mkdir()
    code = code_block(dag.name)
    for documented, here in (
        ("/opt/dms", project.folder),
        ("/data/lake", project.lake),
        ("/data/dms", project.folder / "sample/dms"),
    ):
        code = code.replace(documented, str(here))
    dag.write_text(code)
    settings = {
        "AIRFLOW_HOME": str(tmp_path / "airflow"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(dag.parent),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "false",
        # On a machine with other work, importing Airflow's own packages takes long.
        "AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT": "300",
        "DO_NOT_TRACK": "1",
    }
    project.run([airflow, "db", "migrate"], settings)
    for date in ("2020-11-13", "2020-11-14"):
        project.run([airflow, "dags", "test", "dms_tables", date], settings)
    assert project.published() == expected("2020-11-13", "2020-11-14")
