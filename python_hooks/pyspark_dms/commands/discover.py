"""The command ``discover``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click
from rich import box
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from pyspark_dms.commands.console import console, errors_in_one_line, print_next_steps
from pyspark_dms.commands.options import project_dir_option
from pyspark_dms.counted import counted
from pyspark_dms.discovery.control_tables import TABLES
from pyspark_dms.discovery.declare import Discovered, Discovery, discover, write_declarations
from pyspark_dms.discovery.found import FoundTable
from pyspark_dms.discovery.trial import STOPS
from pyspark_dms.errors import DmsError
from pyspark_dms.project import require_project
from pyspark_dms.quoting import in_one_line, quoted


@click.command("discover")
@click.argument("root")
@click.option(
    "--check", is_flag=True, help="Write nothing; fail if a table is new or its files differ."
)
@project_dir_option
def discover_command(root: str, check: bool, project_dir: Path) -> None:
    """Find the tables under a DMS root and declare those that are new.

    ROOT is the folder that has the schema folders: a local path, s3://bucket/folder, gs:// or
    az://. For each new table it writes models/sources/<schema>/<table>.yml, with active: false.
    The file has the columns, those that DMS added, and a proposal for the key. Declarations that
    are there are compared with the files and never changed.
    """
    with errors_in_one_line():
        require_project(project_dir)
        with console.status(f"Looking at {escape(root)} …"):
            discovery = discover(root, project_dir)
        if not check:
            write_declarations(discovery, project_dir)
        _print_tables(discovery.tables)
        _print_review(discovery)
        _check_read(root, discovery.tables)
        if check and _differs(discovery):
            raise DmsError(
                "E624",
                "The declarations do not follow the files; see above. The same command without "
                "--check declares what is new; a declaration that is there, a person corrects.",
            )
    written = len(discovery.new)
    drifted = sum(bool(table.drift) for table in discovery.tables)
    console.print(
        f"\n{counted(len(discovery.tables), 'table')} found, {written} newly declared, "
        f"{drifted} drifted."
    )
    if written:
        print_next_steps(
            ("models/sources/<schema>/<table>.yml", "confirm the keys, then set active: true"),
            ("dms-snapshots scaffold", "make the models of all declared tables"),
            ("dbt run --vars '{run_date: YYYY-MM-DD}'", "publish the active ones"),
        )


def _check_read(root: str, tables: Sequence[Discovered]) -> None:
    """Fails if nothing could be read, or if this program is at fault; the tables are listed."""
    faults = [table for table in tables if table.is_fault]
    if faults:
        raise DmsError(
            "E625",
            f"{root}: discover failed at {', '.join(one.found.folder for one in faults)}; see "
            "above. The other tables were looked at. Report it with the message above, and "
            "declare these tables by hand.",
        )
    if all(table.shape is None for table in tables):
        raise DmsError(
            "E622",
            f"{root}: none of the tables found ({len(tables)}) can be read; see above. Nothing was "
            "written.",
        )


def _differs(discovery: Discovery) -> bool:
    return bool(
        discovery.new
        or discovery.missing
        or any(table.drift or table.problem for table in discovery.tables)
    )


def _print_tables(tables: Sequence[Discovered]) -> None:
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    shown.add_column("table", overflow="fold")
    for heading in ("loads", "changes", "columns"):
        shown.add_column(heading, justify="right", no_wrap=True)
    shown.add_column("key proposed", overflow="fold")
    shown.add_column("state", no_wrap=True)
    for table in tables:
        key = ", ".join(table.shape.key.columns) if table.shape else ""
        shown.add_row(
            Text(table.label),
            f"{table.found.loads:,}",
            f"{table.found.changes:,}",
            str(len(table.shape.columns)) if table.shape else "",
            Text("" if table.declared else key or "none"),
            _state(table),
        )
    console.print(shown)


def _state(table: Discovered) -> str:
    if table.problem:
        return "[red]refused[/]"
    if table.drift:
        return "[yellow]drifted[/]"
    return "declared" if table.declared else "[green]new[/]"


def _about_control_table(control: FoundTable) -> str:
    """What a control table of DMS is good for."""
    if control.table.lower() in TABLES:
        folder = control.path.rstrip("/").rsplit("/", 1)[0] + "/"
        if not re.fullmatch(r"[\w:/.@+-]+", folder):
            folder = quoted(folder)
        return (
            "DMS writes here what it could not apply: if there are rows, look at its task. To "
            "have dbt test warn of those in files from seven days before run_date on, "
            f"set vars: {{dms_control_tables: {folder}}} in dbt_project.yml"
        )
    return "control tables of DMS: not declared"


def _print_review(discovery: Discovery) -> None:
    """What a person has to look at: what stops a table first, then drift, then decisions."""
    groups: dict[str, list[str]] = {}
    for table in discovery.tables:
        if table.problem:
            groups.setdefault(table.problem, []).append(table.found.folder)
    for table in discovery.tables:
        for drift in table.drift:
            groups.setdefault(drift, []).append(table.label)
    for control in discovery.controls:
        groups.setdefault(_about_control_table(control), []).append(control.folder)
    for unread in discovery.unread:
        what = "not read: no name of a file of DMS, or of a table"
        if unread.empty == unread.count:
            what = "not read: files of 0 bytes, which DMS does not write"
        shown = f"{unread.folder}/{unread.example}"
        more = f" and {unread.count - 1} more" if unread.count > 1 else ""
        groups.setdefault(what, []).append(in_one_line(shown) + more)
    for declared in discovery.missing:
        groups.setdefault("declared, but there are no files", []).append(declared.label)
    new = [table for table in discovery.new if table.decisions]
    ranked = sorted(
        (
            (place, decision, table)
            for table in new
            for place, decision in enumerate(table.decisions)
        ),
        key=lambda entry: (not entry[1].startswith(STOPS), entry[0]),
    )
    for _, decision, table in ranked:
        groups.setdefault(decision, []).append(table.label)
    if not groups:
        return
    console.print("\n[bold]To review[/]")
    for decision, labels in groups.items():
        console.print(f"  [yellow]{escape(decision)}[/]", soft_wrap=True)
        console.print(f"    [dim]{escape(', '.join(sorted(labels)))}[/]", soft_wrap=True)
