"""The command ``show``: what was published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich import box
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from pyspark_dms.commands.console import console, errors_in_one_line, print_next_steps
from pyspark_dms.commands.options import RunDate, project_dir_option, target_option
from pyspark_dms.counted import counted
from pyspark_dms.dbt_session import DbtSession, Row
from pyspark_dms.versions.published import PublishedVersion, asked_versions, first_rows

# Widths in characters: of a column at most, of the space around it, of what says "3 more …".
_MAX_WIDTH = 26
_PADDING = 2
_MORE_WIDTH = 9
_PARTITIONS = ("snapshot_date", "partition_date")


@click.command("show")
@click.argument("tables", metavar="[TABLE]...", nargs=-1)
@click.option(
    "--run-date",
    type=RunDate(),
    help="The state at the end of this date.  [default: the newest date]",
)
@click.option(
    "--rows",
    "row_count",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="How many rows to show of each table.",
)
@target_option
@project_dir_option
def show_command(
    tables: tuple[str, ...],
    run_date: str | None,
    row_count: int,
    target: str | None,
    project_dir: Path,
) -> None:
    """Show what was published: first rows and counts.

    TABLE is a name such as employees.departments or departments_snapshot. Without a TABLE, all
    tables are shown.
    """
    with errors_in_one_line():
        show(DbtSession(project_dir, target), run_date, row_count, tables)


def show(dbt: DbtSession, run_date: str | None, row_count: int, tables: Sequence[str] = ()) -> None:
    """Print the newest versions up to a date and the first rows of each.

    Args:
        dbt: where to ask.
        run_date: the date, YYYY-MM-DD; None for the newest.
        row_count: how many rows of each table.
        tables: those to show, by source and table name with a dot between, or by the name of
            their snapshot; none for all.

    Raises:
        DmsError: nothing is published up to that date, or not of a table, or dbt could not ask.
    """
    with console.status("Reading the version history …"):
        versions = asked_versions(dbt, run_date, tables)
        rows = first_rows(dbt, versions, row_count) if row_count else []
    for version, found in zip(versions, rows, strict=False):
        _print_title(
            version.snapshot_model,
            f"{version.run_date}, {len(found)} of {counted(version.rows_after, 'row')}",
        )
        console.print(_rows_table(found))
    newest = _newest(versions)
    gap = f"; {run_date} is not published" if run_date not in (None, newest) else ""
    _print_title("Published", f"the state at the end of {newest}{gap}")
    console.print(_counts_table(versions))
    print_next_steps(
        ("dbt test", "check keys, counts, order and completeness"),
        ("dms-snapshots docs", "write pages of tables, columns, lineage and runs"),
        ("dms-snapshots scaffold", "after declaring a table of your own"),
        ("dms-snapshots --help", "all commands"),
    )


def _newest(versions: Sequence[PublishedVersion]) -> str:
    return max(version.run_date for version in versions)


def _print_title(name: str, about: str) -> None:
    console.print(f"\n[bold]{escape(name)}[/]  [dim]{escape(about)}[/]")


def _counts_table(versions: Sequence[PublishedVersion]) -> Table:
    newest = _newest(versions)
    table = _table()
    # So that it fits the 80 columns of an output that is no terminal.
    table.collapse_padding = True
    table.add_column("table", no_wrap=True)
    for heading in ("before", "inserted", "updated", "deleted", "after"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("how", no_wrap=True)
    for version in versions:
        # A table that is behind the others: its last run failed, or did not take it.
        behind = f"[yellow], on {version.run_date}[/]" if version.run_date != newest else ""
        table.add_row(
            f"{version.source_name}.[bold]{version.table_name}[/]",
            f"{version.rows_before:,}",
            _count(version.rows_inserted, "green"),
            _count(version.rows_updated, "yellow"),
            _count(version.rows_deleted, "red"),
            f"{version.rows_after:,}",
            version.action + behind,
        )
    return table


def _count(count: int, style: str) -> str:
    return f"[{style}]{count:,}[/]" if count else "[dim]0[/]"


def _rows_table(rows: Sequence[Row]) -> Table:
    table = _table()
    # The date is in the title.
    names = [name for name in (rows[0] if rows else ()) if name not in _PARTITIONS]
    widths = [_width(name, rows) for name in names]
    for number, name in enumerate(names):
        if sum(widths[: number + 1]) > console.width - _MORE_WIDTH:
            table.add_column(f"{len(names) - number} more …", style="dim")
            break
        table.add_column(escape(name), no_wrap=True, max_width=_MAX_WIDTH, overflow="ellipsis")
    for row in rows:
        shown = [_value(row[name]) for name in names[: len(table.columns)]]
        table.add_row(*shown[: sum(column.no_wrap for column in table.columns)])
    return table


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)


def _width(name: str, rows: Sequence[Row]) -> int:
    cells = [Text(name), *(_value(row[name]) for row in rows)]
    return min(max(cell.cell_len for cell in cells), _MAX_WIDTH) + _PADDING


def _value(value: object) -> Text:
    return Text("NULL", style="dim italic") if value is None else Text(str(value))
