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
_COMMON_ARGUMENTS = """\
* `select` names the tables: `source.table`, `source.*`, `*`, `<table>_snapshot` or `tag:<tag>`; \
several as a list, or with spaces between. It is required, except by `versions`.
* `dry_run`, by default `true`: only prints what it would do. `false`: does it."""
_COMMON_COLUMNS = ("source_name", "table_name")
_DEFAULT_IN_HELP = re.compile(r"\s*\[default: (.*?)\]$")
# Which tables have a column that staging does not add.
_ADDED_TO = {
    "snapshot_date": "`<table>_snapshot`, unless `history: false`",
    "partition_date": "`<table>_snapshot` and `<table>_current`, with `partition_date`",
    **dict.fromkeys(("kind", "version", "run_date"), "`<table>_changes`"),
}
# Help of the options that the head of the page of commands describes once.
_COMMON_HELP = {
    option.help for option in commands.commands["docs"].params if isinstance(option, click.Option)
}
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
        "Most take `--project-dir` (the folder with dbt_project.yml; default: the current one). "
        "Those that start dbt take `--target` of the profile (default: `$DMS_TARGET`).",
    ]
    for name, command in sorted(commands.commands.items()):
        parts += _command(name, command, "##")
    return _page("the commands' own help", parts)


def _command(name: str, command: click.Command, heading: str) -> list[str]:
    """A command, or a group and its commands, each with its options."""
    # The items of a list are names of files.
    said = _escaped(re.sub(r"(?m)^\* ([^\s,]+)", r"* `\1`", inspect.cleandoc(command.help or "")))
    if isinstance(command, click.Group):
        parts = [f"{heading} {name}\n\n{said}"]
        for part, its_command in command.commands.items():
            parts += _command(f"{name} {part}", its_command, f"{heading}#")
        return parts
    arguments = [
        f" {parameter.metavar or parameter.human_readable_name.upper()}"
        for parameter in command.params
        if isinstance(parameter, click.Argument)
    ]
    # In a block of its own it would be one of the commands that documents give.
    usage = f"`dms-snapshots {name}{''.join(arguments)}`"
    rows = [
        (_usage(option), _default(option, command), _DEFAULT_IN_HELP.sub("", option.help or ""))
        for option in command.params
        if isinstance(option, click.Option) and option.help not in _COMMON_HELP
    ]
    return [
        f"{heading} {name}\n\n{usage}\n\n{said}",
        *([_table(["Option", "Default", "Meaning"], rows)] if rows else []),
    ]


def _usage(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag:
        return names
    if isinstance(option.type, click.Choice):
        return f"{names}: {', '.join(f'`{choice}`' for choice in option.type.choices)}"
    kinds = {
        "integer range": "number",
        "integer": "number",
        "float": "number",
        "float range": "number",
    }
    return f"{names} {option.metavar or kinds.get(option.type.name, option.type.name)}"


def _default(option: click.Option, command: click.Command) -> str:
    """What holds without the option: as its help has it in brackets, else its default."""
    if option.required:
        return "required"
    if written := _DEFAULT_IN_HELP.search(option.help or ""):
        return written[1]
    value = option.get_default(click.Context(command), call=False)
    if option.secondary_opts:
        return f"`{(option.opts if value else option.secondary_opts)[0]}`"
    if option.is_flag:
        return "off"
    is_given = isinstance(value, str | int | float | Path)
    shown = (f"`{value:g}`" if isinstance(value, float) else f"`{value}`") if is_given else "none"
    return f"`${option.envvar}`, else {shown}" if option.envvar else shown


def _operations() -> str:
    parts = [
        "# Operations",
        "Each is `dbt run-operation <name> --args '{…}'`. When to use which, and how to undo it: "
        "[operations.md](../how-to/operations.md).",
        _COMMON_ARGUMENTS,
    ]
    text = (_REPOSITORY / "docs/how-to/operations.md").read_text(encoding="utf-8")
    named = set(re.findall(r"run-operation (\w+)", text))
    for name, macro in sorted(_macros("operations").items()):
        if name in named:
            defaults = _defaults(name)
            rows = [
                (f"`{one['name']}`", one["type"], defaults[one["name"]], one["description"])
                for one in macro["arguments"]
                if one["name"] not in ("select", "dry_run")
            ]
            parts.append(f"## {name}\n\n{_sentences(macro['description'])}")
            if rows:
                parts.append(_table(["Argument", "Type", "Default", "Meaning"], rows))
    return _page("macros/operations/_macros.yml and the operations", parts)


def _defaults(operation: str) -> dict[str, str]:
    """The default of each argument, from the first line of the macro."""
    text = (_REPOSITORY / f"macros/operations/{operation}.sql").read_text(encoding="utf-8")
    head = re.search(rf"{{% macro {operation}\((.*?)\) %}}", text)
    assert head, operation
    given = dict(part.split("=") for part in head[1].split(", "))
    # An operation fails without these.
    required = dict.fromkeys(("select", "from_date", "to_date", "to"), "required")
    return {
        name: f"`{value}`" if value != "none" else required.get(name, "none")
        for name, value in given.items()
    }


def _data_tests() -> str:
    parts = [
        "# Data tests",
        "`scaffold` adds the tests of a table to its models, and `dbt test` runs them. A test that "
        "passed on the published version is not run again. `--vars '{test_again: true}'` runs all.",
    ]
    rows = [
        (f"`{name.removeprefix('test_')}`", macro["description"])
        for name, macro in sorted(_macros("generic_tests").items())
        if name.startswith("test_")
    ]
    parts.append("## Tests of each table\n")
    parts.append(_table(["Test", "Finds"], rows))
    parts.append("## Tests of the project\n")
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
        "For each declared table there are `stg_<schema>__<table>`, `<table>_snapshot` and "
        "`<table>_current`, and `<table>_changes` with `change_feed: true`. They have the declared "
        "columns and the added columns below. The metadata tables, such as `dms_files`, exist once "
        "per schema. All have `source_name` (the schema folder of DMS) and `table_name`.",
        "## Added columns\n",
        _table(
            ["In", "Column", "Meaning"],
            [
                (_ADDED_TO.get(name, "`stg_…`"), f"`{'_' * name.startswith('dms_')}{name}`", text)
                for name, text in blocks.items()
            ],
        ),
        "In `<table>_changes`, each declared column that is no key is there as `<column>_before` "
        "and `<column>_after`. The columns of a history: [history](../how-to/history.md).",
    ]
    for model in described["models"]:
        parts.append(f"## {model['name']}\n\n{_sentences(model['description'])}")
        rows = [
            (f"`{column['name']}`", column["data_type"], column["description"])
            for column in model["columns"]
            if column["name"] not in _COMMON_COLUMNS
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
