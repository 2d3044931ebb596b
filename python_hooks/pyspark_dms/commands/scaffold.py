"""The command ``scaffold``."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

import click
from rich.markup import escape

from pyspark_dms.commands.console import console, errors_in_one_line, print_next_steps
from pyspark_dms.commands.options import project_dir_option
from pyspark_dms.counted import counted
from pyspark_dms.errors import DmsError
from pyspark_dms.project import require_project
from pyspark_dms.scaffold import (
    MANY_PARTITIONS_A_YEAR,
    Drift,
    find_drift,
    read_declarations,
    scaffold,
)


@click.command("scaffold")
@click.option("--check", is_flag=True, help="Write nothing; fail if a file would change.")
@project_dir_option
def scaffold_command(check: bool, project_dir: Path) -> None:
    """Make the models and data tests of every declared table.

    A table is declared by one file, models/sources/<schema>/<table>.yml. Where the macros are a
    package, it may be any file below the models. For each table it writes:

    * models/staging/<schema>/stg_<schema>__<table>.sql

    * models/snapshots/<schema>/<table>_snapshot.sql

    * models/snapshots/<schema>/<table>_changes.sql, with change_feed: true

    * models/snapshots/<schema>/_<table>__models.yml
    """
    with errors_in_one_line():
        require_project(project_dir)
        tables = read_declarations(project_dir)
        if check:
            _report(find_drift(project_dir))
            console.print(
                f"The files made from {counted(len(tables), 'declared table')} are up to date. "
                "Whether a declaration is right, dbt run tells before it reads a file of its table."
            )
            return
        written = scaffold(project_dir)
        stray = find_drift(project_dir).stray
    for path in written:
        console.print(f"[green]wrote[/]  {escape(str(path.relative_to(project_dir)))}")
    files = f"{counted(len(written), 'file')} written" if written else "nothing to write"
    console.print(f"{counted(len(tables), 'declared table')}: {files}.")
    if inactive := [table.label for table in tables if not table.active]:
        some = ", ".join(inactive[:5]) + (", …" if len(inactive) > 5 else "")
        console.print(
            f"Not run yet: {len(inactive)} ({escape(some)}). Set active: true, once the "
            "declaration has been looked at.",
            soft_wrap=True,
        )
    for table in tables:
        if table.partitions_a_year > MANY_PARTITIONS_A_YEAR:
            console.print(
                f"[yellow]warning[/]  {escape(table.label)}: with history and a partition per day "
                f"of {escape(str(table.partition_date))}, ten years of dates make "
                f"{table.partitions_a_year:,} partitions a year. partition_granularity: month "
                "makes 43,800, history: false none.",
                soft_wrap=True,
            )
    if stray:
        with errors_in_one_line():
            raise DmsError(
                "E114",
                "No declaration asks for these files, and dbt does not run with an undeclared "
                "table:\n"
                + "\n".join(_lines("stray", stray))
                + "\nDeclare their tables, or remove the files:\n  rm "
                + " ".join(shlex.quote(str(path)) for path in stray),
            )
    print_next_steps(
        ("dbt run --vars '{run_date: YYYY-MM-DD}'", "publish the state at the end of that date"),
        ("dbt test", "keys, counts, order and completeness of every table"),
    )


def _report(drift: Drift) -> None:
    if not drift:
        return
    lines = [
        *_lines("missing", drift.missing),
        *_lines("different", drift.different),
        *_lines("stray", drift.stray),
    ]
    if drift.missing or drift.different:
        lines.append("Way out: dms-snapshots scaffold, then commit what it wrote.")
    if drift.stray:
        lines.append("Stray files belong to no declared table: declare it, or remove them.")
    raise DmsError("E114", "Generated files do not follow the declarations:\n" + "\n".join(lines))


def _lines(kind: str, paths: Iterable[Path]) -> list[str]:
    return [f"  {kind:<10} {path}" for path in paths]
