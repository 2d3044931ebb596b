"""What a clone has beside what users get: nothing that is installed needs it."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import obstore
from click.testing import CliRunner
from obstore.store import S3Store

from development.__main__ import main as development
from development.sample import sample_dates
from pyspark_dms.cli import main as dms_snapshots
from pyspark_dms.services.background import free_port, port_is_taken
from tests.support.engines import REPOSITORY

OF_A_CLONE = {"bench", "development", "sample", "tests"}
TOOLS = {"moto", "pymysqlreplication", "pytest"}


def imported(path: Path) -> set[str]:
    """The top-level modules that a module imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return {name.split(".")[0] for name in names}


def test_what_users_get_imports_nothing_of_a_clone_and_no_tool_of_it() -> None:
    modules = sorted((REPOSITORY / "python_hooks").rglob("*.py"))
    assert len(modules) > 80
    found = {path.name: imported(path) & (OF_A_CLONE | TOOLS) for path in modules}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_users_are_offered_the_thrift_server_and_nothing_of_a_clone() -> None:
    assert "thrift" in dms_snapshots.commands
    assert set(development.commands) == {"s3", "sample"}
    assert {"emulate", *development.commands}.isdisjoint(dms_snapshots.commands)


def test_make_run_needs_no_client_of_mariadb_and_no_s3_api() -> None:
    script = (
        "import runpy, sys\n"
        "sys.modules.update(dict.fromkeys(['moto', 'pymysql', 'pymysqlreplication']))\n"
        "sys.argv = ['development', 'sample', '--help']\n"
        "runpy.run_module('development', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY / "python_hooks")},
    )  # fmt: skip
    assert "Usage: python -m development sample" in done.stdout


def test_the_s3_api_has_the_files_of_the_sample_until_it_ends(tmp_path: Path) -> None:
    (tmp_path / "sample/dms/hr/people").mkdir(parents=True)
    (tmp_path / "sample/dms/hr/people/LOAD00000001.csv").write_text("1\n")
    port = free_port()
    place = ["--project-dir", str(tmp_path)]
    started = CliRunner().invoke(development, ["s3", "start", "--port", str(port), *place])
    try:
        assert started.exit_code == 0, started.output
        assert "1 files of the sample" in started.output
        url = f"http://127.0.0.1:{port}"
        assert f"export AWS_ENDPOINT_URL={url}" in started.output
        store = S3Store(
            "trial-landing", endpoint=url, access_key_id="a", secret_access_key="b",
            region="us-east-1", client_options={"allow_http": True},
        )  # fmt: skip
        found = obstore.get(store, "dms/hr/people/LOAD00000001.csv").bytes()
        assert bytes(found) == b"1\n"
    finally:
        stopped = CliRunner().invoke(development, ["s3", "stop", *place])
    assert stopped.output == "Stopped.\n"
    assert not port_is_taken("127.0.0.1", port)


def test_the_dates_of_the_sample_are_those_of_its_expected_results() -> None:
    assert sample_dates(REPOSITORY) == ["2020-11-13", "2020-11-14", "2020-11-15"]


def test_a_project_without_a_sample_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(development, ["sample", "--project-dir", str(tmp_path)])
    assert result.exit_code == 1
    assert "no sample/expected" in result.output


def test_the_dates_of_the_sample_are_not_run_for_tables_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "sample/expected/2020-11-13").mkdir(parents=True)
    (tmp_path / "sample/dms/retail/store").mkdir(parents=True)
    (tmp_path / "models/sources").mkdir(parents=True)
    (tmp_path / "models/sources/people.yml").write_text(
        "sources: [{name: hr, "
        "tables: [{name: people, config: {meta: {dms: {primary_keys: [id]}}}}]}]"
    )
    result = CliRunner().invoke(development, ["sample", "--project-dir", str(tmp_path)])
    assert result.exit_code == 1
    assert "Nothing was run" in result.output
