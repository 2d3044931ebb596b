"""What whole commands cost: a nightly run starts dbt and Spark, and pays for that each time.

``python -m bench.cold`` runs the sample for three dates, a date without changes, and its tests,
each as a command of its own, on an empty lake. Beside each: wall time, and the processor time of
all processes of this machine meanwhile, so nothing else should run. The floor is what dbt's parse
and a bare Spark session with a Hive metastore cost.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from bench.sample_commands import ROOT, RUN_DATES, dbt_command, run_command

_WORK = ROOT / "bench/work/cold"
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


def measure(
    command: list[str], work: Path = _WORK, environment: Mapping[str, str] | None = None
) -> tuple[float, float]:
    """Run a command as `run_command` does; returns its wall and processor time, in seconds.

    Raises:
        click.ClickException: it failed.
    """
    busy, started = busy_seconds(), time.perf_counter()
    run_command(command, work, environment)
    return time.perf_counter() - started, busy_seconds() - busy


def main() -> None:
    """Measure the commands and print them."""
    shutil.rmtree(_WORK, ignore_errors=True)
    _WORK.mkdir(parents=True)
    commands = {
        "floor: bare Spark session with Hive": [sys.executable, "-c", _BARE_SESSION],
        "floor: dbt parse, nothing parsed before": dbt_command("parse"),
        **{f"dbt run, {name}": dbt_command("run", date) for name, date in RUN_DATES.items()},
        "dbt test": dbt_command("test"),
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
