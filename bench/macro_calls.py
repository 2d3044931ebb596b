"""Counts the different macros that a table calls: unchanged, at a small merge, at a full load.

``python -m bench.macro_calls`` runs two small tables for two dates, of which one changes on the
second, in this process; dbt's own macros are left out.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
from dbt.cli.main import dbtRunner
from dbt.clients.jinja import MacroGenerator
from rich import box
from rich.console import Console
from rich.table import Table

from bench.many_tables import START, copy_project, write_changes, write_root

_WORK = Path(__file__).resolve().parent / "work/macro_calls"


def main() -> None:
    """Run both dates and print the counts."""
    shutil.rmtree(_WORK, ignore_errors=True)
    project, root = _WORK / "project", _WORK / "dms"
    copy_project(project)
    write_root(root, tables=3, schemas=1)
    os.environ |= {
        "DMS_ROOT": str(root),
        "DMS_LAKE": str(project / "lake"),
        "PYSPARK_PYTHON": sys.executable,
    }
    _declare(project, root)
    called: dict[str, set[str]] = defaultdict(set)
    call = MacroGenerator.call_macro

    def recorded(self: Any, *args: Any, **kwargs: Any) -> Any:
        node = getattr(self.node, "name", "")
        if self.macro.package_name == "dms_snapshots":
            called[node].add(self.macro.name)
        return call(self, *args, **kwargs)

    MacroGenerator.call_macro = recorded  # type: ignore[method-assign]
    counts: dict[str, int] = {}
    _run(project, "2020-11-13")
    counts["full load"] = _of_table(called, "table_001")
    called.clear()
    write_changes(root, 1, 1, START + timedelta(days=1))
    _run(project, "2020-11-14")
    counts["small merge"] = _of_table(called, "table_001")
    counts["unchanged"] = _of_table(called, "table_002")
    counts["index and plan, all tables"] = len(called["dms_files"])
    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("what")
    shown.add_column("different macros", justify="right")
    for name, count in counts.items():
        shown.add_row(name, str(count))
    Console().print(shown)


def _declare(project: Path, root: Path) -> None:
    for command in ("discover", "scaffold"):
        arguments = [str(root)] if command == "discover" else []
        command_line = [sys.executable, "-m", "pyspark_dms", command, *arguments]
        subprocess.run(command_line, cwd=project, check=True, stdout=subprocess.DEVNULL)
        for path in (project / "models/sources").rglob("*.yml"):
            path.write_text(path.read_text().replace("active: false", "active: true"))


def _run(project: Path, run_date: str) -> None:
    options = ["--project-dir", str(project), "--profiles-dir", str(project / "profiles")]
    variables = ["--vars", json.dumps({"run_date": run_date})]
    if not dbtRunner().invoke(["--quiet", "run", *variables, *options]).success:
        raise click.ClickException(f"the run of {run_date} failed")


def _of_table(called: dict[str, set[str]], table: str) -> int:
    nodes = [node for node in called if node.endswith((f"__{table}", f"{table}_snapshot"))]
    return len(set().union(*(called[node] for node in nodes)))


if __name__ == "__main__":
    main()
