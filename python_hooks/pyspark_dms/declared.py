"""What other commands than `scaffold` take from the declarations."""

from __future__ import annotations

import os
import re
from pathlib import Path

import jinja2

from pyspark_dms.aws.events import WatchedTable
from pyspark_dms.errors import DmsError
from pyspark_dms.scaffold import DeclaredTable, read_declarations

# The folder of the models that a run of some tables needs besides their own.
METADATA_MODELS = "metadata"


def watched_tables(project_dir: Path, *, all_known: bool = False) -> list[WatchedTable]:
    """Every active table of a project, with its folder as the environment now has it.

    Args:
        project_dir: folder of the project.
        all_known: whether to refuse a path that the environment leaves open.

    Raises:
        DmsError: a declaration cannot be read, or a path is refused.
    """
    tables = [table for table in read_declarations(project_dir) if table.active]
    if all_known:
        for table in tables:
            _check_unknown_paths(table)
    watched = []
    for table in tables:
        path, *others = declared_paths(table, project_dir)
        transactions = declared_path(table.settings.get("transaction_path"), project_dir)
        watched.append(WatchedTable(table.label, path, table.models, transactions, tuple(others)))
    return watched


def declared_paths(table: DeclaredTable, project_dir: Path) -> list[str]:
    """The folders of a declared table, at least one."""
    return [declared_path(path, project_dir) for path in _written_paths(table)]


def declared_path(declared: object, project_dir: Path) -> str:
    """The folder that a path of a declaration means now, as a listing would give it."""
    if not declared:
        return ""
    text = str(declared)
    try:
        path = _rendered(text)
    except jinja2.TemplateError:
        # Without the variable its place is not known.
        return text
    if "://" in path.removeprefix("file://"):
        # As macros/declaration/absolute_path.sql has it.
        return re.sub("(?<![:/])/{2,}", "/", path + "/")
    return f"{(project_dir.resolve() / path.removeprefix('file://')).resolve()}/"


def _written_paths(table: DeclaredTable) -> list[object]:
    written = table.settings.get("path")
    return [*written] if isinstance(written, list) and written else [written]


def _check_unknown_paths(table: DeclaredTable) -> None:
    written_paths = [("path", path) for path in _written_paths(table)]
    for key, value in (
        *written_paths,
        ("transaction_path", table.settings.get("transaction_path")),
    ):
        written = str(value or "")
        try:
            _rendered(written)
        except jinja2.TemplateError as problem:
            raise DmsError(
                "E113",
                f"{table.label} ({table.declared_in}) has {key} {written}: {problem}. Set it as "
                "the runs will have it, such as s3://my-bucket/dms, or write the address into the "
                "declaration.",
            ) from problem


def _rendered(text: str) -> str:
    environment = jinja2.Environment(autoescape=False, undefined=jinja2.StrictUndefined)

    def env_var(name: str, default: str | None = None) -> str:
        value = os.environ.get(name, default)
        if value is None:
            raise jinja2.UndefinedError(f"{name} is not set")
        return value

    return environment.from_string(text).render(env_var=env_var)
