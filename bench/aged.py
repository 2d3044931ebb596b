"""What whole commands cost on a lake that has been run for years.

``python -m bench.aged 5 100 1000`` runs the sample for one date, gives each of its tables as many
versions, a day apart, as runs of small merges would have left them in the version log, and lets the
next run publish them. Then it measures commands, each from its start, as `bench.cold` does.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from bench.cold import measure
from bench.sample_commands import ROOT, RUN_DATES, dbt_command
from pyspark_dms.versions import log

_WORK = ROOT / "bench/work/aged"
_TABLE = "employees.employees"


def age(root: str, versions: int) -> date:
    """Commit versions behind those that the tables have, each a merge that changed nothing.

    Args:
        root: the folder of the version log.
        versions: how many each table has then.

    Returns:
        The date of the last one.
    """
    last = date.min
    for label in log.tables(root):
        (found,) = log.read(root, {label: log.Wanted(after=0)}).values()
        if not isinstance(found, log.TableVersions):
            raise found
        manifest = dict(found.manifests[found.newest])
        for number in range(found.newest + 1, versions + 1):
            manifest = _next(manifest, number)
            log.create(root, manifest, f"aged {number}")
        last = max(last, date.fromisoformat(manifest["run_date"]))
    return last


def _next(manifest: dict[str, Any], number: int) -> dict[str, Any]:
    day = date.fromisoformat(manifest["run_date"]) + timedelta(days=1)
    name = f"{day:%Y%m%d}-060000000.parquet"
    return {
        **manifest,
        "version": number, "base_version": number - 1, "current_version": number,
        "action": "merge", "run_date": f"{day}", "restored_version": None,
        "dates": [*manifest["dates"], {"run_date": f"{day}", "version": number}],
        "files": [{"path": f"s3://dms/{manifest['table_name']}/{name}", "etag": "e"}],
        "feed_location": None, "rows_before": manifest["rows_after"],
        "rows_inserted": 0, "rows_updated": 0, "rows_deleted": 0,
    }  # fmt: skip


def commands(day: date) -> dict[str, list[str]]:
    """What is measured, in this order, on a lake whose last date this is."""
    operation = dbt_command("run-operation")
    return {
        "`dbt run`, unchanged date": dbt_command("run", f"{day + timedelta(days=1)}"),
        "`dbt test`, all tests": [*dbt_command("test"), "--vars", "{test_again: true}"],
        "`dms-snapshots docs`": [*_tool("docs")],
        "`vacuum`, dry run": [*operation, "vacuum", "--args", "{select: '*', retention: 30}"],
        "`rollback` of one table": [
            *operation, "rollback", "--args", f"{{select: {_TABLE}, dry_run: false}}"
        ],
    }  # fmt: skip


def _tool(command: str) -> list[str]:
    python = dbt_command("")[0].rpartition("/")[0] + "/python"
    return [python, "-m", "pyspark_dms", command, "--project-dir", str(ROOT)]


def figures(versions: int) -> dict[str, float]:
    """Processor seconds of each command on a lake of that age."""
    work = _WORK / f"{versions}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    measure(dbt_command("run", RUN_DATES["first date"]), work)
    (root,) = (work / "lake").rglob("version_log")
    day = age(str(root), versions)
    measure(dbt_command("run", f"{day}"), work)
    found = {}
    for name, command in commands(day).items():
        found[name] = measure(command, work)[1]
        click.echo(f"{versions} versions, {name}: processor {found[name]:.1f} s")
    return found


@click.command()
@click.argument("versions", nargs=-1, type=int)
def main(versions: Sequence[int]) -> None:
    """Measure commands on lakes of these ages, and print their processor seconds."""
    found = {count: figures(count) for count in versions or (5, 100, 1000)}
    table = Table("Command, processor s", *(f"{count}" for count in found), box=box.SIMPLE)
    for name in commands(date.min):
        table.add_row(name, *(f"{of_age[name]:.1f}" for of_age in found.values()))
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main()
