"""Writes the pages of this folder that follow from the code: commands, errors, tables, ….

``python docs/reference/generate.py`` writes them; with ``--check`` it fails if one is not as it
would be written. Each page names what it is made from.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import yaml

from pyspark_dms.cli import main as commands

_FOLDER = Path(__file__).resolve().parent
_REPOSITORY = _FOLDER.parents[1]
_DOCS_BLOCK = re.compile(r"{% docs (\w+) %}\n(.*?)\n{% enddocs %}", re.DOTALL)


def pages() -> dict[str, str]:
    """The content of each generated page by its name."""
    return {
        "commands.md": _commands(),
        "data-tests.md": _data_tests(),
        "errors.md": _errors(),
        "operations.md": _operations(),
        "tables.md": _tables(),
    }


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for row in rows:
        cells = (" ".join(_escaped(cell).split()) for cell in row)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Text of a cell: what would end it, or begin HTML outside of code, is escaped."""
    parts = text.replace("|", "\\|").split("`")
    parts[::2] = [part.replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)


def _macros(layer: str) -> dict[str, Mapping[str, Any]]:
    text = (_REPOSITORY / "macros" / layer / "_macros.yml").read_text(encoding="utf-8")
    return {macro["name"]: macro for macro in yaml.safe_load(text)["macros"]}


def _sentences(text: str) -> str:
    return _escaped(" ".join(text.split()))


def _commands() -> str:
    parts = [
        "# Commands",
        "Each is `dms-snapshots <command>`, with the environment of the project. "
        "dbt's own commands, and what a run means: [run-daily.md](../how-to/run-daily.md).",
    ]
    for name, command in sorted(commands.commands.items()):
        said = inspect.cleandoc(command.help or "").replace("\b\n", "").replace("<", "&lt;")
        parts.append(f"## {name}\n\n{said}")
        rows = [
            (_usage(parameter), getattr(parameter, "help", None) or "see above")
            for parameter in command.params
        ]
        if rows:
            parts.append(_table(["Argument", "Meaning"], rows))
    return _page("the commands' own help", parts)


def _usage(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Argument):
        return f"`{parameter.human_readable_name.upper()}`"
    assert isinstance(parameter, click.Option)
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    return names if parameter.is_flag else f"{names} {parameter.type.name}"


def _operations() -> str:
    parts = [
        "# Operations",
        "Each is `dbt run-operation <name> --args '{…}'`. When to use which, and how to undo it: "
        "[operations.md](../how-to/operations.md).",
    ]
    text = (_REPOSITORY / "docs/how-to/operations.md").read_text(encoding="utf-8")
    named = set(re.findall(r"run-operation (\w+)", text))
    for name, macro in sorted(_macros("operations").items()):
        if name in named:
            rows = [
                (f"`{one['name']}`", one.get("type", ""), one["description"])
                for one in macro["arguments"]
            ]
            parts.append(f"## {name}\n\n{_sentences(macro['description'])}")
            parts.append(_table(["Argument", "Type", "Meaning"], rows))
    return _page("macros/operations/_macros.yml", parts)


def _data_tests() -> str:
    parts = [
        "# Data tests",
        "`scaffold` adds those of a table to its models, and `dbt test` runs them. What passed on "
        "the published version is not run again: `--vars '{test_again: true}'` runs all.",
    ]
    rows = [
        (f"`{name.removeprefix('test_')}`", macro["description"])
        for name, macro in sorted(_macros("generic_tests").items())
        if name.startswith("test_")
    ]
    parts.append("## Of each table: rows that should not be there\n")
    parts.append(_table(["Test", "Finds"], rows))
    parts.append("## Of the project\n")
    found = []
    for path in sorted((_REPOSITORY / "data-tests").glob("*.sql")):
        said = re.findall(r"^-- (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        found.append((f"`{path.stem}`", said[0] if said else ""))
    parts.append(_table(["Test", "Finds"], found))
    return _page("macros/generic_tests/_macros.yml and data-tests", parts)


def _errors() -> str:
    parts = [
        "# Errors",
        "A message says what is wrong, what was not done and what to do, and ends with a number. "
        "Here is when an error with that number comes, and what else helps.",
    ]
    text = (_REPOSITORY / "python_hooks/pyspark_dms/errors.yml").read_text(encoding="utf-8")
    for group in yaml.safe_load(text):
        parts.append(f"## {group['name']}")
        for number, error in group["errors"].items():
            parts.append(f"### {number} {error['title']}\n\n{_sentences(error['text'])}")
    return _page("python_hooks/pyspark_dms/errors.yml", parts)


def _tables() -> str:
    described = yaml.safe_load(
        (_REPOSITORY / "models/metadata/_metadata.yml").read_text(encoding="utf-8")
    )
    blocks = dict(
        _DOCS_BLOCK.findall((_REPOSITORY / "models/docs/columns.md").read_text(encoding="utf-8"))
    )
    parts = [
        "# Tables and columns",
        "What a declared table becomes has its declared columns, and those below. The metadata "
        "tables are one for all tables of a lake.",
        "## Added columns\n",
        _table(
            ["Column", "Meaning"],
            [
                (f"`{'_' if name.startswith('dms_') else ''}{name}`", text)
                for name, text in blocks.items()
            ],
        ),
    ]
    for model in described["models"]:
        parts.append(f"## {model['name']}\n\n{_sentences(model['description'])}")
        rows = [
            (f"`{column['name']}`", column["data_type"], column["description"])
            for column in model["columns"]
        ]
        parts.append(_table(["Column", "Type", "Meaning"], rows))
    return _page("models/metadata/_metadata.yml and models/docs/columns.md", parts)


def _page(source: str, parts: Sequence[str]) -> str:
    head, *rest = parts
    note = f"<!-- Generated from {source} by docs/reference/generate.py: change it there. -->"
    return "\n\n".join([head, note, *(part.strip() for part in rest)]) + "\n"


def main() -> int:
    """Write the pages, or check them; returns the exit code."""
    stale = []
    for name, content in pages().items():
        path = _FOLDER / name
        if "--check" not in sys.argv:
            path.write_text(content, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != content:
            stale.append(name)
    if stale:
        print(f"Not as the code says: {', '.join(stale)}. Run: make format", file=sys.stderr)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
