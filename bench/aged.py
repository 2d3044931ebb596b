"""What whole commands cost on a lake that has been run for years.

``python -m bench.aged 5 100 1000`` runs the sample for one date, gives each of its tables as many
versions, a day apart, as runs of small merges would have left them in the version log, and lets the
next run publish them. Then it measures commands, each from its start, as `bench.cold` does. With
``--s3`` the lake is behind an S3 API on loopback, and requests are counted.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import obstore
from obstore.store import S3Store
from rich import box
from rich.console import Console
from rich.table import Table

from bench.cold import measure
from bench.sample_commands import ROOT, RUN_DATES, dbt_command
from pyspark_dms.versions import log
from tests.support.s3_server import LAKE, requests_of, s3_server

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
            manifest = _next(manifest, number, versions)
            log.create(root, manifest, f"aged {number}")
        last = max(last, date.fromisoformat(manifest["run_date"]))
    return last


def _next(manifest: dict[str, Any], number: int, versions: int) -> dict[str, Any]:
    finished = datetime.now(UTC) - timedelta(days=versions - number)
    day = date.fromisoformat(manifest["run_date"]) + timedelta(days=1)
    name = f"{day:%Y%m%d}-060000000.parquet"
    return {
        **manifest,
        "version": number, "base_version": number - 1, "current_version": number,
        "action": "merge", "run_date": f"{day}", "restored_version": None,
        "dates": [*manifest["dates"], {"run_date": f"{day}", "version": number}],
        "files": [{"path": f"s3://dms/{manifest['table_name']}/{name}", "etag": "e"}],
        "started_at": f"{finished:%F %T.%f}", "finished_at": f"{finished:%F %T.%f}",
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


def figures(versions: int, on_s3: bool) -> dict[str, tuple[float, int]]:
    """Processor seconds and requests of each command on a lake of that age."""
    work = _WORK / f"{versions}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    with ExitStack() as opened:
        os.environ.update(opened.enter_context(s3_server(work, LAKE)) if on_s3 else {})
        environment = {"DMS_LAKE": f"s3://{LAKE}"} if on_s3 else {}
        measure(dbt_command("run", RUN_DATES["first date"]), work, environment)
        day = age(_log_root(work, on_s3), versions)
        measure(dbt_command("run", f"{day}"), work, environment)
        found = {}
        for name, command in commands(day).items():
            before = len(requests_of(work)) if on_s3 else 0
            _, seconds = measure(command, work, environment)
            asked = len(requests_of(work)) - before if on_s3 else 0
            found[name] = seconds, asked
            click.echo(f"{versions} versions, {name}: {seconds:.1f} processor s, {asked} requests")
    return found


def _log_root(work: Path, on_s3: bool) -> str:
    lake = work / "lake"
    if not on_s3:
        return f"{next(lake.rglob('version_log'))}"
    store = S3Store(LAKE, client_options={"allow_http": True})
    paths = (one["path"] for batch in obstore.list(store) for one in batch)
    inside, folder, _ = next(one for one in paths if "/version_log/" in one).partition(
        "version_log"
    )
    return f"s3://{LAKE}/{inside}{folder}"


@click.command()
@click.argument("versions", nargs=-1, type=int)
@click.option("--s3", "on_s3", is_flag=True, help="A lake behind an S3 API on loopback.")
def main(versions: Sequence[int], on_s3: bool) -> None:
    """Measure commands on lakes of these ages, and print processor seconds (and requests)."""
    found = {count: figures(count, on_s3) for count in versions or (5, 100, 1000)}
    table = Table("Command", *(f"{count}" for count in found), box=box.SIMPLE)
    for name in commands(date.min):
        told = (of_age[name] for of_age in found.values())
        table.add_row(name, *(f"{s:.1f}; {asked}" if on_s3 else f"{s:.1f}" for s, asked in told))
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main()
