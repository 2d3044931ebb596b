"""The command ``sample``: the main job on the data that comes with the project."""

from __future__ import annotations

from pathlib import Path

import click

from pyspark_dms.commands.console import console, errors_in_one_line
from pyspark_dms.commands.options import RunDate, project_dir_option, target_option
from pyspark_dms.commands.report import write_report
from pyspark_dms.commands.show import show
from pyspark_dms.dbt_session import DbtSession
from pyspark_dms.scaffold import read_declarations
from pyspark_dms.versions.published import newest_versions


@click.command("sample")
@click.option("--run-date", type=RunDate(), help="Only this date.  [default: every sample date]")
@target_option
@project_dir_option
def sample_command(run_date: str | None, target: str | None, project_dir: Path) -> None:
    """Run dbt for the dates of the sample, compare control totals, and show the result.

    It leaves out dates before the newest published one, for which dbt run would fail.
    """
    with errors_in_one_line():
        dates = [run_date] if run_date else sample_dates(project_dir)
        _check_other_tables(project_dir)
        dbt = DbtSession(project_dir, target)
        published = newest_versions(dbt)
        newest = max((version.run_date for version in published), default="")
        if run_date and run_date < newest and not newest_versions(dbt, run_date):
            raise click.ClickException(
                f"{run_date} was never published, and {newest} is, which dbt run does not go back "
                f"behind. To start from nothing: make clean && RUN_DATE={run_date} make run",
            )
        for date in dates:
            if date < newest:
                console.print(
                    f"[dim]{date}: left as it is, because {newest} is published already "
                    "(make clean removes the lake)[/]",
                    soft_wrap=True,
                )
                continue
            console.print(f"\n[bold]$ dbt run --vars '{{run_date: {date}}}'[/]")
            if not dbt.run(date):
                raise click.ClickException(
                    f"dbt run for {date} failed; see its messages above. What was published before "
                    "is untouched. Fix the cause and run the same command again.",
                )
        # Now, as the data test below takes the place of the records of the run.
        page = write_report(project_dir)[1] if dates[-1] >= newest else None
        for command, problem in (
            (("seed",), "the control totals in seeds/control_totals.csv could not be loaded"),
            (
                ("test", "--select", "test_name:equals_control_totals"),
                "what is published is not what the control totals of the source say",
            ),
        ):
            console.print(f"\n[bold]$ dbt {' '.join(command)}[/]")
            if not dbt.command(*command):
                raise click.ClickException(
                    f"dbt {command[0]} failed: {problem}. See its messages above; what was "
                    "published is untouched. Fix the cause and run the same command again.",
                )
        show(dbt, dates[-1], row_count=3)
        if page:
            console.print(f"\nHow the last run went: {page}", soft_wrap=True)


def _check_other_tables(project_dir: Path) -> None:
    """Where the sample was removed, its dates would be published for a person's own tables."""
    declared = {table.label for table in read_declarations(project_dir)}
    folders = (project_dir / "sample" / "dms").glob("*/*")
    if declared.isdisjoint(f"{folder.parent.name}.{folder.name}" for folder in folders):
        raise click.ClickException(
            "no table of the sample is declared here, and its dates are not those of your tables. "
            "Nothing was run. Run yours with dbt run --vars '{run_date: YYYY-MM-DD}', then "
            "dms-snapshots show.",
        )


def sample_dates(project_dir: Path) -> list[str]:
    """The dates of the sample, oldest first.

    Raises:
        click.ClickException: the sample is not there.
    """
    dates = sorted(path.name for path in (project_dir / "sample" / "expected").glob("*-*-*"))
    if not dates:
        raise click.ClickException(
            f"{project_dir.resolve()} has no sample/expected. Run this in the root of the "
            "repository, or name it with --project-dir.",
        )
    return dates
