"""Calls macros of the project as dbt calls them, without a project, an adapter and Spark."""

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dbt.clients.jinja import MacroGenerator
from dbt.context.base import generate_base_context
from dbt.context.exceptions_jinja import raise_compiler_error

MACROS = Path(__file__).parents[2] / "macros"
_MACRO = re.compile(r"{%-?\s*macro\s+(\w+)\(.*?endmacro\s*-?%}", re.DOTALL)


@dataclass(frozen=True)
class _Macro:
    """What dbt's generator wants to know of a macro."""

    name: str
    macro_sql: str
    unique_id: str


class Macros:
    """The macros of the project with what dbt puts around them; ``graph`` is shared, as in dbt.

    Args:
        graph: what dbt knows of the project; by default nothing.
        environment: the environment variables.
        stubs: functions or values that stand for macros and names of dbt.
        execute: whether dbt is past parsing.
        folder: the folder of the macros.
    """

    def __init__(
        self,
        graph: dict[str, Any] | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        stubs: Mapping[str, Any] | None = None,
        execute: bool = True,
        folder: Path = MACROS,
    ) -> None:
        self.graph = {"sources": {}, "nodes": {}} if graph is None else graph
        given = environment or {}
        self.context: dict[str, Any] = generate_base_context({})
        for path in sorted(folder.rglob("*.sql")):
            for found in _MACRO.finditer(path.read_text()):
                macro = _Macro(found[1], found[0], f"macro.dms_snapshots.{found[1]}")
                self.context[macro.name] = MacroGenerator(macro, self.context)  # type: ignore[arg-type]
        # They call each other by the name of the package; a stub stands for a macro there too.
        self.context["dms_snapshots"] = self.context
        self.context.update(
            {
                "graph": self.graph,
                "execute": execute,
                "exceptions": {"raise_compiler_error": raise_compiler_error},
                "env_var": lambda name, default=None: given.get(name, default),
                "project_name": "dms_snapshots",
                "selected_resources": list(self.graph.get("nodes", [])),
                "invocation_args_dict": {"project_dir": "/project", "vars": {}},
                "run_started_at": datetime(2020, 11, 13, 12, tzinfo=UTC),
                "context": {f"test_{name}": True for name in ("not_null", "unique")},
                **(stubs or {}),
            }
        )

    def __getattr__(self, name: str) -> Any:
        return self.context[name]


def source(schema: str, table: str, dms: Any, columns: Mapping[str, str] | None = None) -> Any:
    """The node of a declared table in the graph, as dbt has it."""
    names = {"id": "int", "name": "string"} if columns is None else columns
    return {
        "unique_id": f"source.dms_snapshots.{schema}.{table}",
        "source_name": schema,
        "name": table,
        "original_file_path": f"models/sources/{schema}/{table}.yml",
        "config": {"meta": {"dms": dms}},
        "columns": {
            name: {"name": name, "data_type": data_type, "description": "", "meta": {}}
            for name, data_type in names.items()
        },
    }


def graph_of(*sources: Any) -> dict[str, Any]:
    """A graph of declared tables."""
    return {"nodes": {}, "sources": {node["unique_id"]: node for node in sources}}


def in_threads(count: int, call: Any) -> list[Any]:
    """What a call gives in each of some threads that start together."""
    results: list[Any] = []
    together = threading.Barrier(count)

    def work() -> None:
        together.wait()
        results.append(call())

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
