"""The command ``report``."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.markup import escape

from pyspark_dms.commands.console import console, errors_in_one_line
from pyspark_dms.commands.options import project_dir_option
from pyspark_dms.run_report import STATES, RunReport, read_run_report, write_run_report

_STYLES = {"failed": "red", "skipped": "yellow", "published": "green"}


@click.command("report")
@project_dir_option
def report_command(project_dir: Path) -> None:
    """Tell what became of each table in the last dbt run, and write it as page and JSON.

    Reads what dbt wrote to target/ and writes target/run_report.html and target/run_report.json
    there. Exit code 1 if a table failed, so that it can stand behind dbt run in a script.
    """
    with errors_in_one_line():
        target_dir = project_dir / os.environ.get("DBT_TARGET_PATH", "target")
        report = read_run_report(target_dir)
        page, data = write_run_report(report, target_dir)
    print_report(report)
    console.print(f"\nWritten: {escape(str(page))} and {escape(data.name)}", soft_wrap=True)
    if not report.succeeded:
        raise SystemExit(1)


def print_report(report: RunReport) -> None:
    """Print what needs attention first; unchanged tables are only counted."""
    for table in report.tables:
        style = _STYLES.get(table.state)
        if style is None:
            continue
        console.print(f"[{style}]{table.state:<9}[/]  {escape(table.table)}", soft_wrap=True)
        if table.reason:
            for line in (*table.reason.splitlines(), table.next_step):
                console.print(f"           [dim]{escape(line)}[/]", soft_wrap=True)
        else:
            console.print(
                f"           [dim]+{table.inserted:,} ~{table.updated:,} -{table.deleted:,}, "
                f"{table.rows:,} rows[/]"
            )
    counts = [f"{report.count(state)} {state}" for state in STATES if report.count(state)]
    console.print(f"\nTables of {report.run_date}: {', '.join(counts)}.")
