"""Hundreds of tables, from nothing: what each command takes, and each table that did not change.

``python -m bench.many_tables --tables 300 --schemas 12`` makes a DMS root of small tables with
mixed settings, then discovers, scaffolds, parses and runs them: first all, then with a tenth of
them changed; after each run they are tested, and at last documented. As many empty incremental
models of dbt's own stand beside, in the same run. Statements are counted from dbt's log.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.parquet as pq
from rich import box
from rich.console import Console
from rich.table import Table

_ROOT = Path(__file__).resolve().parent.parent
_BIN = Path(sys.executable).parent
START = datetime(2020, 11, 13, 6, tzinfo=UTC)
# Behind a statement come lines of the same kind that close its connection.
_STATEMENT = re.compile(r"On model\.\w+\.(\w+): /\*")
_console = Console(highlight=False)


def write_root(root: Path, tables: int, schemas: int, rows: int = 20) -> None:
    """Write the full loads of the tables, and a day of changes of each.

    A quarter is CSV, half of that without names; every third has no commit times, every fifth a key
    of two columns, every seventh is insert-only.
    """
    for number in range(tables):
        _write(root, number, schemas, "LOAD00000001", [("I", row, row) for row in range(rows)])
        write_changes(root, number, schemas, START + timedelta(hours=4))


def write_changes(root: Path, number: int, schemas: int, at: datetime) -> None:
    """Write a change file of one table: an update, a delete and an insert, as it has them."""
    fresh = 1000 + int(at.timestamp()) % 1_000_000
    changes = [("I", fresh, fresh)]
    if number % 7:
        changes += [("U", 1, fresh), ("D", 2, 2)]
    _write(root, number, schemas, at.strftime("%Y%m%d-%H%M%S000"), changes)


def _write(
    root: Path, number: int, schemas: int, name: str, changes: Sequence[tuple[str, int, int]]
) -> None:
    folder = root / f"schema_{number % schemas:02d}" / f"table_{number:03d}"
    folder.mkdir(parents=True, exist_ok=True)
    is_load, is_csv = name.startswith("LOAD"), number % 4 == 3
    columns: dict[str, list[object]] = {}
    if not is_load and number % 7:
        columns["Op"] = [op for op, _, _ in changes]
    if number % 3:
        columns["dms_timestamp"] = ["2020-11-13 06:00:00.000000"] * len(changes)
    columns["item_id"] = [key // 2 if number % 5 == 0 else key for _, key, _ in changes]
    if number % 5 == 0:
        columns["line_no"] = [key % 2 for _, key, _ in changes]
    columns["name"] = [f"name {value}" for _, _, value in changes]
    columns["amount"] = [value * 3 % 17 for _, _, value in changes]
    table = pa.table(columns)
    if not is_csv:
        pq.write_table(table, folder / f"{name}.parquet")
        return
    header = [",".join(columns)] if number % 8 == 3 else []
    lines = [",".join(map(str, row.values())) for row in table.to_pylist()]
    (folder / f"{name}.csv").write_text("\n".join([*header, *lines]) + "\n")


def copy_project(folder: Path) -> None:
    """Copy this project without its tables."""
    folder.mkdir(parents=True)
    for name in ("macros", "profiles", "models/metadata", "models/docs", "data-tests"):
        shutil.copytree(_ROOT / name, folder / name)
    shutil.copy(_ROOT / "dbt_project.yml", folder)
    (folder / "profiles.yml").symlink_to("profiles/profiles.yml")


def count_statements(log: str) -> dict[str, int]:
    """How many statements each model sent, from a dbt log of the level debug."""
    return Counter(_STATEMENT.findall(log))


class _Bench:
    def __init__(self, work: Path, tables: int, schemas: int) -> None:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        self.project, self.root = work / "project", work / "dms"
        self.tables, self.schemas = tables, schemas
        self.steps: list[tuple[str, float]] = []
        copy_project(self.project)
        self.environment = os.environ | {
            "DMS_ROOT": str(self.root),
            "DMS_LAKE": str(self.project / "lake"),
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": str(_ROOT / "python_hooks"),
        }

    def step(self, name: str, *command: str) -> None:
        for log in self.logs():
            log.unlink()
        before = time.perf_counter()
        done = subprocess.run(
            [str(_BIN / command[0]), *command[1:]],
            cwd=self.project, env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.steps.append((name, time.perf_counter() - before))
        _console.print(f"{name}: {self.steps[-1][1]:.1f} s")
        if done.returncode:
            raise click.ClickException(
                f"{name} failed:\n{done.stdout[-4000:]}{done.stderr[-2000:]}"
            )

    def logs(self) -> list[Path]:
        """The logs of the last command; dbt begins another file behind each 10 MB."""
        return list((self.project / "logs").glob("dbt.log*"))

    def run(self) -> None:
        write_root(self.root, self.tables, self.schemas)
        discover = ("python", "-m", "pyspark_dms", "discover", str(self.root))
        self.step("discover", *discover)
        for path in (self.project / "models/sources").rglob("*.yml"):
            path.write_text(path.read_text().replace("active: false", "active: true"))
        self.step("scaffold", "python", "-m", "pyspark_dms", "scaffold")
        self.step("discover again", *discover, "--check")
        self._write_empty_models()
        self.step("dbt parse, from nothing", "dbt", "parse", "--no-partial-parse")
        self.step("dbt parse, nothing changed", "dbt", "parse")
        for name, day, changed in (
            ("dbt run, all new", 13, 0),
            ("dbt run, a tenth changed", 14, max(self.tables // 10, 1)),
        ):
            for number in range(changed):
                write_changes(self.root, number, self.schemas, START.replace(day=day))
            self.step(name, "dbt", "run", "--vars", f"{{run_date: 2020-11-{day}}}")
            self._print_models(name)
            # What passed for the first date is not run again where nothing changed.
            tested = name.replace("run", "test")
            self.step(tested, "dbt", "test", "--exclude", "empty", "--quiet")
        self.step("documentation", "python", "-m", "pyspark_dms", "docs")
        shown = Table(box=box.SIMPLE_HEAD)
        shown.add_column(f"{self.tables} tables in {self.schemas} schemas")
        shown.add_column("seconds", justify="right")
        for name, seconds in self.steps:
            shown.add_row(name, f"{seconds:.1f}")
        _console.print(shown)

    def _write_empty_models(self) -> None:
        """Incremental models of dbt's own that never get a row: the least a model can cost."""
        folder = self.project / "models/empty"
        folder.mkdir()
        for number in range(self.tables):
            (folder / f"empty_{number:03d}.sql").write_text(
                '{{ config(materialized="incremental", incremental_strategy="append") }}\n'
                "select cast(1 as int) as id where false\n"
            )

    def _print_models(self, name: str) -> None:
        """Median seconds and statements of a model, by what it is and what it did."""
        statements = count_statements("".join(log.read_text() for log in self.logs()))
        results = json.loads((self.project / "target/run_results.json").read_text())["results"]
        kinds: dict[str, Callable[[str, str], bool]] = {
            "staging, nothing new": lambda m, said: m.startswith("stg_") and "no new" in said,
            "staging, new files": lambda m, said: m.startswith("stg_") and "no new" not in said,
            "snapshot, unchanged": lambda m, said: m.endswith("_snapshot") and "unch" in said,
            "snapshot, published": lambda m, said: m.endswith("_snapshot") and "unch" not in said,
            "empty incremental": lambda m, said: m.startswith("empty_"),
            "index and logs": lambda m, said: (
                m
                in (
                    "dms_files",
                    "dms_staged_files",
                    "dms_rejects",
                    "snapshot_versions",
                    "snapshot_dates",
                    "passed_tests",
                )
            ),
        }
        shown = Table(title=name, box=box.SIMPLE_HEAD)
        shown.add_column("models")
        for heading in ("count", "seconds each", "statements each"):
            shown.add_column(heading, justify="right")
        models = [(one, str(one["unique_id"]).rsplit(".", 1)[-1]) for one in results]
        for kind, is_kind in kinds.items():
            of_kind = [(one, model) for one, model in models if is_kind(model, one["message"])]
            if of_kind:
                seconds = statistics.median(one["execution_time"] for one, _ in of_kind)
                sent = statistics.median(statements.get(model, 0) for _, model in of_kind)
                shown.add_row(kind, str(len(of_kind)), f"{seconds:.2f}", f"{sent:g}")
        _console.print(shown)


@click.command()
@click.option("--tables", default=300, show_default=True)
@click.option("--schemas", default=12, show_default=True)
@click.option("--work", type=click.Path(path_type=Path), default=Path("bench/work/many"))
def main(tables: int, schemas: int, work: Path) -> None:
    """Measure hundreds of tables."""
    _Bench(work.resolve(), tables, schemas).run()


if __name__ == "__main__":
    main()
