"""The command ``report``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click
from rich.markup import escape

from pyspark_dms.commands.console import console, errors_in_one_line
from pyspark_dms.commands.options import project_dir_option
from pyspark_dms.counted import counted
from pyspark_dms.errors import DmsError
from pyspark_dms.pages.run_report import (
    STATES,
    RunReport,
    TableReport,
    read_run_report,
    write_run_report,
)
from pyspark_dms.secrets import without_secrets

_STYLES = {
    "failed": "red",
    "skipped": "yellow",
    "warning": "yellow",
    "published": "green",
    "staged": "cyan",
}


@click.command("report")
@click.option(
    "--copy-to", help="Also put both files into this folder: a local path, s3://, gs:// or az://."
)
@project_dir_option
def report_command(copy_to: str | None, project_dir: Path) -> None:
    """Say what the last dbt run did with each table, and write it as a page and as JSON.

    It reads what dbt wrote to target/, and writes target/run_report.html and
    target/run_report.json. The exit code is 1 if a table failed, for use in scripts.
    """
    with errors_in_one_line():
        report, page, data = write_report(project_dir)
        if copy_to:
            _copy((page, data), copy_to)
    print_report(report)
    console.print(f"\nWritten: {escape(str(page))} and {escape(data.name)}", soft_wrap=True)
    if not report.succeeded:
        raise SystemExit(1)


def write_report(project_dir: Path) -> tuple[RunReport, Path, Path]:
    """Write the report of the last run; gives it, its page and its JSON.

    Raises:
        DmsError: the last command of dbt was no run.
    """
    target_dir = project_dir / os.environ.get("DBT_TARGET_PATH", "target")
    report = read_run_report(target_dir, project_dir / os.environ.get("DBT_LOG_PATH", "logs"))
    return (report, *write_run_report(report, target_dir))


def _copy(files: Iterable[Path], folder: str) -> None:
    # Imported here: who copies nothing need not wait for it.
    from obstore.exceptions import BaseError

    from pyspark_dms.stores import open_for_writing, problem_text

    for file in files:
        path = f"{folder.rstrip('/')}/{file.name}"
        try:
            with open_for_writing(path) as copy:
                copy.write(file.read_bytes())
        except (BaseError, OSError, ValueError, DmsError) as problem:  # of any kind of address
            reason = without_secrets(problem_text(problem))
            raise DmsError(
                "E603",
                f"The report is in {file}, but could not be put in {path}: {reason}. "
                "Fix the cause, or leave --copy-to out.",
            ) from problem


def print_report(report: RunReport) -> None:
    """Print what needs attention first; unchanged tables are only counted."""
    for table in report.tables:
        if table.reason:
            _print_table(table, table.state, *table.reason.splitlines(), table.next_step)
    for table in report.tables:
        for warning in table.warnings:
            _print_table(table, "warning", warning)
    for table in report.tables:
        if table.state == "published":
            counts = f"+{table.inserted:,} ~{table.updated:,} -{table.deleted:,}"
            _print_table(table, table.state, f"{counts}, {counted(table.rows or 0, 'row')}")
        elif table.state == "staged":
            _print_table(table, table.state)
    states = [f"{report.count(state)} {state}" for state in STATES if report.count(state)]
    if warnings := sum(len(table.warnings) for table in report.tables):
        states.append(f"warnings: {warnings}")
    console.print(f"\nTables of {report.run_date}: {', '.join(states)}.")


def _print_table(table: TableReport, heading: str, *lines: str) -> None:
    style = _STYLES[heading]
    console.print(f"[{style}]{heading:<9}[/]  {escape(table.table)}", soft_wrap=True)
    for line in lines:
        console.print(f"           [dim]{escape(line)}[/]", soft_wrap=True)
