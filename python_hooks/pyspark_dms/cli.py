"""The commands a person types: ``dms-snapshots <command>``, or ``python -m pyspark_dms``."""

from __future__ import annotations

import click

from pyspark_dms.commands.compare import compare_command
from pyspark_dms.commands.discover import discover_command
from pyspark_dms.commands.docs import docs_command
from pyspark_dms.commands.init import init_command
from pyspark_dms.commands.plan import plan_command
from pyspark_dms.commands.report import report_command
from pyspark_dms.commands.scaffold import scaffold_command
from pyspark_dms.commands.show import show_command
from pyspark_dms.commands.table_versions import delete_table_versions_command
from pyspark_dms.commands.thrift import thrift_command
from pyspark_dms.commands.watch import trigger_zip_command, watch_command
from pyspark_dms.release import RELEASE


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(RELEASE, message="dms-snapshots %(version)s")
def main() -> None:
    """Everything around `dbt run`: declarations, stubs, a Thrift server, a look at the result.

    The data itself is moved by dbt alone: dbt run --vars '{run_date: 2020-11-13}'.
    """


main.add_command(compare_command)
main.add_command(delete_table_versions_command)
main.add_command(discover_command)
main.add_command(docs_command)
main.add_command(init_command)
main.add_command(plan_command)
main.add_command(report_command)
main.add_command(scaffold_command)
main.add_command(show_command)
main.add_command(thrift_command)
main.add_command(trigger_zip_command)
main.add_command(watch_command)
