"""What is installed: one release of macros and Python, in ranges that the locks satisfy."""

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from pyspark_dms.errors import DmsError
from pyspark_dms.landing.index import parse_job
from pyspark_dms.release import RELEASE, check_release
from tests.declaration.harness import Macros
from tests.support.engines import REPOSITORY

HOOKS = REPOSITORY / "python_hooks"
SPARK_LOCKS = sorted(REPOSITORY.glob("requirements/spark-?.?.lock"))


def project() -> dict[str, Any]:
    content = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    return dict(content["project"])


def requirements(*extras: str) -> list[Requirement]:
    """What is asked for with some extras, and with those that they ask for."""
    found = [Requirement(text) for text in project()["dependencies"]]
    for extra in extras:
        for text in project()["optional-dependencies"][extra]:
            asked = Requirement(text)
            if asked.name == "dms-snapshots":
                found += requirements(*asked.extras)
            else:
                found.append(asked)
    return found


def pins(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)(?:\[.*\])?==([^ ;\\]+)", lock.read_text(), re.MULTILINE))


def broken(lock: Path, *extras: str) -> list[str]:
    """What is asked for and not pinned, or pinned outside of its range."""
    pinned = pins(lock)
    return [
        str(asked)
        for asked in requirements(*extras)
        if asked.name not in pinned or not asked.specifier.contains(pinned[asked.name])
    ]


@pytest.mark.parametrize("lock", SPARK_LOCKS, ids=lambda lock: lock.stem)
def test_what_make_run_installs_is_what_is_tested_without_the_tools(lock: Path) -> None:
    run, tested = pins(lock.with_suffix(".run.lock")), pins(lock)
    assert broken(lock.with_suffix(".run.lock"), "local", "thrift") == []
    assert run.items() < tested.items()
    assert not {"pytest", "ruff", "moto", "pymysql"} & run.keys()


@pytest.mark.parametrize("lock", SPARK_LOCKS, ids=lambda lock: lock.stem)
def test_the_locks_have_what_is_tested_within_the_ranges(lock: Path) -> None:
    assert broken(lock, "dev") == []


def test_the_lock_of_emr_has_all_but_spark() -> None:
    assert broken(REPOSITORY / "requirements/emr.lock", "aws", "local", "thrift") == [
        "pyspark<4.4,>=4.0.5"
    ]


def test_who_installs_it_gets_ranges_and_no_test_tools() -> None:
    for asked in requirements("local", "thrift", "aws"):
        assert "==" not in str(asked), asked
    names = {asked.name for asked in requirements("local", "thrift", "aws")}
    assert names.isdisjoint({"pytest", "ruff", "moto", "pymysql", "mysql-replication", "uv"})


def test_all_places_say_the_same_release() -> None:
    assert project()["version"] == RELEASE
    package = yaml.safe_load((REPOSITORY / "dbt_project.yml").read_text(encoding="utf-8"))
    assert package["version"] == RELEASE
    assert Macros().package_version() == RELEASE


def test_macros_and_python_of_two_releases_refuse_to_work_together() -> None:
    check_release(RELEASE)
    for other in ("9.8.7", None):
        with pytest.raises(DmsError, match="Nothing was run") as refused:
            check_release(other)
        assert len(str(refused.value).split()) <= 40
    with pytest.raises(DmsError, match=r"dms_snapshots is 9\.8\.7.*install dms-snapshots==9\.8\.7"):
        parse_job(json.dumps({"release": "9.8.7"}))


@pytest.mark.thorough
def test_wheel_and_sdist_install_the_command_the_data_sources_and_the_new_project(
    tmp_path: Path,
) -> None:
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "build", "--out-dir", str(tmp_path), str(REPOSITORY)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    (sdist,) = tmp_path.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"pyspark_dms/py.typed", "pyspark_dms_index.py"} < names
    # Beside its own facts, only what is below python_hooks.
    assert {name.split("/")[0].partition("-")[0] for name in names} == {
        "dms_snapshots", "pyspark_dms", *(path.name for path in HOOKS.glob("*.py"))
    }  # fmt: skip
    with tarfile.open(sdist) as tar:
        assert any(
            name.endswith("/pyspark_dms/new_project/profiles.yml") for name in tar.getnames()
        )
    for archive_file in (wheel, sdist):
        environment = tmp_path / f"env-{archive_file.suffix[1:]}"
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        python = str(environment / "bin/python")
        # What it asks for is here already, and Spark is large.
        (site,) = environment.glob("lib/python*/site-packages")
        here = [path for path in sys.path if path.endswith("site-packages")]
        (site / "here.pth").write_text("\n".join(here))
        install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"]
        subprocess.run([*install, str(archive_file)], check=True)
        command = [str(environment / "bin/dms-snapshots"), "init", str(environment / "new")]
        # Not as PYTHONPATH has it.
        made = subprocess.run(
            [*command, "--package", str(REPOSITORY)], check=True, capture_output=True, text=True,
            env={"PATH": "/usr/bin:/bin"}, cwd=tmp_path,
        )  # fmt: skip
        # Lines are cut where the terminal ends.
        assert "a dbt project called new" in " ".join(made.stdout.split())
        said = subprocess.run(
            [python, "-c", "import pyspark_dms_stage, pyspark_dms; print(pyspark_dms.__file__)"],
            check=True, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"}, cwd=tmp_path,
        )  # fmt: skip
        assert said.stdout.startswith(str(environment))
        new = {path.name for path in (environment / "new").rglob("*") if path.is_file()}
        assert {"profiles.yml", ".gitignore", "ci.yml", "spark-env.sh"} < new
        assert "customers.yml.example" in new
