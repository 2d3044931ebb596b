"""A dbt project of its own for a test: declared tables, DMS files, runs and what they published.

project = Project(folder, engine)
people = project.declare("people", columns={"id": "int", "name": "string"}, primary_keys=["id"])
people.write_load((1, "Ann"))
people.write_changes("20201114-100000000", ("U", 1, "Anna"))
assert project.run("2020-11-14").ok
assert people.snapshot("2020-11-14") == [(1, "Anna")]
"""

import contextlib
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dbt import selected_resources
from dbt.artifacts.schemas.run import RunExecutionResult
from dbt.cli.main import dbtRunner
from dbt.contracts.graph.manifest import ManifestStateCheck
from dbt.parser.manifest import ManifestLoader

from pyspark_dms import stores
from pyspark_dms.declared import METADATA_MODELS
from tests.support.dms_files import Row, write_rows
from tests.support.engines import REPOSITORY, Engine
from tests.support.source_rows import CanonicalRow, canonical_rows

SOURCE = "hr"
# What a test project takes over from the repository; the rest it writes itself.
_COPIED = (
    "dbt_project.yml", "profiles", "macros", "models/metadata", "models/docs", "models/overview",
    "data-tests",
)  # fmt: skip

_build_state_check: Callable[[ManifestLoader], ManifestStateCheck] = (
    ManifestLoader.build_manifest_state_check
)


def _state_check_whatever_the_date(loader: ManifestLoader) -> ManifestStateCheck:
    """What dbt compares to tell whether to parse anew, without a date to run for.

    To the parser one date is as good as another; it refuses what is none. Commands in processes of
    their own parse anew, as they do for people.
    """
    project = loader.root_project
    given = project.cli_vars
    project.cli_vars = {
        name: value for name, value in given.items() if name != "run_date" or not _is_date(value)
    }
    try:
        return _build_state_check(loader)
    finally:
        project.cli_vars = given


def _is_date(value: object) -> bool:
    try:
        date.fromisoformat(str(value))
    except ValueError:
        return False
    return True


# A suite is hundreds of dates, and each would cost more seconds than the run of a table.
ManifestLoader.build_manifest_state_check = _state_check_whatever_the_date  # type: ignore[method-assign]

DIES = '{% do exceptions.raise_compiler_error("died here") %}'


@dataclass(frozen=True)
class ModelResult:
    """How one model ended: dbt's status (success, error, skipped) and its message."""

    status: str
    message: str


@dataclass(frozen=True)
class RunResult:
    """How one dbt command ended.

    Attributes:
        ok: whether the command would exit with 0.
        error: what stopped dbt itself; empty if it went through all models.
        models: the result of each node, by its name.
    """

    ok: bool
    error: str = ""
    models: Mapping[str, ModelResult] = field(default_factory=dict)

    @property
    def failed(self) -> list[str]:
        """The names of the models that failed themselves; not those skipped because of them."""
        return sorted(n for n, model in self.models.items() if model.status in ("error", "fail"))

    @property
    def errors(self) -> str:
        """Everything that went wrong, as one text."""
        parts = [self.error, *(f"{name}: {self.models[name].message}" for name in self.failed)]
        return "\n".join(filter(None, parts))

    def message(self, model: str) -> str:
        return self.models[model].message

    def status(self, model: str) -> str:
        return self.models[model].status


class Table:
    """A declared table: its DMS folder, and what the project made of it."""

    def __init__(
        self,
        project: "Project",
        name: str,
        columns: Mapping[str, str],
        source: str = SOURCE,
        timestamp_column: str | None = None,
        history: bool = True,
        has_feed: bool = False,
    ) -> None:
        self.project = project
        self.source = source
        self.name = name
        self.columns = dict(columns)
        self.timestamp_column = timestamp_column
        self.history = history
        self.has_feed = has_feed
        self.folder = project.dms_root / source / name

    @property
    def label(self) -> str:
        return f"{self.source}.{self.name}"

    @property
    def staging_model(self) -> str:
        return f"stg_{self.source}__{self.name}"

    @property
    def snapshot_model(self) -> str:
        return f"{self.name}_snapshot"

    # ------------------------------------------------------------------ files

    def write_load(
        self,
        *rows: Row,
        name: str = "LOAD00000001.parquet",
        at: str = "2020-11-13 06:00:00.000000",
        columns: Mapping[str, str] | None = None,
    ) -> Path:
        """Write a full load file. ``at`` fills the timestamp column, if one is declared.

        ``columns`` replaces the declared columns, for a file that differs from them.
        """
        return self._write(name, {}, rows, at, columns)

    def write_changes(
        self,
        name: str,
        *rows: Row,
        at: str | Sequence[str] = "2020-11-14 09:00:00.000000",
        columns: Mapping[str, str] | None = None,
    ) -> Path:
        """Write a change file; each row is I, U or D and then the columns.

        ``name`` is the file's name, with or without ``.parquet``, or a path below the table's
        folder. ``at`` is one commit time for all rows, or one for each.
        """
        name = name if name.endswith(".parquet") else f"{name}.parquet"
        return self._write(name, {"Op": "string"}, rows, at, columns)

    def _write(
        self,
        name: str,
        added: Mapping[str, str],
        rows: Sequence[Row],
        at: str | Sequence[str],
        columns: Mapping[str, str] | None,
    ) -> Path:
        columns = self.columns if columns is None else columns
        if self.timestamp_column:
            # Where DMS puts it: behind Op, before the columns of the table.
            times = [at] * len(rows) if isinstance(at, str) else at
            place = len(added)
            rows = [
                (*row[:place], time, *row[place:]) for row, time in zip(rows, times, strict=True)
            ]
            added = {**added, self.timestamp_column: "string"}
        return write_rows(self.folder / name, {**added, **columns}, rows)

    # ------------------------------------------------------------ what is published

    def dates(self) -> list[str]:
        """The published snapshot dates, oldest first."""
        return self.project.partitions(self.snapshot_model)

    def snapshot(self, run_date: str) -> list[Row]:
        """The rows of one published date, sorted. Fails if the date is not published."""
        rows = self._rows(self.snapshot_model, f"snapshot_date = date'{run_date}'")
        if not rows and run_date not in self.dates():
            raise LookupError(f"{self.label}: {run_date} is not published; {self.dates()} are")
        return rows

    def rows(self) -> list[Row]:
        """All rows of the snapshot table, sorted."""
        return self._rows(self.snapshot_model, "true")

    def root(self) -> Path:
        """The folder below which the files of all versions are."""
        properties = self.project.query(
            f"show tblproperties {self.project.schema}.{self.snapshot_model}"
        )
        return local_path(next(row[1] for row in properties if row[0] == "dms.root"))

    def current(self) -> list[Row]:
        """The rows of the current table, sorted."""
        return self._rows(f"{self.name}_current", "true")

    def feed(self) -> dict[str, list[Row]]:
        """The change feed: of each date that it has, kind, key and the pairs of values, sorted."""
        feed: dict[str, list[Row]] = {date: [] for date in self.project.partitions(self._feed)}
        for kind, _, *values, run_date in self.project.query(
            f"select * from {self.project.schema}.{self._feed}"
        ):
            feed[f"{run_date}"].append((kind, *values))
        return {date: sort_by_value(rows) for date, rows in feed.items()}

    @property
    def _feed(self) -> str:
        return f"{self.name}_changes"

    def canonical(self, run_date: str) -> list[CanonicalRow]:
        """The rows of one published date as canonical text, to compare with the source."""
        return canonical_rows(self.snapshot(run_date))

    def staged(self, columns: str = "*") -> list[Row]:
        """The rows of the staging table, in the order of the changes."""
        return self.project.query(
            f"select {columns} from {self.project.schema}.{self.staging_model}"
            " order by _dms_run_date, _dms_generation, _dms_file_seq, _dms_row"
        )

    def versions(self) -> list[dict[str, Any]]:
        """The version history of this table, oldest version first."""
        names = (
            "version", "action", "base_version", "rows_before", "rows_inserted", "rows_updated",
            "rows_deleted", "rows_after", "generation",
        )  # fmt: skip
        rows = self.project.query(
            "select cast(run_date as string), to_json(partitions), to_json(files),"
            f" {', '.join(names)}"
            f" from {self.project.schema}.snapshot_versions"
            f" where source_name = '{self.source}' and table_name = '{self.name}' order by version"
        )
        return [
            {
                "run_date": run_date,
                "locations": [entry["location"] for entry in json.loads(partitions)],
                "files": [Path(entry["path"]).name for entry in json.loads(files or "[]")],
                **dict(zip(names, rest, strict=True)),
            }
            for run_date, partitions, files, *rest in rows
        ]

    def location(self, run_date: str) -> Path:
        """Where the files of a published date are, from the catalog alone."""
        described = self.project.query(
            f"describe extended {self.project.schema}.{self.snapshot_model}"
            f" partition (snapshot_date = '{run_date}')"
        )
        return local_path(next(row[1] for row in described if row[0] == "Location"))

    def current_location(self) -> Path:
        """Where the files of the current table are, from the catalog alone."""
        described = self.project.query(
            f"describe extended {self.project.schema}.{self.name}_current"
        )
        return local_path(next(row[1] for row in described if row[0] == "Location"))

    def _rows(self, relation: str, condition: str) -> list[Row]:
        columns = ", ".join(f"`{column}`" for column in self.columns)
        return sort_by_value(
            self.project.query(
                f"select {columns} from {self.project.schema}.{relation} where {condition}"
            )
        )


def local_path(location: str) -> Path:
    """Where the files are; those of the S3 server of a test are below a folder of it."""
    if "://" in location and not location.startswith("file:"):
        return Path(os.environ["DMS_TEST_BUCKETS"]) / location.split("://", 1)[1]
    return Path(location.removeprefix("file://").removeprefix("file:"))


@contextmanager
def variables(added: Mapping[str, str]) -> Iterator[None]:
    """The environment with some more variables, and as it was afterwards."""
    before = dict(os.environ)
    os.environ.update(added)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def copy_object(source: str, target: str) -> None:
    """Copy an object of the lake by way of its store, which knows what it has."""
    with stores.open_for_writing(target) as copy:
        copy.write(stores.read_object(source))


def sort_by_value(rows: Sequence[Row]) -> list[Row]:
    """Sorted by value, NULL first."""
    return sorted(rows, key=lambda row: [(value is not None, value) for value in row])


class Project:
    """A dbt project in a folder, with its own schema and its own DMS root."""

    def __init__(self, folder: Path, engine: Engine, repository: Path = REPOSITORY) -> None:
        self.folder = folder
        self.engine = engine
        self.dms_root = folder / "dms"
        self.schema = "".join(c if c.isalnum() else "_" for c in folder.name.lower())
        self.tables: dict[str, Table] = {}
        folder.mkdir(parents=True, exist_ok=True)
        for name in _COPIED:
            if (repository / name).is_dir():
                shutil.copytree(repository / name, folder / name)
            elif (repository / name).exists():
                shutil.copy(repository / name, folder / name)

    def declare(
        self,
        name: str,
        columns: Mapping[str, str],
        primary_keys: Sequence[str],
        source: str = SOURCE,
        descriptions: Mapping[str, str] | None = None,
        description: str = "",
        renamed_from: Mapping[str, Sequence[str]] = MappingProxyType({}),
        **dms: Any,
    ) -> Table:
        """Declare a table in a YAML file of its own, with its two stubs.

        ``descriptions`` and ``renamed_from`` are those of columns. ``dms`` are further keys of the
        declaration; ``path`` is the table's DMS folder unless given.
        """
        table = Table(
            self,
            name,
            columns,
            source,
            dms.get("timestamp_column"),
            dms.get("history", True),
            dms.get("change_feed", False),
        )
        keys = {"path": f"{table.folder}/", "primary_keys": primary_keys, **dms}
        entry = {
            "name": name,
            "description": description,
            "config": {"meta": {"dms": keys}},
            "columns": [
                {
                    "name": column,
                    "data_type": data_type,
                    "description": (descriptions or {}).get(column, ""),
                    "config": {"meta": {"dms": {"renamed_from": renamed_from[column]}}}
                    if column in renamed_from
                    else {},
                }
                for column, data_type in columns.items()
            ],
        }
        self.write_declaration(table, {"sources": [{"name": source, "tables": [entry]}]})
        stubs = {
            f"models/staging/{source}/{table.staging_model}.sql": "dms_staging",
            f"models/snapshots/{source}/{table.snapshot_model}.sql": "dms_snapshot",
        }
        if table.has_feed:
            stubs[f"models/snapshots/{source}/{name}_changes.sql"] = "dms_changes"
        for path, macro in stubs.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(f"{{{{ {macro}('{source}', '{name}') }}}}\n")
        self.tables[name] = table
        return table

    def write_declaration(self, table: Table, content: Mapping[str, Any]) -> Path:
        """Write the YAML file of a table; JSON is YAML."""
        path = self.folder / f"models/sources/{table.source}/{table.name}.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=2, ensure_ascii=False))
        return path

    def write_properties(self, models: Sequence[Mapping[str, Any]]) -> None:
        """Write properties of models, such as data tests; they replace earlier ones."""
        path = self.folder / "models/snapshots/_properties.yml"
        path.write_text(json.dumps({"models": models}, indent=2))

    def set_variables(self, **values: Any) -> None:
        """Give variables to every command, in ``dbt_project.yml``."""
        with (self.folder / "dbt_project.yml").open("a", encoding="utf-8") as file:
            file.write(f"\nvars: {json.dumps(values)}\n")

    def run(self, run_date: str, *arguments: str) -> RunResult:
        """``dbt run --vars '{run_date: …}'`` with further arguments."""
        return self.dbt("run", "--vars", json.dumps({"run_date": run_date}), *arguments)

    def run_tables(self, run_date: str, tables: Sequence[Table], *arguments: str) -> RunResult:
        """Like `run`, for some tables only; the index still lists all."""
        models = [model for t in tables for model in (t.staging_model, t.snapshot_model)]
        return self.run(run_date, "--select", METADATA_MODELS, *models, *arguments)

    def dbt(self, *arguments: str) -> RunResult:
        """Run a dbt command in this process."""
        # dbt keeps what the command before it selected, which a process of its own would not have.
        selected_resources.set_selected_resources(set())
        with self.environment():
            outcome = dbtRunner().invoke([*arguments, *self.dbt_options])
        error = str(outcome.exception) if outcome.exception else ""
        results = outcome.result.results if isinstance(outcome.result, RunExecutionResult) else []
        models = {
            result.node.name: ModelResult(str(result.status), result.message or "")
            for result in results
        }
        return RunResult(outcome.success, error, models)

    @contextmanager
    def interrupted(self, macro: str, table: str = "", jinja: str = DIES) -> Iterator[None]:
        """While this lasts, a macro first does something else, for one table or any: it dies."""
        head = re.compile(rf"^{{% macro {macro}\(.*%}}$", re.MULTILINE)
        (path,) = [
            path
            for path in self.folder.glob("macros/*/*.sql")
            if head.search(path.read_text(encoding="utf-8"))
        ]
        whole = path.read_text(encoding="utf-8")
        if table:
            jinja = f'{{% if declared.table_name == "{table}" %}}{jinja}{{% endif %}}'
        path.write_text(head.sub(lambda found: f"{found[0]}\n{jinja}", whole), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(whole, encoding="utf-8")

    def operate(self, operation: str, *options: str, **arguments: Any) -> str:
        """Run an operation, which must not fail; returns what it printed."""
        told, has_failed = self._operate(operation, options, arguments)
        assert not has_failed, (operation, arguments, told)
        return told

    def operate_in_vain(self, operation: str, *options: str, **arguments: Any) -> str:
        """Run an operation, which must fail; returns what it printed, and why it failed."""
        told, has_failed = self._operate(operation, options, arguments)
        assert has_failed, (operation, arguments, told)
        return told

    def _operate(
        self, operation: str, options: Iterable[str], arguments: Mapping[str, Any]
    ) -> tuple[str, bool]:
        command = ["run-operation", operation, *options, "--args", json.dumps(arguments)]
        printed = io.StringIO()
        with self.environment(), contextlib.redirect_stdout(printed):
            outcome = dbtRunner().invoke([*command, *self.dbt_options])
        results = getattr(outcome.result, "results", [])
        reasons = [str(outcome.exception or ""), *(str(result.message or "") for result in results)]
        return "\n".join([printed.getvalue(), *reasons]), not outcome.success

    @property
    def dbt_options(self) -> list[str]:
        """What says to a dbt command that this is its project."""
        return [
            "--project-dir", str(self.folder),
            "--profiles-dir", str(self.folder / "profiles"),
            "--log-path", str(self.folder / "logs"),
            "--no-use-colors",
        ]  # fmt: skip

    @property
    def environment_variables(self) -> dict[str, str]:
        """What a dbt command of this project needs in its environment."""
        own = {"DMS_SCHEMA": self.schema, "DMS_ROOT": str(self.dms_root)}
        return {**self.engine.environment, **own}

    @contextmanager
    def environment(self) -> Iterator[None]:
        """This project's environment variables, and the earlier ones again afterwards."""
        with variables(self.environment_variables):
            yield

    def query(self, sql: str) -> list[Row]:
        return self.engine.query(sql)

    def partitions(self, relation: str) -> list[str]:
        """The values of the first partition column of a table, sorted; none without the table."""
        if not self.query(f"show tables in {self.schema} like '{relation}'"):
            return []
        rows = self.query(f"show partitions {self.schema}.{relation}")
        return sorted({row[0].split("/")[0].split("=", 1)[1] for row in rows})

    def newest_actions(self) -> dict[str, str]:
        """What made the newest version of each table, by the name of the table."""
        return dict(
            self.query(
                "select table_name, max_by(action, version)"
                f" from {self.schema}.snapshot_versions group by table_name"
            )
        )

    def indexed(self, table: Table) -> dict[str, str]:
        """The kind of every indexed object of a table, by its path below the table's folder."""
        rows = self.query(
            f"select path, kind from {self.schema}.dms_files"
            f" where source_name = '{table.source}' and table_name = '{table.name}'"
        )
        return {str(local_path(path).relative_to(table.folder)): kind for path, kind in rows}


def take_sample(project: Project) -> None:
    """Give a new project the models, histories and files of the sample, and none but these."""
    shutil.rmtree(project.folder / "models")
    for folder in ("models", "snapshots", "seeds"):
        shutil.copytree(REPOSITORY / folder, project.folder / folder)
    shutil.copytree(REPOSITORY / "sample" / "dms", project.dms_root)
    for file in project.dms_root.glob("*/*/LOAD*"):
        # A checkout is younger than the change files; the full load was older.
        loaded = datetime(2020, 11, 13, 6, tzinfo=UTC).timestamp()
        os.utime(file, (loaded, loaded))
