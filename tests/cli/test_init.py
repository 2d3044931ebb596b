"""A new project in a folder of somebody's own, which takes the macros as a package."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from pyspark_dms.cli import main
from pyspark_dms.release import RELEASE
from tests.support.dms_files import write_rows
from tests.support.engines import REPOSITORY


def init(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["init", str(folder), *options])


def text(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


def test_a_new_project_is_parsed_and_its_tables_are_discovered_and_scaffolded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "My Lake"
    made = init(folder, "--package", str(REPOSITORY))
    assert made.exit_code == 0, made.output
    assert "dms-snapshots discover <root>" in made.output
    assert yaml.safe_load(text(folder, "dbt_project.yml"))["name"] == "my_lake"
    assert "python3 -m venv .venv" in made.output
    root = tmp_path / "dms"
    write_rows(root / "hr/people/LOAD00000001.parquet", {"id": "int", "name": "string"}, [(1, "A")])
    for command in (["discover", str(root)], ["scaffold"], ["scaffold", "--check"]):
        done = CliRunner().invoke(main, [*command, "--project-dir", str(folder)])
        assert done.exit_code == 0, done.output
    stub = text(folder, "models/staging/hr/stg_hr__people.sql")
    assert stub == "{{ dms_snapshots.dms_staging('hr', 'people') }}\n"

    monkeypatch.setenv("DMS_LAKE", str(tmp_path / "lake"))
    options = ["--project-dir", str(folder), "--profiles-dir", str(folder), "--quiet"]
    options += ["--log-path", str(tmp_path / "logs")]
    for command in (["deps"], ["--warn-error", "parse"]):
        # In a process of its own: dbt sums up the deprecations of all commands of one.
        dbt = [sys.executable, "-m", "dbt.cli.main", *command, *options]
        parsed = subprocess.run(dbt, capture_output=True, text=True)
        assert parsed.returncode == 0, parsed.stdout + parsed.stderr
    manifest = json.loads(text(folder, "target/manifest.json"))
    own = {name for name in manifest["nodes"] if name.startswith("model.my_lake.")}
    assert own == {
        # The example beside them is not read.
        "model.my_lake.stg_hr__people",
        "model.my_lake.people_snapshot",
    }
    assert "model.dms_snapshots.employees_snapshot" not in manifest["nodes"]


def test_one_number_says_which_release_is_installed(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    assert init(folder, "--package", "https://example.com/dms.git").exit_code == 0
    (package,) = yaml.safe_load(text(folder, "packages.yml"))["packages"]
    assert package == {"git": "https://example.com/dms.git", "revision": f"v{RELEASE}"}
    assert [
        name
        for name in ("install.sh", "README.md", "dbt_project.yml", ".github/workflows/ci.yml")
        if f"v{RELEASE}" in text(folder, name)
    ] == []
    # A python and a dbt that say what they were asked.
    (tmp_path / "bin").mkdir()
    for name in ("python", "dbt"):
        said = tmp_path / "bin" / name
        said.write_text(f'#!/bin/sh\necho {name} "$@" >&2\necho {tmp_path}\n')
        said.chmod(0o755)
    (folder / "packages.yml").write_text(text(folder, "packages.yml").replace(RELEASE, "7.8.9"))
    ran = subprocess.run(
        ["sh", str(folder / "install.sh")], capture_output=True, text=True, check=True,
        env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin"},
    )  # fmt: skip
    asked = "dms-snapshots[local,thrift] @ git+https://example.com/dms.git@v7.8.9"
    assert f"python -m pip install --quiet {asked}\n" in ran.stderr
    assert "dbt deps" in ran.stderr
    assert (tmp_path / "conf/spark-env.sh").is_file()


def test_the_macros_are_of_the_commit_that_pip_has_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "https://example.com/dms.git"
    origin = {"url": address, "vcs_info": {"vcs": "git", "commit_id": "0a1b2c"}}

    class Installed:
        """A package of which pip has recorded where it came from."""

        @staticmethod
        def read_text(name: str) -> str | None:
            return json.dumps(origin) if name == "direct_url.json" else None

    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed)
    written = {}
    for number, options in enumerate(
        [
            [],
            ["--revision", "main"],
            ["--package", f"git+{address}"],
            ["--package", address, "--revision", "v9"],
        ]
    ):
        assert init(tmp_path / f"lake_{number}", *options).exit_code == 0
        (package,) = yaml.safe_load(text(tmp_path / f"lake_{number}", "packages.yml"))["packages"]
        assert package["git"] == address
        written[number] = package["revision"]
    assert written == {0: "0a1b2c", 1: "main", 2: f"v{RELEASE}", 3: "v9"}


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("taken", [], "is not empty. Nothing was written"),
        ("1st", [], "'1st' cannot be the name of the project"),
        ("new", ["--name", "dms_snapshots"], "not dms_snapshots"),
        ("new", ["--package", "/tmp"], "has no dbt_project.yml"),
        ("new", ["--revision", "main"], "is a folder, and the macros are as they are in it"),
    ],
)
def test_a_folder_or_a_name_that_cannot_be_taken_is_refused(
    tmp_path: Path, name: str, options: list[str], reason: str
) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/file").write_text("mine")
    refused = init(tmp_path / name, "--package", str(REPOSITORY), *options)
    assert refused.exit_code == 1
    assert reason in " ".join(refused.output.split())
    assert not (tmp_path / "new").exists()
