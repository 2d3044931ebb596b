"""The command ``compare``: what differs, what only waits, and what cannot be compared.

``DMS_COMPARE_ROWS`` is how many rows the large tables have; ``python -m bench.compare`` takes ten
million.
"""

import json
import os
import random
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pyspark_dms.compare.source import URL_VARIABLE
from tests.compare.conftest import Compare
from tests.compare.databases import PASSWORD, Database, make_table
from tests.support.project import Project, Table

SLEEP = "pyspark_dms.compare.comparison.sleep"
PEOPLE = {"id": "int", "name": "string", "wage": "decimal(10,2)"}
THREE = ((1, "Ann", Decimal("10.00")), (2, "Bob", Decimal("20.50")), (3, None, None))
PEOPLE_THERE = {"id": "int", "name": "varchar(50)", "wage": "decimal(10,2)"}


@pytest.fixture(scope="module")
def tables(database: Database, project: Project) -> dict[str, Table]:
    """Tables that one run publishes, each equal to its source at first."""
    made = {}
    for name in ("equal", "people", "moved", "looked", "late", "counted", "reloaded", "unreadable"):
        made[name] = project.declare(name, PEOPLE, ["id"])
        made[name].write_load(*THREE)
        rows = [["1", "'Ann'", "10"], ["2", "'Bob'", "20.5"], ["3", "null", "null"]]
        make_table(database, "hr", name, PEOPLE_THERE, ["id"], rows)
    made["log"] = project.declare("log", {"line": "string"}, [])
    made["log"].write_load(("first",))
    make_table(database, "hr", "log", {"line": "varchar(20)"}, [], [["'first'"]])
    made["gone"] = project.declare("gone", {"id": "int", "added": "string"}, ["id"])
    made["gone"].write_load((1, "by DMS"))
    make_table(database, "hr", "gone", {"id": "int", "extra": "int"}, ["id"], [["1", "5"]])
    # Here `id` is the key by declaration only, so that a row may be without.
    made["keyless_there"] = project.declare("keyless_there", PEOPLE, ["id"])
    made["keyless_there"].write_load(*THREE)
    make_table(database, "hr", "keyless_there", PEOPLE_THERE, [], [*rows, ["null", "'Eve'", "1"]])
    for name, keys in (("split", ["shard", "id"]), ("together", ["id"])):
        paths = [f"{project.dms_root}/hr/{name}/{shard}/" for shard in "ab"]
        made[name] = project.declare(
            name, {**PEOPLE, "shard": "string"}, keys, path=paths, shard_column="shard"
        )
    # Two sources have a row of the same key; a third has the rows of two folders.
    for shard, wage in (("a", "1.00"), ("b", "2.00")):
        load = f"{shard}/LOAD00000001.parquet"
        made["split"].write_load((1, shard, Decimal(wage)), name=load, columns=PEOPLE)
        there = [["1", f"'{shard}'", wage]]
        make_table(database, "hr", f"split_{shard}", PEOPLE_THERE, ["id"], there)
    made["together"].write_load(*THREE[:2], name="a/LOAD00000001.parquet", columns=PEOPLE)
    made["together"].write_load(*THREE[2:], name="b/LOAD00000001.parquet", columns=PEOPLE)
    make_table(database, "hr", "together", PEOPLE_THERE, ["id"], rows)
    made["empty"] = project.declare("empty", PEOPLE, ["id"], history=False)
    made["empty"].write_load()
    make_table(database, "hr", "empty", PEOPLE_THERE, ["id"], [])
    made |= {name: _large(database, project, name) for name in LARGE}
    assert project.run("2020-11-13").ok
    return made


# Of each table with many rows: the types of its key, here and there, and the key of row n.
LARGE: dict[str, tuple[dict[str, str], dict[str, str], Any]] = {
    "whole": ({"id": "bigint"}, {"id": "bigint"}, lambda n: (n * 3,)),
    # All but one key stand close together.
    "skewed": (
        {"id": "bigint"}, {"id": "bigint"}, lambda n: (n if n else 9_000_000_000_000_000_000,)
    ),
    "parts": ({"a": "int", "b": "string"}, {"a": "int", "b": "varchar(9)"},
              lambda n: (n // 6000, f"k{n}")),
    "texts": ({"code": "string"}, {"code": "varchar(9)"}, lambda n: (f"{'aA'[n % 2]}{n // 2}",)),
}  # fmt: skip
ROWS = int(os.environ.get("DMS_COMPARE_ROWS", "13000"))


def _large(database: Database, project: Project, name: str) -> Table:
    here, there, key = LARGE[name]
    table = project.declare(name, {**here, "note": "string"}, list(here))
    keys = [key(n) for n in range(ROWS)]
    table.write_load(*[(*one, f"note {one[0]}") for one in keys])
    if database.name == "mariadb" and name == "texts":
        # Keys that differ in case are two keys, as they are in PostgreSQL.
        there = {"code": "varchar(9) character set latin1 collate latin1_bin"}
    rows = [[*map(_sql, one), f"'note {one[0]}'"] for one in keys]
    make_table(database, "hr", name, {**there, "note": "varchar(40)"}, list(here), rows)
    return table


def _sql(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else f"{value}"


def _where(names: Sequence[str], key: Sequence[object]) -> str:
    return " and ".join(f"{name} = {_sql(part)}" for name, part in zip(names, key, strict=True))


def test_equal_tables_are_equal(tables: dict[str, Table], compare: Compare) -> None:
    result = compare("hr.equal", "hr.empty")
    assert result.exit_code == 0, result.output
    assert [table["state"] for table in result.tables] == ["equal", "equal"]
    assert [table["rows_there"] for table in result.tables] == [3, 0]


def test_what_differs_is_named_on_the_screen_in_json_and_on_a_page(
    tables: dict[str, Table], database: Database, compare: Compare, tmp_path: Path
) -> None:
    database.execute(
        "delete from hr.people where id = 1; insert into hr.people values (9, 'Eve', 1);"
        "update hr.people set name = '', wage = 0 where id = 3;"
        "update hr.people set name = '<b>' where id = 2"
    )
    page = tmp_path / "page.html"
    result = compare("hr.people", "--page", str(page))
    assert result.exit_code == 1
    table = result.table
    assert (table["rows_here"], table["rows_there"]) == (3, 3)
    assert table["sample"] == {
        "only_here": [["1"]],
        "only_there": [["9"]],
        # NULL and the empty text are two things.
        "different": [
            {"key": ["2"], "columns": ["name"]},
            {"key": ["3"], "columns": ["name", "wage"]},
        ],
        "waiting": [],
    }
    assert table["columns_different"] == {"name": 2, "wage": 1}
    assert "different: id = 3: name, wage" in result.output
    text = page.read_text()
    assert "hr.people: different" in text
    assert "name, wage" in text
    assert PASSWORD not in result.output + text + json.dumps(result.tables)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in ("whole", "parts") else pytest.mark.thorough)
        for name in LARGE
    ],
)
def test_all_differences_in_many_rows_are_found_and_nothing_else(
    tables: dict[str, Table], database: Database, compare: Compare, name: str
) -> None:
    here, _, key = LARGE[name]
    names = list(here)
    chosen = random.Random(7).sample(range(ROWS), 30)
    planted: dict[str, list[list[str]]] = {"only_here": [], "only_there": [], "different": []}
    for place, number in enumerate(chosen):
        parts = key(number)
        where = f"from hr.{name} where" if place % 2 else f"hr.{name} set note = 'x' where"
        verb = "delete" if place % 2 else "update"
        database.execute(f"{verb} {where} {_where(names, parts)}")
        kind = "only_here" if place % 2 else "different"
        planted[kind].append([str(part) for part in parts])
    added = ["-5"] if len(names) == 1 and here[names[0]] == "bigint" else ["0", "zz"][-len(names) :]
    values = ", ".join(part if part.lstrip("-").isdigit() else _sql(part) for part in added)
    database.execute(f"insert into hr.{name} values ({values}, 'new')")
    planted["only_there"].append(added)
    result = compare(f"hr.{name}", "--range-size", "1000", "--sample", "100", "--threads", "3")
    found = result.table["sample"]
    assert sorted(one["key"] for one in found["different"]) == sorted(planted["different"])
    assert sorted(found["only_here"]) == sorted(planted["only_here"])
    assert found["only_there"] == planted["only_there"]
    assert result.table["rows_there"] == ROWS - 15 + 1


def test_a_row_of_the_source_without_a_key_is_found(
    tables: dict[str, Table], compare: Compare
) -> None:
    result = compare("hr.keyless_there")
    assert (result.exit_code, result.table["state"]) == (1, "different")
    assert (result.table["only_here"], result.table["only_there"]) == (0, 1)
    assert result.table["sample"]["only_there"] == [[None]]


def test_what_is_too_much_to_read_row_by_row_is_told(
    tables: dict[str, Table], database: Database, compare: Compare
) -> None:
    database.execute("update hr.counted set name = 'y' where id = 3")
    few = compare("hr.counted", "--max-rows", "1")
    assert (few.exit_code, few.table["state"]) == (1, "different")
    assert (few.table["different"], few.table["rows_not_looked_at"]) == (0, 3)
    assert "the counts are the least there is" in few.output


def test_a_key_with_a_change_that_the_compared_state_does_not_have_yet_waits(
    tables: dict[str, Table], database: Database, project: Project, compare: Compare
) -> None:
    database.execute(
        "update hr.moved set name = 'Anna' where id = 1; delete from hr.moved where id = 2;"
        "insert into hr.moved values (4, 'Dan', 1); update hr.moved set wage = 7 where id = 3"
    )
    tables["moved"].write_changes(
        "20201115-100000000",
        ("U", 1, "Anna", Decimal("10.00")),
        ("D", 2, "Bob", Decimal("20.50")),
        ("I", 4, "Dan", Decimal("1.00")),
    )
    result = compare("hr.moved")
    assert result.table["sample"]["waiting"] == [["1"], ["2"], ["4"]]
    # Of this one there is no change.
    assert result.table["sample"]["different"] == [{"key": ["3"], "columns": ["wage"]}]
    assert result.exit_code == 1
    database.execute("update hr.moved set wage = null where id = 3")
    assert compare("hr.moved").exit_code == 0
    # Once a run has applied them, an earlier date still lacks them.
    assert project.run_tables("2020-11-15", [tables["moved"]]).ok
    newest = compare("hr.moved")
    assert (newest.exit_code, newest.table["waiting"]) == (0, 0)
    earlier = compare("hr.moved", "--run-date", "2020-11-13")
    assert (earlier.exit_code, earlier.table["waiting"]) == (0, 3)


def test_a_key_that_changes_between_two_looks_waits_and_one_that_stays_differs(
    tables: dict[str, Table], database: Database, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.execute("update hr.looked set wage = 8 where id in (2, 3)")
    slept = []

    def write_meanwhile(seconds: float) -> None:
        slept.append(seconds)
        database.execute("update hr.looked set wage = 9 where id = 3")

    monkeypatch.setattr(SLEEP, write_meanwhile)
    result = compare("hr.looked", "--wait", "30")
    assert slept == [30.0]
    assert result.table["sample"]["waiting"] == [["3"]]
    assert result.table["sample"]["different"] == [{"key": ["2"], "columns": ["wage"]}]


def test_a_file_that_comes_while_compare_waits_explains_a_difference(
    tables: dict[str, Table], database: Database, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.execute("update hr.late set wage = 9 where id in (2, 3)")

    def write_file(seconds: float) -> None:
        rows = (("U", 3, None, Decimal("9.00")), ("U", 2, "Bob", Decimal("9.00")))
        tables["late"].write_changes("20201116-100000000", *rows)

    monkeypatch.setattr(SLEEP, write_file)
    result = compare("hr.late", "--wait", "30")
    assert (result.exit_code, result.table["waiting"]) == (0, 2)


def test_behind_a_new_full_load_nothing_can_be_told(
    tables: dict[str, Table], database: Database, compare: Compare
) -> None:
    assert compare("hr.reloaded").exit_code == 0
    database.execute("delete from hr.reloaded where id = 2")
    tables["reloaded"].write_load(THREE[0], name="LOAD00000001.parquet")
    result = compare("hr.reloaded", "hr.equal")
    assert result.exit_code == 2
    assert [table["state"] for table in result.tables] == ["not compared", "equal"]
    assert "a new full load waits" in result.tables[0]["reason"]


def test_a_waiting_file_that_cannot_be_read_is_named(
    tables: dict[str, Table], database: Database, compare: Compare
) -> None:
    database.execute("delete from hr.unreadable where id = 2")
    (tables["unreadable"].folder / "20201116-100000000.parquet").write_bytes(b"no Parquet")
    result = compare("hr.unreadable")
    assert result.exit_code == 2
    assert "20201116-100000000.parquet" in result.table["reason"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["hr.log"], "the table has no primary key"),
        (["hr.gone"], "has no column added"),
        (["hr.split"], "Name the one that this source has: --shard a. [E652]"),
        (["hr.together"], "--shard a. If this source has the rows of all"),
        (["hr.split", "--shard", "c"], "it has no shard c. Nothing of it was compared. There are:"),
        (["hr.split", "--ignore", "shard", "--source-table", "hr.split_a"], "key is ignored"),
        (["hr.equal", "--shard", "a"], "it has no shard_column"),
        (["hr.equal", "--ignore", "ID"], "a column of the primary key is ignored"),
        (["hr.equal", "--source-table", "hr.nobody"], "the source has no table hr.nobody"),
    ],
)
def test_what_cannot_be_compared_is_named_with_the_reason(
    tables: dict[str, Table], compare: Compare, arguments: list[str], reason: str
) -> None:
    result = compare(*arguments)
    assert (result.exit_code, result.table["state"]) == (2, "not compared")
    assert reason in result.table["reason"]


@pytest.mark.thorough
def test_each_folder_of_a_table_is_compared_with_a_source_of_its_own(
    tables: dict[str, Table], database: Database, project: Project, compare: Compare
) -> None:
    for shard in "ab":
        asked = ("hr.split", "--shard", shard, "--source-table", f"hr.split_{shard}")
        result = compare(*asked)
        assert (result.exit_code, result.table["rows_here"]) == (0, 1), result.output
        assert (result.table["shard"], f"hr.split, shard {shard}" in result.output) == (shard, True)
    database.execute("update hr.split_b set wage = 3")
    # A change, then a load, wait in the folder of the other source, which is nothing to this one.
    tables["split"].write_changes(
        "a/20201116-100000000", ("U", 1, "a", Decimal("9.00")), columns=PEOPLE
    )
    result = compare(*asked)
    assert (result.table["different"], result.table["waiting"]) == (1, 0), result.output
    tables["split"].write_load(name="a/LOAD00000002.parquet", columns=PEOPLE)
    assert compare(*asked).table["different"] == 1
    tables["split"].write_changes(
        "b/20201116-100000000", ("U", 1, "b", Decimal("3.00")), columns=PEOPLE
    )
    result = compare(*asked)
    assert (result.exit_code, result.table["waiting"]) == (0, 1), result.output
    # A change that a later date has applied, in the folder of the other source.
    (tables["split"].folder / "b/20201116-100000000.parquet").unlink()
    assert project.run_tables("2020-11-16", [tables["split"]]).ok
    result = compare(*asked, "--run-date", "2020-11-13")
    assert (result.table["different"], result.table["waiting"]) == (1, 0), result.output


def test_one_source_may_have_the_rows_of_all_folders(
    tables: dict[str, Table], compare: Compare
) -> None:
    result = compare("hr.together", "--ignore", "shard")
    assert result.exit_code == 0, result.output
    assert result.table["rows_here"] == 3


def test_a_column_can_be_left_out_and_one_that_is_not_declared_is_named(
    tables: dict[str, Table], compare: Compare
) -> None:
    result = compare("hr.gone", "--ignore", "added")
    assert result.exit_code == 0
    assert result.table["columns_ignored"] == ["added"]
    assert result.table["columns_undeclared"] == ["extra"]


def test_a_column_to_leave_out_that_no_table_has_is_refused(
    tables: dict[str, Table], compare: Compare
) -> None:
    result = compare("hr.equal", "hr.gone", "--ignore", "added", "--ignore", "addedd")
    assert (result.exit_code, result.tables) == (2, []), result.output
    assert "--ignore addedd: no table that is compared has such a column" in result.output


def test_the_login_comes_from_the_environment_and_is_never_shown(
    tables: dict[str, Table],
    database: Database,
    compare: Compare,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address = database.environment()[URL_VARIABLE]
    host = address.rsplit("@", 1)[1]
    scheme = address.split(":", 1)[0]
    monkeypatch.setenv(URL_VARIABLE, f"{scheme}://reader:not-the-pass@{host}")
    refused = compare("hr.equal")
    assert refused.exit_code == 2
    assert "The source database did not answer" in refused.table["reason"]
    assert "not-the-pass" not in refused.output
    for url, reason in (
        ("", "DMS_SOURCE_URL is not set"),
        ("oracle://x@y/z", "Oracle, which compare cannot read yet"),
        ("mssql://x@y/z", "SQL Server, which compare cannot read yet"),
        ("ftp://x", "allowed are mysql, mariadb and postgresql"),
    ):
        monkeypatch.setenv(URL_VARIABLE, url)
        result = compare("hr.equal")
        assert result.exit_code == 2
        assert reason in " ".join(result.output.split())


def test_the_source_is_only_read(
    tables: dict[str, Table], database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark_dms.compare.source import Limits, open_source
    from pyspark_dms.errors import DmsError

    for name, value in database.environment().items():
        monkeypatch.setenv(name, value)
    source = open_source(Limits())
    assert source.rows("select count(*) from hr.empty") == [(0,)]
    with pytest.raises(DmsError, match=r"(?i)read.only"):
        source.rows("create table hr.written (id int)")
    source.close()
