"""A throw-away copy of the project with generated tables, run in this process."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from dbt.artifacts.schemas.run import RunExecutionResult, RunResult, RunResultsArtifact
from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

from bench.generate import Table

# What a model is, by its name.
MODEL_KINDS = {"index": "dms_files", "staging": "stg_bench__*", "snapshot": "*_snapshot"}
_FOLDERS = {"staging": "staging", "snapshot": "snapshots"}
_ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class RunTimes:
    """What a run took.

    Attributes:
        seconds: from the start of the first model to the end of the last, or of an operation; what
            dbt itself needs to start is not the pipeline's.
        models: seconds of the models, by their kind, one of `MODEL_KINDS`.
    """

    seconds: float
    models: dict[str, float]


@dataclass(frozen=True)
class BenchProject:
    """The copy.

    Attributes:
        folder: where it is; its lake is below it.
    """

    folder: Path

    @classmethod
    def create(cls, folder: Path, tables: Collection[Table]) -> BenchProject:
        """Make the copy, and declare the tables under the names of their folders."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in ("macros", "profiles", "models/metadata", "models/docs"):
            shutil.copytree(_ROOT / name, folder / name)
        shutil.copy(_ROOT / "dbt_project.yml", folder)
        (folder / "profiles.yml").symlink_to("profiles/profiles.yml")
        project = cls(folder)
        for table in tables:
            project._declare(table)
        os.environ.update(
            {
                "DMS_LAKE": str(folder / "lake"),
                "DMS_DRIVER_MEMORY": os.environ.get("DMS_DRIVER_MEMORY", "6g"),
                "DBT_PROFILES_DIR": str(folder),
                "PYSPARK_PYTHON": sys.executable,
            }
        )
        return project

    def run(self, run_date: str, *tables: str) -> RunTimes:
        """Run the tables (and the index) for a date.

        Raises:
            RuntimeError: the run failed.
        """
        selected = [f"+{table}_snapshot" for table in tables]
        variables = json.dumps({"run_date": run_date})
        return self._dbt("run", "--vars", variables, "--select", *selected)

    def operate(self, operation: str, table: str) -> RunTimes:
        """Do one of the operations on versions.

        Raises:
            RuntimeError: it failed.
        """
        arguments = json.dumps({"select": f"bench.{table}", "dry_run": False})
        return self._dbt("run-operation", operation, "--args", arguments)

    def _dbt(self, *arguments: str) -> RunTimes:
        places = {"project-dir": "", "target-path": "target", "log-path": "logs"}
        options = [f"--{name}={self.folder / place}" for name, place in places.items()]
        done = dbtRunner().invoke(["--quiet", *arguments, *options])
        if not done.success or not isinstance(done.result, RunExecutionResult | RunResultsArtifact):
            raise RuntimeError(f"dbt {' '.join(arguments)} failed: see {self.folder / 'logs'}")
        times = [
            (step.started_at, step.completed_at)
            for node in done.result.results
            for step in node.timing
            if step.started_at and step.completed_at
        ]
        started, ended = min(start for start, _ in times), max(end for _, end in times)
        nodes = [node for node in done.result.results if isinstance(node, RunResult)]
        models = {
            kind: sum(node.execution_time for node in nodes if fnmatch(node.node.name, names))
            for kind, names in MODEL_KINDS.items()
            if nodes
        }
        return RunTimes((ended - started).total_seconds(), models)

    def spark(self) -> SparkSession:
        """The session that dbt runs in."""
        return SparkSession.builder.getOrCreate()

    def location(self, table: str) -> str:
        """The folder of the newest published state of a table."""
        rows = self.spark().sql(f"describe extended lake.{table}_current").collect()
        return str(next(row[1] for row in rows if row[0] == "Location"))

    def _declare(self, table: Table) -> None:
        name = table.name
        columns = [{"name": column, "data_type": kind} for column, kind in table.columns.items()]
        keys = {
            "path": str(table.folder),
            "primary_keys": ["order_id"],
            "timestamp_column": "dms_timestamp",
            "partition_date": "order_date" if table.slices else None,
        }
        declared = {"name": name, "config": {"meta": {"dms": keys}}, "columns": columns}
        files = {
            # JSON is YAML too.
            f"models/sources/bench/{name}.yml": json.dumps(
                {"sources": [{"name": "bench", "tables": [declared]}]}
            ),
        }
        for kind, model in (
            ("staging", f"stg_bench__{name}"),
            ("snapshot", f"{name}_snapshot"),
        ):
            files[f"models/{_FOLDERS[kind]}/{model}.sql"] = (
                f"{{{{ dms_{kind}('bench', '{name}') }}}}\n"
            )
        for relative, text in files.items():
            (self.folder / relative).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / relative).write_text(text)
