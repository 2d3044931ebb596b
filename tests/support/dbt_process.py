"""A process that looks at some tables and runs dbt on them: something that can be killed.

``python -m tests.support.dbt_process JOB`` with JOB a JSON file (`Job`). It has its own embedded
session, so its own metastore, and prints JSON lines: ``state``, what it sees, before and after each
command; ``running``, that a command starts; ``succeeded``, whether it did. After one that did not
it ends.
"""

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from dbt import selected_resources
from dbt.cli.main import dbtRunner

from tests.support.dms_files import Row
from tests.support.engines import Engine, LocalEngine, set_spark_environment


@dataclass(frozen=True)
class Job:
    """What the process has to do: commands of dbt, and to look at the tables around them."""

    lake: str
    schema: str
    tables: list[str]
    dbt_commands: list[list[str]]


State = dict[str, list[Row]]
"""The rows by table and snapshot date (``people 2020-11-13``), and by current table."""


def read_state(engine: Engine, schema: str, tables: list[str]) -> State:
    """Everything that a reader can see of tables with the columns id and name, now."""
    state: State = {}
    existing = (
        {row[1] for row in engine.query(f"show tables in {schema}")}
        if _has(engine, schema)
        else set()
    )
    for table in tables:
        if f"{table}_snapshot" in existing:
            for run_date, rows in _read_dates(engine, f"{schema}.{table}_snapshot").items():
                state[f"{table} {run_date}"] = rows
        if f"{table}_current" in existing:
            state[f"{table} current"] = engine.query(
                f"select id, name from {schema}.{table}_current"
            )
    return {name: sorted(rows) for name, rows in state.items()}


def _read_dates(engine: Engine, snapshot: str) -> dict[str, list[Row]]:
    """The rows of each published date; no rows for one that is shown and empty."""
    dates: dict[str, list[Row]] = {}
    # A date that an operation takes away meanwhile is not empty; it is so each time, if it is.
    for _ in range(3):
        before = _dates(engine, snapshot)
        dates = {}
        # One query for all dates: a reader's query sees what it finds when it starts.
        for run_date, *row in engine.query(
            f"select cast(snapshot_date as string), id, name from {snapshot}"
        ):
            dates.setdefault(run_date, []).append(tuple(row))
        empty = (before & _dates(engine, snapshot)) - dates.keys()
        if not empty:
            return dates
    return {**dates, **{run_date: [] for run_date in empty}}


def _dates(engine: Engine, snapshot: str) -> set[str]:
    specs = engine.query(f"show partitions {snapshot}")
    return {spec.removeprefix("snapshot_date=") for (spec,) in specs}


def _has(engine: Engine, schema: str) -> bool:
    return bool(engine.query(f"show schemas like '{schema}'"))


def main() -> int:
    job = Job(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    set_spark_environment()
    engine = LocalEngine(job.lake)
    os.environ.update(engine.environment)
    print(json.dumps({"state": read_state(engine, job.schema, job.tables)}), flush=True)
    for command in job.dbt_commands:
        print(json.dumps({"running": True}), flush=True)
        # dbt keeps what the command before it selected, which a process of its own would not have.
        selected_resources.set_selected_resources(set())
        succeeded = dbtRunner().invoke(command).success
        print(json.dumps({"succeeded": succeeded}), flush=True)
        if not succeeded:
            return 1
        print(json.dumps({"state": read_state(engine, job.schema, job.tables)}), flush=True)
    return 0


def write_job(path: Path, job: Job) -> Path:
    path.write_text(json.dumps(asdict(job)), encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
