"""Whole commands on the sample, each a process of its own, for what is measured of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parent.parent
DBT = str(Path(sys.executable).with_name("dbt"))
_PROJECT = ["--project-dir", str(ROOT), "--profiles-dir", str(ROOT)]

# The dates of the sample, and one on which nothing comes.
RUN_DATES = {
    "first date": "2020-11-13",
    "second date": "2020-11-14",
    "third date": "2020-11-15",
    "unchanged date": "2020-11-16",
}


def dbt_command(command: str, run_date: str | None = None) -> list[str]:
    """A command of dbt on this project, of a run date if it has one."""
    of_date = ["--vars", f"{{run_date: {run_date}}}"] if run_date else []
    return [DBT, command, *_PROJECT, *of_date]


def run_command(
    command: Sequence[str], work: Path, environment: Mapping[str, str] | None = None
) -> None:
    """Run a command in a folder, with its lake and all that it writes below.

    Args:
        command: its words.
        work: the folder.
        environment: variables beside those of this process.

    Raises:
        click.ClickException: it failed.
    """
    own = {
        "DMS_ROOT": str(ROOT / "sample/dms"),
        "DMS_LAKE": str(work / "lake"),
        "DBT_TARGET_PATH": str(work / "target"),
        "DBT_LOG_PATH": str(work / "logs"),
        "PYSPARK_PYTHON": sys.executable,
    }
    finished = subprocess.run(
        command,
        cwd=work,
        env={**os.environ, **own, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode:
        raise click.ClickException(f"{' '.join(command)} failed:\n{finished.stdout[-2000:]}")
