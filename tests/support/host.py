"""The host project of ``integration_tests``, in a folder of its own, with the package installed."""

import contextlib
import io
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import yaml
from dbt import selected_resources
from dbt.artifacts.schemas.run import RunExecutionResult
from dbt.cli.main import dbtRunner

from tests.support.dms_files import Row, write_rows
from tests.support.engines import REPOSITORY, Engine
from tests.support.project import ModelResult, RunResult, variables

# What the package is, beside which the host stands: packages.yml says `local: ..`.
_PACKAGE = ("dbt_project.yml", "macros", "models", "data-tests", "snapshots")
_CHANGE = {"Op": "string", "id": "int", "team": "string"}


class Host:
    """A copy of the host project, run in this process."""

    def __init__(self, folder: Path, engine: Engine, name: str = "shop") -> None:
        self.engine = engine
        self.schema = "".join(c if c.isalnum() else "_" for c in folder.name.lower())
        self.folder = folder / name
        self.dms_root = folder / "dms"
        for part in _PACKAGE:
            (folder / part).symlink_to(REPOSITORY / part)
        ignored = shutil.ignore_patterns("dbt_packages", "target", "logs", "lake", "*.lock.yml")
        shutil.copytree(REPOSITORY / "integration_tests", self.folder, ignore=ignored)

    def write_load(self, *rows: Row) -> None:
        """Write the full load of hr.people: id and team."""
        file = self.dms_root / "hr/people/LOAD00000001.parquet"
        write_rows(file, {"id": "int", "team": "string"}, rows)

    def write_changes(self, name: str, *rows: Row) -> None:
        """Write a file of changes of hr.people: op, id and team."""
        write_rows(self.dms_root / f"hr/people/{name}.parquet", _CHANGE, rows)

    def dbt(self, *arguments: str, schema: str = "") -> RunResult:
        """Run a dbt command in this process, perhaps with another schema than usual."""
        selected_resources.set_selected_resources(set())
        with self.environment(schema):
            outcome = dbtRunner().invoke([*arguments, *self.options])
        results = outcome.result.results if isinstance(outcome.result, RunExecutionResult) else []
        models = {
            result.node.name: ModelResult(str(result.status), result.message or "")
            for result in results
        }
        return RunResult(bool(outcome.success), str(outcome.exception or ""), models)

    def run(self, command: str, run_date: str, *arguments: str, **variables: str) -> RunResult:
        """A command of dbt for a date, with further variables."""
        given = json.dumps({"run_date": run_date, **variables})
        return self.dbt(command, "--vars", given, *arguments)

    def listed(self, *arguments: str) -> set[str]:
        """The names that ``dbt ls`` gives."""
        with self.environment():
            outcome = dbtRunner().invoke(["--quiet", "ls", *arguments, *self.options])
        assert outcome.success, outcome.exception
        return {name.rsplit(".", 1)[-1] for name in outcome.result or []}  # type: ignore[union-attr]

    def printed(self, *arguments: str) -> str:
        """What a dbt command prints, and why it failed if it did."""
        printed = io.StringIO()
        with self.environment(), contextlib.redirect_stdout(printed):
            outcome = dbtRunner().invoke([*arguments, *self.options])
        return "\n".join([printed.getvalue(), str(outcome.exception or "")])

    @property
    def options(self) -> Sequence[str]:
        """What says to a dbt command that this is its project."""
        return [
            "--project-dir", str(self.folder),
            "--profiles-dir", str(self.folder),
            "--log-path", str(self.folder / "logs"),
            "--no-use-colors",
        ]  # fmt: skip

    @contextmanager
    def environment(self, schema: str = "") -> Iterator[None]:
        """Its environment variables, and the earlier ones again afterwards."""
        own = {"DMS_SCHEMA": schema or self.schema, "DMS_ROOT": str(self.dms_root)}
        with variables({**self.engine.environment, **own}):
            yield

    def query(self, sql: str) -> list[Row]:
        return self.engine.query(sql)

    def rows(self, table: str, columns: str, schema: str = "") -> list[Row]:
        """The rows of a table in the order of its first columns; ``reports.headcount``."""
        suffix, name = table.split(".") if "." in table else ("", table)
        place = (schema or self.schema) + (f"_{suffix}" if suffix else "")
        return self.query(f"select {columns} from {place}.{name} order by all")

    def tables(self, suffix: str = "", schema: str = "") -> set[str]:
        """The names of the tables and views of a schema of it."""
        place = (schema or self.schema) + (f"_{suffix}" if suffix else "")
        if not self.query(f"show schemas like '{place}'"):
            return set()
        return {name for schema, name, _ in self.query(f"show tables in {place}") if schema}

    def settings(self) -> dict[str, object]:
        """What ``dbt_project.yml`` says."""
        return dict(yaml.safe_load((self.folder / "dbt_project.yml").read_text(encoding="utf-8")))
