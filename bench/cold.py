"""What whole commands cost: a nightly run starts dbt and Spark, and pays for that each time.

``python -m bench.cold`` runs the sample for three dates, a date without changes, and its tests,
each as a command of its own, on an empty lake. Beside each: wall time, and the processor time of
all processes of this machine meanwhile, so nothing else should run. The floor is what dbt's parse
and a bare Spark session with a Hive metastore cost.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.table import Table

_ROOT = Path(__file__).resolve().parent.parent
_WORK = _ROOT / "bench/work/cold"
_TICKS = os.sysconf("SC_CLK_TCK")
_BARE_SESSION = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[*]").enableHiveSupport().getOrCreate()
spark.sql("show tables").collect()
spark.stop()
"""


def busy_seconds() -> float:
    """Processor time that this machine has spent since it started (Linux only)."""
    user, nice, system, _, _, interrupts, soft = map(
        int, Path("/proc/stat").read_text("ascii").split()[1:8]
    )
    return (user + nice + system + interrupts + soft) / _TICKS


def measure(command: list[str]) -> tuple[float, float]:
    """Run a command; returns its wall time and the processor time, both in seconds.

    Raises:
        click.ClickException: it failed.
    """
    environment = {
        "DMS_ROOT": str(_ROOT / "sample/dms"),
        "DMS_LAKE": str(_WORK / "lake"),
        "DBT_TARGET_PATH": str(_WORK / "target"),
        "DBT_LOG_PATH": str(_WORK / "logs"),
        "PYSPARK_PYTHON": sys.executable,
    }
    busy, started = busy_seconds(), time.perf_counter()
    finished = subprocess.run(
        command,
        cwd=_WORK,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - started
    if finished.returncode:
        raise click.ClickException(f"{' '.join(command)} failed:\n{finished.stdout[-2000:]}")
    return wall, busy_seconds() - busy


def main() -> None:
    """Measure the commands and print them."""
    shutil.rmtree(_WORK, ignore_errors=True)
    _WORK.mkdir(parents=True)
    dbt, project = (
        str(Path(sys.executable).with_name("dbt")),
        ["--project-dir", str(_ROOT), "--profiles-dir", str(_ROOT)],
    )

    def run(run_date: str) -> list[str]:
        return [dbt, "run", *project, "--vars", f"{{run_date: {run_date}}}"]

    commands = {
        "floor: bare Spark session with Hive": [sys.executable, "-c", _BARE_SESSION],
        "floor: dbt parse, nothing parsed before": [dbt, "parse", *project],
        "dbt run, first date": run("2020-11-13"),
        "dbt run, second date": run("2020-11-14"),
        "dbt run, third date": run("2020-11-15"),
        "dbt run, unchanged date": run("2020-11-16"),
        "dbt test": [dbt, "test", *project],
    }
    table = Table("Command", "wall s", "processor s", box=box.SIMPLE)
    console = Console(highlight=False)
    for name, command in commands.items():
        wall, busy = measure(command)
        console.print(f"{name}: {wall:.1f} s, processor {busy:.1f} s")
        table.add_row(name, f"{wall:.1f}", f"{busy:.1f}")
    console.print(table)


if __name__ == "__main__":
    main()
