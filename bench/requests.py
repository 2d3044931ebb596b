"""What runs ask of an object store: the sample on a lake behind a real S3 API that logs requests.

``python -m bench.requests`` needs versitygw on the path (`tests.support.s3_server` says how to get
it). It runs the sample's dates and one without changes, and counts the requests of each by what
they are for.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import click
from rich import box
from rich.console import Console
from rich.table import Table

from pyspark_dms import stores
from tests.support.s3_server import LAKE, s3_server

_ROOT = Path(__file__).resolve().parent.parent
_WORK = _ROOT / "bench/work/requests"
_LANDING = "landing"
_RELATION = re.compile(r"warehouse/lake\.db/(\w+)")
_RUNS = {
    "first date": "2020-11-13",
    "second date": "2020-11-14",
    "third date": "2020-11-15",
    "unchanged date": "2020-11-16",
}


def what_for(line: str) -> str:
    """What a request of the log is for: a kind of relation, or the landing area."""
    address = unquote(unquote(line))
    if f"/{_LANDING}" in address:
        return "landing area"
    found = _RELATION.search(address)
    if found is None:
        return "others"
    name = found[1]
    if name.startswith("stg_"):
        return "staging tables"
    if name.endswith(("_snapshot", "_current", "_changes")):
        return "snapshot tables"
    return "metadata"


def upload(folder: Path, prefix: str) -> None:
    """Put the files below a folder into the landing area, under the same names."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with stores.open_for_writing(f"{prefix}/{path.relative_to(folder)}") as target:
                target.write(path.read_bytes())


def main() -> None:
    """Count the requests and print them."""
    if not shutil.which("versitygw"):
        raise click.ClickException("versitygw, which logs each request, is not on the path.")
    shutil.rmtree(_WORK, ignore_errors=True)
    _WORK.mkdir(parents=True)
    console = Console(highlight=False)
    kinds = ("landing area", "metadata", "staging tables", "snapshot tables", "others")
    table = Table("dbt run", *kinds, "all", box=box.SIMPLE)
    with s3_server(_WORK, LAKE, _LANDING) as found:
        environment = os.environ | found
        os.environ.update(found)
        upload(_ROOT / "sample/dms", f"s3://{_LANDING}/dms")
        for name, run_date in _RUNS.items():
            before = len(_log())
            _run(run_date, environment)
            counts = Counter(what_for(line) for line in _log()[before:])
            console.print(f"{name}: {counts.total()} requests")
            table.add_row(name, *(str(counts[kind]) for kind in kinds), str(counts.total()))
    console.print(table)


def _log() -> list[str]:
    return (_WORK / "access.log").read_text(encoding="utf-8").splitlines()


def _run(run_date: str, environment: dict[str, str]) -> None:
    command = [str(Path(sys.executable).with_name("dbt")), "run", "--project-dir", str(_ROOT)]
    command += ["--profiles-dir", str(_ROOT), "--vars", f"{{run_date: {run_date}}}"]
    finished = subprocess.run(
        command,
        cwd=_WORK,
        env=environment
        | {
            "DMS_ROOT": f"s3://{_LANDING}/dms",
            "DMS_LAKE": f"s3://{LAKE}",
            "DBT_TARGET_PATH": str(_WORK / "target"),
            "DBT_LOG_PATH": str(_WORK / "logs"),
            "PYSPARK_PYTHON": sys.executable,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode:
        raise click.ClickException(f"{' '.join(command)} failed:\n{finished.stdout[-2000:]}")


if __name__ == "__main__":
    main()
