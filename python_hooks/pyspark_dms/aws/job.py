"""What ``deploy/run`` does with its date and models, in a step of EMR or a job of EMR Serverless.

All dbt commands run in this one process: the Spark of a job of EMR Serverless has one session, and
a second process that asks for it fails.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pyspark_dms import stores
from pyspark_dms.dbt_session import DbtSession
from pyspark_dms.errors import DmsError

# Their metastore is AWS Glue, which keeps a version of a table for each change of it.
_ON_GLUE = ("emr", "serverless")


def run_job(project_dir: Path, run_date: str, models: Sequence[str] = ()) -> bool:
    """Run dbt for some models; or for all, and then the commands of every night.

    Args:
        project_dir: folder with ``dbt_project.yml``.
        run_date: a date (YYYY-MM-DD).
        models: the models of some tables; none for all. Then `dbt snapshot` follows, and
            `DMS_RETENTION_DAYS` and the target say what is deleted. If all succeeded, an object
            beside the reports says so, for which the alarm NoRunInADay waits.

    Returns:
        Whether all succeeded. The steps after a failed one still run, unless this process was
        killed, for example because memory was short.

    Raises:
        DmsError: there is no project in the folder.
    """
    dbt = DbtSession(project_dir)
    # Else the report would tell of the run before, if dbt ends without results.
    (dbt.target_dir / "run_results.json").unlink(missing_ok=True)
    steps: list[Callable[[], bool]] = [
        partial(dbt.run, run_date, ["metadata", *models] if models else ()),
        partial(_command, "report", *_copy_of_report()),
    ]
    if not models:
        # Histories follow what is published, however it came.
        if any((project_dir / "snapshots").rglob("*.yml")):
            steps.append(partial(dbt.command, "snapshot"))
        if days := os.environ.get("DMS_RETENTION_DAYS"):
            vacuum = f"{{select: '*', retention: {days}, dry_run: false}}"
            steps.append(partial(dbt.command, "run-operation", "vacuum", "--args", vacuum))
        if os.environ.get("DMS_TARGET") in _ON_GLUE:
            steps.append(partial(_command, "delete-table-versions", "--no-dry-run"))
    failed = [step for step in steps if not _succeeds(step)]
    if not failed and not models:
        return _succeeds(partial(_record_success, run_date))
    return not failed


def _copy_of_report() -> list[str]:
    url = os.environ.get("DMS_REPORTS_URL")
    return ["--copy-to", f"{url}/{datetime.now(UTC):%Y-%m-%d/%H%M%S}"] if url else []


def _record_success(run_date: str) -> bool:
    """Record that a run of all tables succeeded, however it was started.

    Nothing else tells it: the events of steps and jobs do not say what was run. And S3 is reached
    from any subnet.
    """
    if url := os.environ.get("DMS_REPORTS_URL"):
        ended_at = datetime.now(UTC)
        with stores.open_for_writing(f"{url}/succeeded/{ended_at:%Y-%m-%dT%H%M%SZ}.json") as sink:
            sink.write(json.dumps({"run_date": run_date}).encode())
    return True


def _command(*arguments: str) -> bool:
    """A command of ours that needs no Spark."""
    command = [sys.executable, "-m", "pyspark_dms", *arguments]
    return subprocess.run(command, check=False).returncode == 0


def _succeeds(step: Callable[[], bool]) -> bool:
    try:
        return step()
    except DmsError as problem:
        print(f"Error: {problem}", file=sys.stderr)
        return False
    finally:
        # Else what the next one prints may stand before it in the log.
        sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(0 if run_job(Path.cwd(), sys.argv[1], sys.argv[2:]) else 1)
    except DmsError as error:
        sys.exit(f"Error: {error}")
