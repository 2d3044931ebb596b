"""The command ``docs``."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.markup import escape

from pyspark_dms.commands.console import console, errors_in_one_line
from pyspark_dms.commands.options import project_dir_option, target_option
from pyspark_dms.counted import counted
from pyspark_dms.dbt_session import DbtSession
from pyspark_dms.errors import DmsError
from pyspark_dms.pages.documentation import GUIDE, write_documentation
from pyspark_dms.pages.run_report import RunReport, read_run_report
from pyspark_dms.pages.table_records import read_table_records


@click.command("docs")
@target_option
@project_dir_option
def docs_command(target: str | None, project_dir: Path) -> None:
    """Write the documentation as static pages to target/docs/: open index.html there.

    There is dbt's own page, with overview, columns and lineage. Each table has a page with its
    facts, runs, counts over time, versions and open rejects. The pages need no server and load
    nothing from elsewhere.
    """
    with errors_in_one_line():
        dbt = DbtSession(project_dir, target)
        if not dbt.generate_docs():
            raise DmsError(
                "E602",
                "dbt docs generate failed; see its messages above. Fix the cause and run the same "
                "command again.",
            )
        manifest = json.loads((dbt.side_dir / "manifest.json").read_text(encoding="utf-8"))
        records = read_table_records(dbt, manifest)
        folder = dbt.target_dir / "docs"
        write_documentation(folder, dbt.side_dir, manifest, records, _last_run(dbt))
    console.print(
        f"\nWritten: {escape(str(folder / 'index.html'))}, with pages of "
        f"{counted(len(records), 'table')} beside it",
        soft_wrap=True,
    )
    if (folder / GUIDE).is_file():
        console.print(f"The guide: {escape(str(folder / GUIDE))}", soft_wrap=True)


def _last_run(dbt: DbtSession) -> RunReport | None:
    try:
        return read_run_report(dbt.target_dir, dbt.log_dir)
    except DmsError:
        # Nothing was run yet, or the last command was another: the pages do without.
        return None
