"""The command ``compare``: whether the lake equals its source."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from pyspark_dms.commands.console import console
from pyspark_dms.commands.options import RunDate, project_dir_option, target_option
from pyspark_dms.compare.comparison import Settings
from pyspark_dms.compare.source import Limits, Source, open_source
from pyspark_dms.compare.tables import (
    TableOutcome,
    compare_table,
    key_text,
    outcome_json,
    read_pair,
)
from pyspark_dms.compare.totals import totals_sql
from pyspark_dms.compare.waiting import read_declared
from pyspark_dms.counted import counted
from pyspark_dms.dbt_session import DbtSession
from pyspark_dms.errors import DmsError
from pyspark_dms.pages.render import render
from pyspark_dms.secrets import without_secrets
from pyspark_dms.versions.published import PublishedVersion, asked_versions

_DIFFERENT, _NOT_COMPARED = 1, 2
_STYLES = {"equal": "green", "different": "red", "not compared": "yellow"}


class _NotCompared(click.ClickException):
    exit_code = _NOT_COMPARED


class SourceTable(click.ParamType[tuple[str, str]]):
    """A table of the source as SCHEMA.TABLE."""

    name = "SCHEMA.TABLE"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Cut it at the first dot. Fails with click's usage error."""
        schema, dot, table = str(value).partition(".")
        if not (schema and dot and table):
            self.fail(f"'{value}' is no table; allowed is SCHEMA.TABLE, for example public.people.")
        return schema, table


@click.command("compare")
@click.argument("tables", metavar="[TABLE]...", nargs=-1)
@click.option(
    "--run-date",
    type=RunDate(),
    help="What was published up to this date; with --print-sql, the date of the totals.  "
    "[default: the newest date]",
)
@click.option(
    "--source-table",
    type=SourceTable(),
    help="Name of the one TABLE at the source.  [default: as declared]",
)
@click.option("--shard", help="One TABLE with several folders: its shard at this source.")
@click.option(
    "--ignore", multiple=True, metavar="COLUMN", help="Leave this column out; can be repeated."
)
@click.option(
    "--wait", type=click.FloatRange(0), default=90, show_default=True, metavar="SECONDS",
    help="How long DMS may take from a change to its file; 0: do not look twice.",
)  # fmt: skip
@click.option("--threads", type=click.IntRange(1), default=2, show_default=True,
              help="How many queries the source answers at a time.")  # fmt: skip
@click.option("--pause", type=click.FloatRange(0), default=0, show_default=True, metavar="SECONDS",
              help="Pause of each thread after a query.")  # fmt: skip
@click.option("--range-size", type=click.IntRange(1000), default=100_000, show_default=True,
              help="How many rows a query of the source reads.")  # fmt: skip
@click.option("--max-rows", type=click.IntRange(1), default=1_000_000, show_default=True,
              help="Check at most so many rows one by one.")  # fmt: skip
@click.option("--sample", type=click.IntRange(0), default=10, show_default=True,
              help="How many keys of each kind to show.")  # fmt: skip
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False),
              help="Also write the result to this file, as JSON.")  # fmt: skip
@click.option("--page", type=click.Path(path_type=Path, dir_okay=False),
              help="Also write the result to this file, as a page.")  # fmt: skip
@click.option("--print-sql", is_flag=True,
              help="Compare nothing; print the query for control totals.")  # fmt: skip
@target_option
@project_dir_option
def compare_command(
    tables: tuple[str, ...],
    run_date: str | None,
    source_table: tuple[str, str] | None,
    shard: str | None,
    ignore: tuple[str, ...],
    wait: float,
    threads: int,
    pause: float,
    range_size: int,
    max_rows: int,
    sample: int,
    json_file: Path | None,
    page: Path | None,
    print_sql: bool,
    target: str | None,
    project_dir: Path,
) -> None:
    """Compare published tables with the database that they come from.

    TABLE is a name such as employees.departments or departments_snapshot. Without a TABLE, all
    published tables are compared. The address of the source is in DMS_SOURCE_URL, such as
    mysql://reader@db.example.com:3306 or postgresql://reader@db.example.com/shop. Its password is
    in DMS_SOURCE_PASSWORD.

    Exit code 0: equal. 1: rows differ. 2: something could not be compared.
    """
    for option, is_given in (("--source-table", source_table), ("--shard", shard is not None)):
        if is_given and len(tables) != 1:
            raise click.UsageError(f"{option} is for one TABLE; name that table too.")
    if print_sql and shard is not None:
        raise click.UsageError(
            "Control totals are of all folders of a table, so --print-sql takes no --shard. "
            "Where one source has the rows of all, give --ignore and the shard column instead."
        )
    try:
        source = open_source(Limits(threads, pause, range_size))
        try:
            dbt = DbtSession(project_dir, target)
            with _status("Reading the version history …"):
                versions = asked_versions(dbt, run_date, tables)
            _check_ignored(dbt, versions, ignore)
            if print_sql:
                _print_sql(dbt, source, versions, source_table, ignore, run_date)
                return
            outcomes = []
            settings = Settings(wait, range_size, max_rows)
            for version in versions:
                asked = (source_table, ignore, shard)
                outcomes.append(_compare(dbt, source, version, *asked, settings))
                _print(outcome_json(outcomes[-1], sample))
        finally:
            source.close()
        report = [outcome_json(outcome, sample) for outcome in outcomes]
        if json_file:
            _write(json_file, json.dumps({"tables": report}, indent=2, ensure_ascii=False) + "\n")
        if page:
            _write(page, render("comparison.html", tables=report, key_text=key_text))
    except DmsError as error:
        raise _NotCompared(str(error)) from error
    states = {outcome.state for outcome in outcomes}
    if states != {"equal"}:
        raise SystemExit(_NOT_COMPARED if "not compared" in states else _DIFFERENT)


def _check_ignored(
    dbt: DbtSession, versions: Sequence[PublishedVersion], ignored: Sequence[str]
) -> None:
    """Refuse a name that no table has: what was misspelt would be compared all the same."""
    left = {name.lower(): name for name in ignored}
    for version in versions if ignored else ():
        try:
            declared = read_declared(dbt, f"{version.source_name}.{version.table_name}")
        except DmsError:
            # The comparison of this table names the problem; its columns are not known here.
            return
        for column in declared.settings.columns:
            left.pop(column.name.lower(), None)
    if left:
        raise DmsError(
            "E652",
            f"--ignore {next(iter(left.values()))}: no table that is compared has such a column. "
            "Nothing was compared. Write the column as it is declared.",
        )


def _compare(
    dbt: DbtSession,
    source: Source,
    version: PublishedVersion,
    relation: tuple[str, str] | None,
    ignored: Sequence[str],
    shard: str | None,
    settings: Settings,
) -> TableOutcome:
    label = f"{version.source_name}.{version.table_name}"
    started, asked = time.monotonic(), source.queries
    named = ".".join(relation or (version.source_name, version.table_name))
    known: dict[str, Any] = {
        "table": label, "run_date": version.run_date, "relation": named, "shard": shard or "",
    }  # fmt: skip
    try:
        with _progress(label) as progress:
            pair = read_pair(dbt, source, label, relation, ignored, shard)
            found = compare_table(dbt, source, version, pair, settings, progress)
    except DmsError as problem:
        reason = without_secrets(str(problem))
        return TableOutcome(**known, state="not compared", reason=reason)
    if found.is_equal:
        state, reason = "equal", ""
    elif found.differences or found.rows_unread:
        state, reason = "different", ""
    else:
        state = "not compared"
        reason = (
            f"more keys differ than were looked at ({found.keys_unread:,} more), and those wait"
        )
    return TableOutcome(
        **known,
        state=state,  # type: ignore[arg-type]
        reason=reason,
        keys=tuple(key.name for key in pair.table.keys),
        comparison=found,
        undeclared=pair.undeclared,
        ignored=tuple(ignored),
        queries=source.queries - asked,
        seconds=time.monotonic() - started,
    )


def _print_sql(
    dbt: DbtSession,
    source: Source,
    versions: Sequence[PublishedVersion],
    relation: tuple[str, str] | None,
    ignored: Sequence[str],
    run_date: str | None,
) -> None:
    dialect = source.dialect
    for version in versions:
        label = f"{version.source_name}.{version.table_name}"
        pair = read_pair(dbt, source, label, relation, ignored)
        sql = totals_sql(
            dialect,
            ".".join(map(dialect.quoted, pair.relation)),
            (version.source_name, version.table_name),
            # Totals are taken at the end of a date, which often still waits for its run.
            run_date or version.run_date,
            pair.table.columns,
        )
        # As it is, for a file or a client: nothing wraps or colours it.
        click.echo(f"{sql};\n")


def _print(report: Mapping[str, Any]) -> None:
    state = report["state"]
    shard = f", shard {report['shard']}" if report["shard"] else ""
    console.print(
        f"\n[bold]{escape(report['table'] + shard)}[/]  [{_STYLES[state]}]{state}[/]  "
        f"[dim]{report['run_date']}, {escape(report['source_table'])}, {report['seconds']:g} s, "
        f"queries: {report['queries_of_source']}[/]",
        soft_wrap=True,
    )
    if report["reason"]:
        console.print(escape(report["reason"]), soft_wrap=True)
    if "rows_here" not in report:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    names = ("rows_here", "rows_there", "only_here", "only_there", "different", "waiting")
    for name in names:
        table.add_column(name.replace("_", " "), justify="right", no_wrap=True)
    table.add_row(*(f"{report[name]:,}" for name in names))
    console.print(table)
    for column, count in report["columns_different"].items():
        console.print(f"  {escape(column)} differs in {counted(count, 'row')}", soft_wrap=True)
    keys = ", ".join(report["key_columns"])
    for name in ("only_here", "only_there", "waiting"):
        for key in report["sample"][name]:
            heading = name.replace("_", " ")
            console.print(
                f"  [dim]{heading}:[/] {escape(f'{keys} = {key_text(key)}')}", soft_wrap=True
            )
    for one in report["sample"]["different"]:
        where = escape(f"{keys} = {key_text(one['key'])}: {', '.join(one['columns'])}")
        console.print(f"  [dim]different:[/] {where}", soft_wrap=True)
    for name, what in (("keys_not_looked_at", "keys"), ("rows_not_looked_at", "rows")):
        if report[name]:
            console.print(
                f"  [yellow]{report[name]:,} more {what} are in parts that differ, and were not "
                "looked at: the counts are the least there is.[/]",
                soft_wrap=True,
            )


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise DmsError(
            "E603", f"{file} could not be written: {problem.strerror}. Name another file."
        ) from problem
    console.print(f"Written: {escape(str(file))}", soft_wrap=True)


def _status(text: str) -> Any:
    return Console(stderr=True).status(text)


@contextmanager
def _progress(label: str) -> Iterator[Callable[[str, int, int], None]]:
    """A bar on stderr, so that what is found can be kept apart from it."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=f"{label}: {what}", completed=done, total=total)

        yield show
