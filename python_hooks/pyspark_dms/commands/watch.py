"""The commands ``watch`` and ``trigger-zip``: runs that start when files land."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import click
from rich.markup import escape

import pyspark_dms
from pyspark_dms.aws.events import WatchedTable, tables_json
from pyspark_dms.aws.watch import Watch
from pyspark_dms.commands.console import console, errors_in_one_line
from pyspark_dms.commands.options import RunDate, project_dir_option, target_option
from pyspark_dms.counted import counted
from pyspark_dms.dbt_session import DbtSession
from pyspark_dms.declared import METADATA_MODELS, watched_tables
from pyspark_dms.discovery.found import listable
from pyspark_dms.errors import DmsError
from pyspark_dms.project import require_project

# All that the function needs; boto3 is there in AWS Lambda.
_LAMBDA_MODULES = (
    "__init__.py",
    "aws/__init__.py",
    "aws/emr.py",
    "aws/events.py",
    "landing/__init__.py",
    "landing/file_names.py",
)


@click.command("watch")
@click.argument("root")
@click.option("--interval", default=10.0, show_default=True, help="Seconds between two listings.")
@click.option(
    "--once",
    is_flag=True,
    help="List once, run every table that has files, then end. All files count as new.",
)
@click.option("--run-date", type=RunDate(), help="Date of the runs.  [default: today, in UTC]")
@target_option
@project_dir_option
def watch_command(
    root: str,
    interval: float,
    once: bool,
    run_date: str | None,
    target: str | None,
    project_dir: Path,
) -> None:
    """Run the tables under ROOT whenever files of theirs land, until Ctrl-C.

    ROOT is the DMS root, as the declarations have it. Only active tables are run, one dbt run at a
    time. On AWS a function does this: docs/how-to/emr.md.
    """
    with errors_in_one_line():
        dbt = DbtSession(project_dir, target)
        top = listable(root)
        tables = [
            one
            for one in watched_tables(project_dir)
            if any(path.startswith(top) for path in one.paths)
        ]
        if not tables:
            raise DmsError(
                "E630",
                f"No active table is declared under {top}. Declare some with: "
                f"dms-snapshots discover {root}",
            )

        failed = False

        def run(concerned: Sequence[WatchedTable]) -> bool:
            nonlocal failed
            models = [model for table in concerned for model in table.models]
            failed = not dbt.run(run_date, [METADATA_MODELS, *models])
            return not failed

        watch = Watch(tables, run, lambda text: console.print(escape(text), soft_wrap=True))
        console.print(
            f"Watching {counted(len(tables), 'table')} under {escape(top)}", soft_wrap=True
        )
        if once:
            watch.look()
            if failed:
                raise DmsError("E602", "The run failed; see its messages above.")
            return
        try:
            for _ in watch.forever(interval):
                pass
        except KeyboardInterrupt:
            console.print("Ended. What landed meanwhile is taken by the next run.")


@click.command("trigger-zip")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("target/trigger.zip"),
    show_default=True,
    help="File to write.",
)
@project_dir_option
def trigger_zip_command(output: Path, project_dir: Path) -> None:
    """Pack the AWS Lambda function that starts runs, with the tables it knows.

    It knows the active tables on s3://. The command names the tables that it leaves out. Pack and
    deploy it again when you declare tables or switch them on.
    """
    with errors_in_one_line():
        require_project(project_dir)
        active = watched_tables(project_dir, all_known=True)
        tables = [one for one in active if all(path.startswith("s3") for path in one.paths)]
        if not tables:
            raise DmsError(
                "E630",
                "No active table lies on s3://, so there is nothing to trigger. Is DMS_ROOT set "
                "to the address of the bucket?",
            )
    package = Path(pyspark_dms.__file__).parent
    output.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in _LAMBDA_MODULES:
            packed.write(package / name, f"pyspark_dms/{name}")
        packed.writestr("pyspark_dms/aws/tables.json", tables_json(tables))
    for one in active:
        if one not in tables:
            console.print(
                f"[yellow]left out[/]  {escape(one.label)}: {escape(one.path)} is not on s3://",
                soft_wrap=True,
            )
    console.print(f"{escape(str(output))}: {counted(len(tables), 'table')}", soft_wrap=True)
