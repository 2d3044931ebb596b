"""The command ``delete-table-versions``: old versions of tables in AWS Glue."""

from __future__ import annotations

import click
from rich.markup import escape

from pyspark_dms.aws.table_versions import TableVersions, delete_table_versions, glue_client
from pyspark_dms.commands.console import console, errors_in_one_line
from pyspark_dms.counted import counted
from pyspark_dms.errors import DmsError


@click.command("delete-table-versions")
@click.option(
    "--schema",
    envvar="DMS_SCHEMA",
    default="lake",
    show_default=True,
    show_envvar=True,
    help="The Glue database.",
)
@click.option(
    "--keep",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="How many of the newest versions of each table stay.",
)
@click.option(
    "--dry-run/--no-dry-run",
    default=True,
    show_default=True,
    help="Only say what would be deleted. With --no-dry-run it is deleted.",
)
def delete_table_versions_command(schema: str, keep: int, dry_run: bool) -> None:
    """Delete old versions of the tables in AWS Glue.

    Glue keeps a version for each change of a table, 100,000 at most. These are not the versions
    of this project, and no data is deleted.
    """
    with errors_in_one_line():
        done = "would be deleted" if dry_run else "deleted"
        tables = []
        for one in delete_table_versions(glue_client(), schema, keep, dry_run):
            tables.append(one)
            _print(one, done)
        left = sum(len(one.errors) for one in tables)
        old = sum(one.old for one in tables)
        console.print(
            f"{counted(len(tables), 'table')} in {escape(schema)}: {old - left} of "
            f"{counted(sum(one.found for one in tables), 'version')} {done}",
            soft_wrap=True,
        )
        if dry_run and old:
            console.print(
                "Nothing was deleted. To delete them: dms-snapshots "
                f"delete-table-versions --schema {escape(schema)} --keep {keep} --no-dry-run",
                soft_wrap=True,
            )
        if left:
            raise DmsError(
                "E670",
                f"Not deleted: {counted(left, 'version')}; the lines above say why. "
                "Give the command again once that is corrected.",
            )


def _print(one: TableVersions, done: str) -> None:
    if one.old:
        console.print(
            f"{escape(one.table)}: {one.old - len(one.errors)} of "
            f"{counted(one.found, 'version')} {done}",
            soft_wrap=True,
        )
    for error in one.errors:
        console.print(f"[red]{escape(one.table)}, {escape(error)}[/]", soft_wrap=True)
