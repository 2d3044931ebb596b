"""The command ``plan``: what the next run would do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.markup import escape
from rich.table import Table

from pyspark_dms.commands.console import console, print_next_steps
from pyspark_dms.commands.options import RunDate, project_dir_option, target_option
from pyspark_dms.counted import counted
from pyspark_dms.dbt_session import DbtSession
from pyspark_dms.errors import DmsError

_WOULD_FAIL = 2
_STYLES = {"refused": "red", "none": "dim", "not active": "dim", "alter": "yellow"}


class _NotPlanned(click.ClickException):
    exit_code = _WOULD_FAIL


@click.command("plan")
@click.option("--run-date", type=RunDate(), help="The date of the run.  [default: today, in UTC]")
@click.option(
    "--select",
    multiple=True,
    metavar="TABLE",
    help="source.table, source.*, <table>_snapshot or tag:<tag>; can be repeated.  [default: all]",
)
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False),
              help="Also write the plans to this file, as JSON.")  # fmt: skip
@target_option
@project_dir_option
def plan_command(
    run_date: str | None,
    select: tuple[str, ...],
    json_file: Path | None,
    target: str | None,
    project_dir: Path,
) -> None:
    """Say what the next run would do with each table, and change nothing.

    It lists the files of DMS and reads the version history, as the run does. What only the rows of
    a file can tell, such as a value that does not fit its type, the run finds.

    Exit code 0: all tables can be run. 2: one or more would fail.
    """
    try:
        with console.status("Listing the files of DMS and reading the version history …"):
            plans = read_plans(DbtSession(project_dir, target), run_date, select)
        if json_file:
            json_file.write_text(json.dumps({"tables": plans}, indent=2) + "\n", encoding="utf-8")
    except DmsError as error:
        raise _NotPlanned(str(error)) from error
    except OSError as problem:
        raise _NotPlanned(
            f"{json_file} could not be written: {problem.strerror}. Name another file."
        ) from problem
    _print(plans)
    if any(plan.get("errors") for plan in plans):
        raise SystemExit(_WOULD_FAIL)


def read_plans(
    dbt: DbtSession, run_date: str | None, select: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """What a run would do with each selected table; the fields are those of the macro print_plans.

    Raises:
        DmsError: dbt could not ask, or ``select`` names no table.
    """
    variables = {"run_date": run_date} if run_date else {}
    plans: list[dict[str, Any]] = dbt.call(
        "print_plans", variables=variables, select=list(select) or "*"
    )
    return plans


def what_happens(plan: Mapping[str, Any]) -> str:
    """What a run would do with a table, in a few words."""
    base = plan.get("base_version")
    match plan["action"]:
        case "merge":
            return f"changes onto version {base} → version {plan['version']}"
        case "build":
            loads = counted(plan["load_files"], "full load file")
            return f"built from {loads} and later changes → version {plan['version']}"
        case "alter":
            return f"another declaration, same rows → version {plan['version']}"
        case "none":
            return f"{plan['run_date']} shows version {base}, without a new one"
        case "refused":
            return "fails; nothing of it is published"
        case _:
            return "left out"


def _print(plans: Sequence[Mapping[str, Any]]) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("table", "action", "files", "rows", "MiB", "what happens"):
        number = name in ("files", "rows", "MiB")
        table.add_column(name, justify="right" if number else "left", overflow="fold")
    for plan in plans:
        style = _STYLES.get(plan["action"], "green")
        waits = plan.get("files")
        rows = plan.get("rows")
        table.add_row(
            escape(plan["table"]),
            f"[{style}]{plan['action']}[/]",
            f"{waits:,}" if waits else "",
            (f"{rows:,}" if rows is not None else "?") if waits else "",
            f"{plan['bytes'] / 2**20:,.1f}" if waits else "",
            what_happens(plan),
        )
    console.print(table)
    for plan in plans:
        for what, advice in plan.get("warnings", ()):
            text = escape(f"{plan['table']}: {what}. {advice}")
            console.print(f"[yellow]warning[/]  {text}", soft_wrap=True)
        for error in plan.get("errors", ()):
            console.print(f"[red]error[/]  {escape(error)}", soft_wrap=True)
    failing = sum(bool(plan.get("errors")) for plan in plans)
    waiting = sum(bool(plan.get("files")) for plan in plans)
    console.print(
        f"\n{counted(len(plans), 'table')}: {waiting} with new files, {failing} would fail. "
        "Nothing was changed.",
        soft_wrap=True,
    )
    if not failing:
        print_next_steps(("dbt run", "do this"))
