"""What a wrong declaration is told to become is right, and two mistakes come in one message."""

import json
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import pytest
import yaml
from dbt_common.exceptions import CompilationError
from jinja2 import Template

from tests.declaration.harness import Macros, graph_of, source

COLUMNS = {"id": "int", "name": "string"}
DMS = {"path": "s3://b/hr/a/", "primary_keys": ["id"]}


@dataclass(frozen=True)
class Mistake:
    """Keys and columns that are wrong, what is said of them, and what they become by that.

    A value of None in ``keys`` or ``advised`` takes the key or the column out.
    """

    says: tuple[str, ...]
    keys: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, str | None] = field(default_factory=dict)
    advised: dict[str, Any] = field(default_factory=dict)
    advised_columns: dict[str, str | None] = field(default_factory=dict)


MISTAKES = {
    "misspelt": Mistake(
        ("unknown key primary_key (did you mean primary_keys?)", "primary_keys is missing"),
        {"primary_key": ["id"], "primary_keys": None},
        advised={"primary_key": None, "primary_keys": ["id"]},
    ),
    "a flag": Mistake(
        ('active is "yes"', "true or false"), {"active": "yes"}, advised={"active": True}
    ),
    "a choice": Mistake(
        ('order_by is "name"', '"file", "change_seq", "timestamp"'),
        {"order_by": "name"}, advised={"order_by": "file"},
    ),
    "a fraction": Mistake(
        ("max_delete_fraction is 50", "a number from 0 to 1"),
        {"max_delete_fraction": 50}, advised={"max_delete_fraction": 0.5},
    ),
    "a share of inserts": Mistake(
        ('max_reinserted_fraction is "10%"', "a number from 0 to 1"),
        {"max_reinserted_fraction": "10%"}, advised={"max_reinserted_fraction": 0.1},
    ),
    "days": Mistake(
        ("retention is -1", "a whole number of days from 0"),
        {"retention": -1}, advised={"retention": 0},
    ),
    "a date": Mistake(
        ('cdc_start_date is "13.11.2020"', "YYYY-MM-DD"),
        {"cdc_start_date": "13.11.2020"}, advised={"cdc_start_date": "2020-11-13"},
    ),
    "a zone": Mistake(
        ('file_timezone is "+02:00"', "Europe/Berlin"),
        {"file_timezone": "+02:00"}, advised={"file_timezone": "Europe/Berlin"},
    ),
    "a zone of no column": Mistake(
        ("timestamp_timezone is Europe/Berlin, which needs timestamp_column",),
        {"timestamp_timezone": "Europe/Berlin"}, advised={"timestamp_column": "ts"},
    ),
    "no folder": Mistake(
        ("key path is missing; allowed is the folder",), {"path": None}, advised=DMS
    ),
    "a test": Mistake(
        ("gates is", "[{not_null: {column_name: name}}]"),
        {"gates": "not_null"}, advised={"gates": [{"not_null": {"column_name": "name"}}]},
    ),
    "csv": Mistake(
        ('csv.quote is "<<"', "one ASCII character"), {"csv": {"quote": "<<"}},
        advised={"csv": {"quote": "<"}},
    ),
    "csv of Parquet": Mistake(
        ("csv.header is set, but format is parquet; allowed is one of them",),
        {"format": "parquet", "csv": {"header": True}}, advised={"format": None},
    ),
    "an unlogged value": Mistake(
        ('csv.no_sup_value is set', "needs image: partial"),
        {"csv": {"no_sup_value": "?"}}, advised={"image": "partial"},
    ),
    "partial moves": Mistake(
        ("image is partial, and before_image_prefix is set", "remove image: partial"),
        {"image": "partial", "before_image_prefix": "BI_"}, advised={"image": None},
    ),
    "a type": Mistake(
        ('column at has data_type "timestamp_ntz"', "Declare timestamp"),
        columns={"at": "timestamp_ntz"}, advised_columns={"at": "timestamp"},
    ),
    "an unquoted type": Mistake(
        ('column price has data_type "decimal(10"', '"decimal(10,2)"'),
        columns={"price": "decimal(10"}, advised_columns={"price": "decimal(10,2)"},
    ),
    "a scale": Mistake(
        ("column rate has data_type decimal(5,10)", "s up to p"),
        columns={"rate": "decimal(5,10)"}, advised_columns={"rate": "decimal(5,5)"},
    ),
    "blanks of a number": Mistake(
        ("trim has id; allowed are declared columns of data_type string",),
        {"trim": ["id"]}, advised={"trim": ["name"]},
    ),
    "an undeclared date": Mistake(
        ("partition_date is born_on, which is no declared column",),
        {"partition_date": "born_on"}, advised_columns={"born_on": "date"},
    ),
    "shards": Mistake(
        ("path is a list of folders, and shard_column is missing",),
        {"path": ["s3://b/1/a/", "s3://b/2/a/"]},
        advised={"shard_column": "shard"}, advised_columns={"shard": "string"},
    ),
    "a shard of one": Mistake(
        ("shard_column is name, but path is one folder; allowed is a list of them",),
        {"shard_column": "name"}, advised={"path": ["s3://b/hr/a/"]},
    ),
    "no name": Mistake(
        ("path is s3://b//a/, with a folder without a name (//)", "Remove the second slash"),
        {"path": "s3://b//a/"}, advised={"path": "s3://b/a/"},
    ),
}  # fmt: skip


def without_none(*given: dict[str, Any]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for one in given:
        merged.update(one)
    return {key: value for key, value in merged.items() if value is not None}


def problems(keys: dict[str, Any], columns: dict[str, Any]) -> list[str]:
    node = source("hr", "a", keys, columns)
    found: list[str] = Macros(graph_of(node)).read_declaration(node)["problems"]
    return found


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_names_key_and_value_and_what_it_advises_is_right(name: str) -> None:
    one = MISTAKES[name]
    keys, columns = without_none(DMS, one.keys), without_none(COLUMNS, one.columns)
    found = problems(keys, columns)
    for part in one.says:
        assert part in "\n".join(found)
    # One mistake is not told of in several ways.
    assert len(found) == (2 if name == "misspelt" else 1), found
    advised = without_none(DMS, one.keys, one.advised)
    assert problems(advised, without_none(columns, one.advised_columns)) == []


@dataclass(frozen=True)
class Wrong:
    """Keys and columns that are wrong, earlier names of columns, and what is said of them."""

    says: tuple[str, ...]
    keys: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=lambda: COLUMNS)
    renamed_from: dict[str, Any] = field(default_factory=dict)


WRONG = {
    "key not declared": Wrong(("primary_keys", "number", "id, name"), {"primary_keys": ["number"]}),
    "key as text": Wrong(("primary_keys", '"id"', "list"), {"primary_keys": "id"}),
    "null key": Wrong(("primary_keys", "null", "list"), {"primary_keys": None}),
    "wide decimal": Wrong(
        ("id", "decimal(39,2)", "decimal"), columns={"id": "decimal(39,2)", "name": "string"}
    ),
    "no columns": Wrong(("columns",), columns={}),
    "null path": Wrong(("path", "null"), {"path": None}),
    "op declared": Wrong(("op_column", "Op"), columns={"id": "int", "Op": "string"}),
    "reserved name": Wrong(("snapshot_date",), columns={"id": "int", "snapshot_date": "date"}),
    "twice in case": Wrong(("ID", "twice"), columns={"id": "int", "ID": "int"}),
    "no name": Wrong(("a column has an empty name",), columns={"id": "int", " ": "string"}),
    "unknown csv key": Wrong(("csv.separator", "delimiter"), {"csv": {"separator": ";"}}),
    "csv as text": Wrong(("csv", "mapping", "delimiter"), {"csv": ";"}),
    "csv signs overlap": Wrong(
        ("csv.delimiter", "csv.quote", "share"), {"csv": {"delimiter": "|'", "quote": "'"}}
    ),
    "csv nulls overlap": Wrong(
        ("csv.no_sup_value", '"NULL"'), {"image": "partial", "csv": {"no_sup_value": "NULL"}}
    ),
    "prefix of a column": Wrong(
        ("before_image_prefix", "oid"), {"before_image_prefix": "o"}, {"id": "int", "oid": "int"}
    ),
    "images without key": Wrong(
        ("image", "primary_keys is []"), {"primary_keys": [], "image": "partial"}
    ),
    "feed column twice": Wrong(
        ("change_feed", "column version twice"),
        {"primary_keys": ["version"], "change_feed": True},
        {"version": "int", "name": "string"},
    ),
    "renamed to two": Wrong(
        ("column name", "renamed_from Old", "one of them"),
        renamed_from={"id": ["old"], "name": ["Old"]},
    ),
    "renamed from op": Wrong(
        ("column name", "renamed_from op", "one of them"), renamed_from={"name": ["op"]}
    ),
    "renamed from text": Wrong(
        ("column name", 'renamed_from "old"', "list"), renamed_from={"name": "old"}
    ),
    "two tests in a gate": Wrong(
        ("gates", "list of generic data tests"),
        {"gates": [{"not_null": {"column_name": "id"}, "unique": {"column_name": "id"}}]},
    ),
    "unknown gate": Wrong(
        ("gates", "there is none of the name not_nul"),
        {"gates": [{"not_nul": {"column_name": "name"}}]},
    ),
    "zone of names": Wrong(
        ("file_timezone", '"Mars/Olympus"', "Europe/Berlin"), {"file_timezone": "Mars/Olympus"}
    ),
    "zone of times": Wrong(
        ("timestamp_timezone", '"+02:00"', "Europe/Berlin"),
        {"timestamp_timezone": "+02:00", "timestamp_column": "ts"},
    ),
    "list of zones": Wrong(
        ("file_timezone", '["UTC"]', "Europe/Berlin"), {"file_timezone": ["UTC"]}
    ),
    "no timestamp": Wrong(("order_by", "timestamp_column"), {"order_by": "timestamp"}),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named_with_what_is_allowed(name: str) -> None:
    one = WRONG[name]
    node = source("hr", "a", {**DMS, **one.keys}, one.columns)
    for column, earlier in one.renamed_from.items():
        node["columns"][column]["meta"] = {"dms": {"renamed_from": earlier}}
    found = "\n".join(Macros(graph_of(node)).read_declaration(node)["problems"])
    for part in one.says:
        assert part in found


PAIRS = [
    (first, second)
    for first, second in combinations(MISTAKES, 2)
    if not {*MISTAKES[first].keys, *MISTAKES[first].advised}
    & {*MISTAKES[second].keys, *MISTAKES[second].advised}
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_mistakes_come_in_one_message(first: str, second: str) -> None:
    both = [MISTAKES[first], MISTAKES[second]]
    keys = without_none(DMS, *(one.keys for one in both))
    found = problems(keys, without_none(COLUMNS, *(one.columns for one in both)))
    for one in both:
        assert one.says[0] in "\n".join(found)


class Relation(str):
    """A table that is there, as dbt gives it."""


def check(keys: dict[str, Any], columns: dict[str, str], then: dict[str, Any]) -> list[str]:
    """The lines of the error of a table that was published by ``then``; none if it may go on."""
    node = source("hr", "a", {**DMS, **keys}, columns)
    had = [
        {"name": name, "data_type": data_type, "comment": ""} for name, data_type in COLUMNS.items()
    ]
    version = {"version": 1, "fingerprint": "then", "generation": 1, "rows_after": 1}
    version["declarations"] = {"then": json.dumps(then)}
    macros = Macros(
        graph_of(node),
        stubs={
            "load_relation": lambda relation: relation,
            "staging_relation": lambda _: Relation("lake.stg_hr__a"),
            "named_relation": lambda name: Relation(f"lake.{name}"),
            "described_table": lambda _: {"columns": had},
            "run_command": lambda *_, **__: "dbt run --full-refresh",
            "whole_versions": lambda *_: {"base": version},
            "warn_of_table": lambda *_: None,
        },
    )
    current = {"fingerprint": "then", "layout": "one snapshot per date"}
    plan = {"current": current, "full_refresh": False, "action": "none", "base": version}
    try:
        macros.check_declaration(macros.declaration("hr", "a"), {**plan, "generation": 1})
    except CompilationError as error:
        return str(error.msg).split("\n")
    return []


def facts_of(keys: dict[str, Any], columns: dict[str, str]) -> Any:
    node = source("hr", "a", {**DMS, **keys}, columns)
    macros = Macros(graph_of(node))
    return macros.declared_facts(macros.read_declaration(node))


def test_layout_types_and_keys_that_differ_come_in_one_message() -> None:
    then = facts_of({}, COLUMNS)
    columns = {"id": "bigint", "name": "int"}
    types, layout, keys = check({"history": False, "primary_keys": ["name"]}, columns, then)
    assert "column id is declared as bigint" in types
    assert "column name is declared as int" in types
    assert "For another type declare each under a new name, with" in types
    assert "{renamed_from: [id]}}} and config: {meta: {dms: {renamed_from: [name]}}}." in types
    assert types.endswith("[E404]")
    assert "it was published as: one snapshot per date" in layout
    assert layout.endswith("[E402]")
    assert "primary_keys were id and are name" in keys
    assert keys.endswith("[E403]")


@pytest.mark.parametrize(
    "name", ["no", "null", "1e3", "a: b", "2020", "{{ x }}", "{% x", 'a"b', "x"]
)
def test_a_column_of_any_name_can_be_declared_under_another_as_the_message_has_it(
    name: str,
) -> None:
    had = [{"name": name, "data_type": "string", "comment": ""}]
    macros = Macros(stubs={"described_table": lambda _: {"columns": had}})
    text = macros.sync_columns("lake.a", [{"name": name, "data_type": "int"}], "hr.a", False)
    written = yaml.safe_load(text.partition("under a new name, with ")[2].partition(". [E404]")[0])
    written = written["config"]
    assert Template(written["meta"]["dms"]["renamed_from"][0]).render() == name


def test_what_a_run_only_warns_of_stops_no_table() -> None:
    assert check({}, {**COLUMNS, "city": "string"}, facts_of({}, COLUMNS)) == []
    # But one mistake alone is told as ever.
    [keys] = check({"primary_keys": ["name"]}, COLUMNS, facts_of({}, COLUMNS))
    assert keys.endswith("[E403]")
