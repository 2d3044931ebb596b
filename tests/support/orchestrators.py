"""What Dagster and Airflow need in tests: their environments, a project, the code of the how-to."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.engines import PYTHON_HOOKS, REPOSITORY

_TABLE = (
    "models/sources/employees/employees.yml",
    "models/staging/employees/stg_employees__employees.sql",
    "models/snapshots/employees/_employees__models.yml",
    "models/snapshots/employees/employees_snapshot.sql",
    "sample/dms/employees/employees",
)
_PROJECT = ("dbt_project.yml", "profiles", "macros", "models/metadata", "models/docs", "data-tests")
_BIN = Path(sys.prefix) / "bin"


def environment_of(orchestrator: str) -> Path:
    """The programs of ``.venv-dagster`` or ``.venv-airflow``, which is made from its lock.

    It stays, and is made again when the lock differs. Neither fits into the environment of the
    project for sure: each has some hundred packages of its own.
    """
    lock = REPOSITORY / f"requirements/{orchestrator}.lock"
    folder = REPOSITORY / f".venv-{orchestrator}"
    stamp = folder / ".made-from"
    made_from = hashlib.sha256(lock.read_bytes() + sys.version.encode()).hexdigest()
    if not stamp.exists() or stamp.read_text() != made_from:
        uv, python = str(_BIN / "uv"), str(folder / "bin/python")
        made = ("venv", "--clear", "--python", sys.executable, str(folder))
        filled = ("pip", "sync", "--require-hashes", "--python", python, str(lock))
        for command in (made, filled):
            subprocess.run([uv, *command, "--quiet"], check=True)
        stamp.write_text(made_from)
    return folder / "bin"


class SampleProject:
    """The table employees.employees of the sample as a project, with a lake of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.lake = folder / "lake"
        for part in (*_PROJECT, *_TABLE):
            target = self.folder / part
            target.parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (REPOSITORY / part).is_dir() else shutil.copy
            copy(REPOSITORY / part, target)
        (self.folder / "profiles.yml").symlink_to("profiles/profiles.yml")
        (self.folder / ".venv").symlink_to(sys.prefix)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("DMS_")},
            "DMS_LAKE": str(self.lake),
            "DMS_DRIVER_MEMORY": "2g",
            "DMS_JVM_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "PYTHONPATH": str(PYTHON_HOOKS),
            "PYSPARK_PYTHON": sys.executable,
            "TZ": "UTC",
        }

    def prepare(self) -> None:
        """Run the commands that the how-to gives for each change of the project."""
        first, *commands = re.findall(r"^    (.*)$", _page(), re.MULTILINE)[:3]
        assert first == "source .venv/bin/activate"
        for command in commands:
            self.run([str(_BIN / "dbt"), *command.split()[1:]])

    def run(self, command: list[str], environment: Mapping[str, str] | None = None) -> str:
        """What a command printed; it has to end well."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**self.environment, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-6000:]
        return done.stdout

    def published(self) -> dict[str, list[str]]:
        """The rows of each published date, as lines of the CSV files in sample/expected."""
        columns = "emp_no, birth_date, first_name, last_name, gender, hire_date"
        sql = f"select snapshot_date, {columns} from lake.employees_snapshot order by all"
        printed = self.run(
            [str(_BIN / "dbt"), "--quiet", "show", "--inline", sql, "--limit", "-1",
             "--output", "json"]
        )  # fmt: skip
        dates: dict[str, list[str]] = {}
        for row in json.loads(printed[printed.index("{\n") :])["show"]:
            date, *values = (str(value) for value in row.values())
            dates.setdefault(date[:10], []).append(",".join(value[:10] for value in values))
        return dates


def code_block(file: str) -> str:
    """The code of the how-to that begins with the name of this file."""
    blocks = re.findall(r"^```python\n(.*?)^```$", _page(), re.DOTALL | re.MULTILINE)
    (code,) = [str(block) for block in blocks if block.startswith(f"# {file}")]
    return code


def expected(*dates: str) -> dict[str, list[str]]:
    """The states of employees.employees at the end of some dates, by the sample."""
    states = {}
    for date in dates:
        path = REPOSITORY / f"sample/expected/{date}/employees/employees.csv"
        with path.open(encoding="utf-8", newline="") as file:
            states[date] = [
                ",".join(value[:10] for value in row) for row in list(csv.reader(file))[1:]
            ]
    return states


def _page() -> str:
    return (REPOSITORY / "docs/how-to/orchestrators.md").read_text(encoding="utf-8")
