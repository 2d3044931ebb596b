"""README and docs/ name commands, options, operations and variables that exist.

The commands themselves run in other tests: those of the tutorial in test_tutorial.py, those of
docs/how-to/operations.md in tests/scenarios/test_operations.py, those of docs/how-to/emr.md in
tests/deploy/test_aws.py.
"""

import re
import shlex
from collections.abc import Iterator

import click
import pytest
import yaml
from dbt.cli.main import cli as dbt

from pyspark_dms.cli import main as dms_snapshots
from tests.support.engines import REPOSITORY

DOCUMENTS = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for path in (
        *REPOSITORY.glob("*.md"),
        *(REPOSITORY / "docs").rglob("*.md"),
        REPOSITORY / "python_hooks/pyspark_dms/new_project/README.md",
    )
)
MACROS = (REPOSITORY / "macros/declaration/check_variables.sql").read_text(encoding="utf-8")
LISTS = re.findall(r"set (?:numbers|others) = \[(.*?)\]", MACROS, re.DOTALL)
VARIABLES = set(re.findall(r'"(\w+)"', "".join(LISTS)))
OPERATIONS = {
    macro["name"]: {argument["name"] for argument in macro.get("arguments", [])}
    for macro in yaml.safe_load((REPOSITORY / "macros/operations/_macros.yml").read_text())[
        "macros"
    ]
}
TARGETS = set(re.findall(r"^([a-z0-9-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
_PROGRAM = re.compile(r"(?:[A-Z_]+=(?:\"[^\"]*\"|\S*) )*(dbt|dms-snapshots|make) (.+)")
# Such as <table>.
_PLACEHOLDER = re.compile(r"<[^<>]+>")


def commands(name: str) -> Iterator[list[str]]:
    """The commands of a document, in blocks and in its sentences, as a shell splits them."""
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^ {4,}(?:.*?(?:&&|\|\|) )?(\S.*)$", text, re.MULTILINE)
    for written in (*blocks, *re.findall(r"`([^`\n]+)`", text)):
        if found := _PROGRAM.fullmatch(written):
            try:
                words = shlex.split(_PLACEHOLDER.sub("any", found[2]), comments=True)
            except ValueError:
                continue  # a part of a command, such as one with an ellipsis in quotes
            if words and words[0] != "any" and re.fullmatch(r"[a-z][a-z0-9-]*|--\w+", words[0]):
                yield [found[1], *words]


def wrong(command: list[str]) -> str | None:
    """Why a command cannot be given; None if it can."""
    program, *words = command
    if program == "make":
        targets = {word for word in words if "=" not in word and not word.startswith("-")}
        return f"no such targets: {sorted(targets - TARGETS)}" if targets - TARGETS else None
    group: click.Group = dbt if program == "dbt" else dms_snapshots
    if words[0].startswith("-"):
        return None if words == ["--help"] else "no option of the group is documented"
    if words[0] not in group.commands:
        return "no such command"
    part: click.Command = group.commands[words.pop(0)]
    while isinstance(part, click.Group) and words:
        part = part.commands[words.pop(0)]
    if not words:
        return None
    try:
        context = part.make_context(part.name, list(words))
    except click.UsageError as error:
        # A sentence may name an option of a command without all that it needs.
        return None if isinstance(error, click.MissingParameter) else error.format_message()
    given = set(context.params.get("vars") or ()) if program == "dbt" else set()
    if unknown := given - VARIABLES:
        return f"no such variables: {sorted(unknown)}"
    if part.name != "run-operation":
        return None
    operation = str(context.params["macro"])
    if operation == "any":
        return None
    if operation not in OPERATIONS:
        return f"no such operation: {operation}"
    unknown = set(context.params["args"] or ()) - OPERATIONS[operation]
    return f"no such arguments: {sorted(unknown)}" if unknown else None


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_command_of_a_document_can_be_given(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(REPOSITORY)
    found = {shlex.join(command): wrong(command) for command in commands(name)}
    assert {command: reason for command, reason in found.items() if reason} == {}


def test_commands_are_found_and_wrong_ones_are_told() -> None:
    found = [command for name in DOCUMENTS for command in commands(name)]
    assert len(found) > 150
    assert {command[0] for command in found} == {"dbt", "dms-snapshots", "make"}
    for command, reason in {
        "make nothing": "no such targets",
        "dms-snapshots nothing": "no such command",
        "dms-snapshots show --nothing": "No such option",
        "dbt run --vars '{run_dat: 2020-11-13}'": "no such variables",
        "dbt run-operation nothing": "no such operation",
        "dbt run-operation rollback --args '{selection: a.b}'": "no such arguments",
    }.items():
        assert reason in str(wrong(shlex.split(command))), command


def test_every_variable_of_a_document_is_read_somewhere() -> None:
    read = "".join(
        path.read_text(encoding="utf-8")
        for folder in (
            "python_hooks",
            "macros",
            "profiles",
            "deploy",
            "requirements",
            "tests",
            "bench",
        )
        for path in (REPOSITORY / folder).rglob("*")
        if path.suffix in {".py", ".sql", ".yml", ".sh", ".properties", ""} and path.is_file()
    )
    read += (REPOSITORY / "Makefile").read_text() + (REPOSITORY / "dbt_project.yml").read_text()
    variable = re.compile(r"\bDMS_[A-Z_]+\b")
    names = set(variable.findall(read))
    for name in DOCUMENTS:
        named = set(variable.findall((REPOSITORY / name).read_text(encoding="utf-8")))
        assert named - names == set(), name
