"""A full load that has no key of what it replaces: most often two DMS tasks in one folder."""

import pytest

from tests.conftest import NewProject
from tests.support.project import Project, Table
from tests.support.side_by_side import COLUMNS

MISSING_DATE = {"from_date": "2020-11-14", "to_date": "2020-11-14"}


@pytest.fixture
def project(new_project: NewProject) -> Project:
    return new_project("reloads")


@pytest.mark.thorough
def test_a_reload_without_a_key_of_before_is_not_published_unless_it_is_let_pass(
    project: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    columns = {"shard": "int", "id": "int", "amount": "int"}
    orders = project.declare("orders", columns, ["shard", "id"])
    by_date = project.declare(
        "by_date", {**columns, "day": "date"}, ["shard", "id"], partition_date="day"
    )
    again, empty = (
        project.declare(name, columns, ["shard", "id"]) for name in ("again", "no_rows")
    )
    keyless = project.declare("keyless", columns, [])
    folders = [f"{project.dms_root}/hr/split/{folder}/" for folder in "ab"]
    split = project.declare(
        "split", {**columns, "folder": "string"}, ["folder", "shard", "id"],
        path=folders, shard_column="folder",
    )  # fmt: skip

    def load(table: Table, *rows: tuple[int, int, int]) -> None:
        table.write_load(*((*row, None) if table is by_date else row for row in rows))

    def load_folder(folder: str, *rows: tuple[int, int, int]) -> None:
        split.write_load(*rows, name=f"{folder}/LOAD00000001.parquet", columns=columns)

    for table in (orders, by_date, again, empty, keyless):
        load(table, (1, 1, 5), (1, 2, 6))
    load_folder("a", (1, 1, 5))
    load_folder("b", (1, 1, 5))
    assert project.run("2020-11-13").ok

    # The task of the second shard writes its load over that of the first.
    for table in (orders, by_date, keyless):
        load(table, (2, 1, 7), (2, 2, 8))
    load(again, (2, 1, 7), (1, 2, 8))
    load(empty)
    # Of two folders that are loaded again, one has a key of before and hides nothing of the other.
    load_folder("a", (1, 1, 7))
    load_folder("b", (2, 1, 7))
    result = project.run("2020-11-14")
    assert result.failed == ["by_date_snapshot", "orders_snapshot", "split_snapshot"]
    assert "hr.split: its new full load of shard b has no key" in result.errors, result.errors
    for part in ("hr.orders: its new full load has no key of the rows it replaces",
                 '{"shard":1,"id":', '{"shard":2,"id":', "Nothing of this table was published",
                 "list both in path", "allow_reloads: [hr.orders]"):  # fmt: skip
        assert part in result.errors, result.errors
    assert orders.current() == [(1, 1, 5), (1, 2, 6)]
    assert again.current() == [(1, 2, 8), (2, 1, 7)]
    assert empty.current() == []
    assert keyless.current() == [(2, 1, 7), (2, 2, 8)]

    variables = "{run_date: 2020-11-14, allow_reloads: [hr.orders]}"
    capfd.readouterr()
    result = project.dbt("run", "--vars", variables, "--select", "metadata", "+orders_snapshot")
    assert result.ok, result.errors
    assert orders.current() == [(2, 1, 7), (2, 2, 8)]
    assert "has no key of the rows it replaces" in capfd.readouterr().out
    # What was let pass once is not asked for again.
    orders.write_changes("20201115-100000000", ("U", 2, 1, 9))
    assert project.run_tables("2020-11-15", [orders]).ok
    assert orders.current() == [(2, 1, 9), (2, 2, 8)]


def test_what_readers_have_now_is_compared_also_where_a_date_is_run_again(
    project: Project,
) -> None:
    columns = {"id": "int", "name": "string"}
    first, second = (project.declare(name, columns, ["id"]) for name in ("first", "second"))
    first.write_load((1, "Ann"))
    # Of the second table nothing was there on the date before.
    assert project.run("2020-11-13").ok
    second.write_load((1, "Ann"))
    assert project.run("2020-11-14").ok
    for table in (first, second):
        table.write_load((7, "Zoe"))
    result = project.run("2020-11-14")
    assert result.failed == ["first_snapshot", "second_snapshot"]
    assert first.current() == second.current() == [(1, "Ann")]


@pytest.mark.thorough
def test_a_date_that_is_made_later_has_of_a_full_load_what_the_date_before_had(
    project: Project,
) -> None:
    log = project.declare("log", {"id": "int", "name": "string"}, [])
    log.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    # A second file of the same load, of a later date.
    log.write_load((2, "Bob"), name="LOAD00000002.parquet")
    log.write_changes("20201114-100000000", ("I", 3, "Cy"))
    assert project.run("2020-11-16").ok
    project.operate("backfill", select=log.label, dry_run=False, **MISSING_DATE)
    assert log.snapshot("2020-11-14") == [(1, "Ann"), (3, "Cy")]
    assert log.snapshot("2020-11-16") == [(1, "Ann"), (2, "Bob"), (3, "Cy")]


def test_a_reload_under_another_key_is_taken(project: Project) -> None:
    columns = {"emp_no": "int", "name": "string"}
    renamed, other = (project.declare(name, columns, ["emp_no"]) for name in ("renamed", "other"))
    for table in (renamed, other):
        table.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    columns = {"id": "int", "name": "string"}
    tables = []
    for name in ("renamed", "other"):
        earlier = {"id": ["emp_no"]} if name == "renamed" else {}
        tables.append(project.declare(name, columns, ["id"], renamed_from=earlier))
        tables[-1].write_load((1, "Anna"))
    result = project.run("2020-11-14")
    assert result.ok, result.errors
    assert [table.current() for table in tables] == [[(1, "Anna")]] * 2


@pytest.mark.thorough
def test_keys_that_are_padded_in_the_full_load_only_are_one_where_they_are_trimmed(
    project: Project,
) -> None:
    codes = project.declare("codes", {"code": "string", "name": "string"}, ["code"], trim=["code"])
    codes.write_load(("AB   ", "one "), ("CD   ", "two"))
    codes.write_changes("20201113-100000000", ("U", "AB", "ONE "), ("D", "CD", None))
    result = project.run("2020-11-13")
    assert result.ok, result.errors
    assert codes.current() == [("AB", "ONE ")]


@pytest.mark.thorough
def test_a_table_without_a_key_has_its_rows_once_after_the_index_was_lost(
    new_project: NewProject,
) -> None:
    project = new_project("lost_index")
    lines = project.declare("lines", COLUMNS, [])
    lines.write_load((1, "Ann"), (2, "Bo"))
    lines.write_changes("20201113-100000000", ("I", 3, "Cy"))
    assert project.run("2020-11-13").ok
    project.query(f"drop table {project.schema}.dms_files")
    # The first run indexes all files again, and the second one builds on what the first knew.
    lines.write_changes("20201114-100000000", ("I", 4, "Di"))
    assert project.run("2020-11-14").ok
    lines.write_changes("20201115-100000000", ("I", 5, "Ed"))
    assert project.run("2020-11-15").ok
    rows = [(1, "Ann"), (2, "Bo"), (3, "Cy"), (4, "Di"), (5, "Ed")]
    assert lines.snapshot("2020-11-14") == rows[:4]
    assert lines.snapshot("2020-11-15") == lines.current() == rows
