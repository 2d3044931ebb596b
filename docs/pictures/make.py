"""Takes the pictures of README: a table's page and the report of a run, of the sample.

``make pictures`` runs it. It publishes the sample in a lake of its own, below target/pictures.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent
_REPOSITORY = _FOLDER.parents[1]
_WORK = _REPOSITORY / "target/pictures"
# Name of a picture: the page, and how much of its height is shown.
_PICTURES = {
    "table": ("tables/employees.employees.html", 1000),
    "run_report": ("run_report.html", 520),
}
_WIDTH = 1100


def main() -> None:
    """Publish the sample, write its pages, and each picture beside this file."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("pictures: there is no browser. No picture was taken. Install chromium.")
    shutil.rmtree(_WORK, ignore_errors=True)
    dates = sorted(path.name for path in (_REPOSITORY / "sample/expected").glob("*-*-*"))
    for date in dates:
        _run("dbt.cli.main", "run", "--vars", f"{{run_date: {date}}}")
    _run("pyspark_dms", "docs")
    for name, (page, height) in _PICTURES.items():
        subprocess.run(
            [
                browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                f"--user-data-dir={_WORK}/browser", f"--window-size={_WIDTH},{height}",
                f"--screenshot={_FOLDER / name}.png", (_WORK / "target/docs" / page).as_uri(),
            ],
            check=True, capture_output=True, timeout=120,
        )  # fmt: skip
        print(f"Written: docs/pictures/{name}.png")


def _run(*command: str) -> None:
    places = {
        "DMS_LAKE": str(_WORK / "lake"),
        "DBT_TARGET_PATH": str(_WORK / "target"),
        "DBT_LOG_PATH": str(_WORK / "logs"),
    }
    environment = os.environ | places
    subprocess.run([sys.executable, "-m", *command], cwd=_REPOSITORY, env=environment, check=True)


if __name__ == "__main__":
    main()
