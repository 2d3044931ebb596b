"""Each macro, and each argument of a public one, has one description, in ``_macros.yml``."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

MACROS = Path(__file__).resolve().parents[2] / "macros"
NAMES = {"macro": "{}", "test": "test_{}", "materialization": "materialization_{}_spark"}
HEAD = re.compile(r"{%-?\s*(macro|test|materialization)\s+(\w+)(.*?)%}(\s*{#)?", re.DOTALL)


def faults(sql: str, described: list[dict[str, Any]]) -> list[str]:
    """What the macros of a folder do not say, or say twice."""
    names = [entry["name"] for entry in described]
    entries = dict(zip(names, described, strict=True))
    heads = {NAMES[kind].format(name): rest for kind, name, *rest in HEAD.findall(sql)}
    found = [f"{name} is described twice" for name in entries if names.count(name) > 1]
    found += [f"{name} is described, and is not there" for name in entries if name not in heads]
    for name, (signature, comment) in heads.items():
        entry = entries.get(name, {})
        arguments = entry.get("arguments", [])
        has = re.findall(r"(?:^|,)\s*(\w+)", signature.partition("(")[2])
        if name.startswith("_"):
            if arguments:
                found.append(f"{name} is private, and describes arguments")
        elif [one["name"] for one in arguments] != has:
            found.append(f"{name} has other arguments than are described")
        found += [
            f"{name} lacks a description of {one['name']}"
            for one in (entry | {"name": "itself"}, *arguments)
            if not one.get("description")
        ]
        if comment:
            found.append(f"{name} begins with a comment, which would be a second description")
    return found


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in MACROS.glob("*/*.yml")))
def test_each_macro_and_public_argument_has_one_description(folder: str) -> None:
    sql = "".join(path.read_text("utf-8") for path in (MACROS / folder).glob("*.sql"))
    described = yaml.safe_load((MACROS / folder / "_macros.yml").read_text("utf-8"))
    assert faults(sql, described["macros"]) == []


GOOD = {"name": "low", "description": "Low.", "arguments": [{"name": "x", "description": "X."}]}


@pytest.mark.parametrize(
    ("sql", "described", "fault"),
    [
        ("{% macro low(x=[1]) -%}{% set a = 1 %}{#- why -#}", [GOOD], None),
        ("{% macro low(x) %}", [], "lacks a description of itself"),
        ("{% macro low(x) %}", [{**GOOD, "description": ""}], "lacks a description of itself"),
        ("{% macro low(x) %}", [{**GOOD, "arguments": [{"name": "x"}]}], "a description of x"),
        ("{% macro low(x) %}", [GOOD, GOOD], "twice"),
        ("{% macro low(x, y=none) %}", [GOOD], "other arguments"),
        ("{% macro low(y) %}", [GOOD], "other arguments"),
        ("{% macro _low(x) %}", [{"name": "_low", "description": "Low."}], None),
        ("{% macro _low(x) %}", [{"name": "_low"}], "_low lacks a description of itself"),
        ("{% macro _low(x) %}", [{**GOOD, "name": "_low"}], "is private"),
        ("{% test low(x) %}", [GOOD], "test_low lacks"),
        ("{% test high(x) %}", [GOOD], "low is described, and is not there"),
        ("{% macro low(x) -%}\n    {#- Low. -#}", [GOOD], "begins with a comment"),
    ],
)
def test_what_is_not_said_or_said_twice_is_found(
    sql: str, described: list[dict[str, Any]], fault: str | None
) -> None:
    found = faults(sql, described)
    assert found == [] if fault is None else any(fault in one for one in found)
