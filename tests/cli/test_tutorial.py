"""The commands of docs/tutorial.md, one after the other, in a copy of this repository."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.engines import REPOSITORY

LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv*", "lake", "target", "logs", "tests", "*.egg-info", "__pycache__", ".*_cache"
)


def commands() -> list[str]:
    text = (REPOSITORY / "docs/tutorial.md").read_text(encoding="utf-8")
    return re.findall(r"^    (.*)$", text, re.MULTILINE)


@pytest.mark.thorough
def test_the_commands_of_the_tutorial_do_what_it_says(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(REPOSITORY, copy, ignore=LEFT_OUT)
    first, second, *rest = commands()
    assert (first, second) == ("make run", "source .venv/bin/activate")
    # What makes the environment has tests of its own; here it is the one of this process.
    script = "\n".join(["set -ex", "python -m development sample", *rest])
    bin_folder = str(Path(sys.executable).parent)
    environment = os.environ | {
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(copy / "python_hooks"),
        "PYSPARK_PYTHON": sys.executable,
    }
    for name in ("DMS_LAKE", "DMS_SCHEMA", "DMS_ROOT", "DMS_TARGET"):
        environment.pop(name, None)
    done = subprocess.run(
        ["bash", "-c", script], cwd=copy, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    shown = re.sub(r"[ │─]+", " ", done.stdout)
    newest, before = shown.rsplit("orders_snapshot 2026-11-20", 1)[1].split(
        "orders_snapshot 2026-11-19"
    )
    assert re.findall(r"^ ?(\d \w+ [\d.]+)", newest, re.MULTILINE) == [
        "1 paid 10.50",
        "3 open 7.25",
    ]
    assert re.findall(r"^ ?(\d \w+ [\d.]+)", before, re.MULTILINE) == [
        "1 open 10.50",
        "2 open 3.00",
    ]
