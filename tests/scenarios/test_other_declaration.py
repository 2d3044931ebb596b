"""A declaration that changes what the rows of a published table are, and how one goes on."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.conftest import NewProject
from tests.scenarios.test_history import declare_history
from tests.support.project import Project, Table, sort_by_value
from tests.support.side_by_side import COLUMNS

PLACED = {"id": "int", "name": "string", "part": "int"}


def refused(project: Project, run_date: str, table: Table, *parts: str) -> None:
    """The run says why it does not go on, and readers see what they saw."""
    seen = table.current()
    told = project.run(run_date).message(table.staging_model)
    for part in (table.label, "was made under another declaration", *parts, "--full-refresh"):
        assert part in told
    assert run_date not in table.dates()
    assert table.current() == seen


@pytest.mark.parametrize(
    "layout", [{}, pytest.param({"partition_date": "born_on"}, marks=pytest.mark.thorough)]
)
def test_a_renamed_column_keeps_the_values_that_were_published(
    new_project: NewProject, layout: dict[str, Any]
) -> None:
    project = new_project(f"renamed_{len(layout)}")
    columns = {"id": "int", "name": "string", "born_on": "date"}
    old, new = date(2020, 1, 1), date(2020, 2, 1)
    people = project.declare("people", columns, ["id"], change_feed=True, **layout)
    people.write_load((1, "Ann", old), (2, "Bo", old), (3, "Cy", new))
    people.write_changes("20201113-100000000", ("U", 3, "Cyd", new))
    assert project.run("2020-11-13").ok
    # Also if no file is new: readers would look for the new name.
    columns = {"id": "int", "nick": "string", "born_on": "date"}
    renamed = {"nick": ["name"]}
    people = project.declare(
        "people", columns, ["id"], renamed_from=renamed, change_feed=True, **layout
    )
    told = project.run("2020-11-14").message(people.staging_model)
    assert "columns name are gone and nick are new" in told
    for operation in ("replay", "backfill"):
        dates = {"from_date": "2020-11-12", "to_date": "2020-11-12"}
        told = project.operate_in_vain(
            operation,
            select=people.label,
            dry_run=False,
            **dates if operation == "backfill" else {},
        )
        assert "columns name are gone and nick are new" in told
    assert people.dates() == ["2020-11-13"]
    people.write_changes("20201114-100000000", ("U", 2, "Bob", old))
    assert not project.run("2020-11-14").ok
    assert {row[0] for row in people.staged("cast(_dms_run_date as string)")} == {"2020-11-13"}
    for _ in range(2):
        assert project.run("2020-11-14", "--full-refresh").ok
        state = [(1, "Ann", old), (2, "Bob", old), (3, "Cyd", new)]
        assert people.current() == people.snapshot("2020-11-14") == state
    feed = f"{project.schema}.people_changes where run_date = date'2020-11-14'"
    assert project.query(f"select kind, id, nick_before, nick_after from {feed}") == [
        ("update", 2, "Bo", "Bob")
    ]
    # A late change that is older than what is there.
    people.write_changes("20201113-090000000", ("U", 3, "late", new), ("U", 1, "Anna", new))
    assert project.run("2020-11-15").ok
    state = [(1, "Anna", new), (2, "Bob", old), (3, "Cyd", new)]
    assert people.snapshot("2020-11-15") == people.current() == state
    # What was made under the old name is not gone back to.
    told = project.operate_in_vain("rollback_to", select=people.label, to=1, dry_run=False)
    assert "columns name are gone and nick are new" in told
    assert people.current() == state


@pytest.mark.thorough
def test_a_column_keeps_its_name_if_the_new_one_of_the_files_is_declared(
    new_project: NewProject,
) -> None:
    project = new_project("kept_names")
    people = project.declare("people", COLUMNS, ["id"], on_schema_change="append_new_columns")
    people.write_load((1, "Ann"), (2, "Bo"))
    assert project.run("2020-11-13").ok
    people = project.declare(
        "people", COLUMNS, ["id"], on_schema_change="append_new_columns",
        renamed_from={"name": ["nick"]},
    )  # fmt: skip
    people.write_changes(
        "20201114-100000000", ("U", 2, "Bob"), columns={"id": "int", "nick": "string"}
    )
    assert project.run("2020-11-14").ok
    assert people.current() == [(1, "Ann"), (2, "Bob")]
    # And the other way round, where staging has a column of the old name.
    nicks = {"id": "int", "nick": "string"}
    people = project.declare(
        "people", nicks, ["id"], on_schema_change="append_new_columns",
        renamed_from={"nick": ["name"]},
    )  # fmt: skip
    assert project.run("2020-11-15", "--full-refresh").ok
    assert people.current() == [(1, "Ann"), (2, "Bob")]


@pytest.mark.thorough
def test_a_date_that_is_run_again_after_a_failed_run_has_appended_a_column_keeps_its_changes(
    new_project: NewProject,
) -> None:
    project = new_project("appended_and_failed")
    people = project.declare(
        "people", COLUMNS, ["id"], on_schema_change="append_new_columns", max_delete_fraction=0.1
    )
    people.write_load((1, "Ann"), (2, "Bo"))
    assert project.run("2020-11-13").ok
    people.write_changes("20201114-100000000", ("U", 2, "Bob"))
    assert project.run("2020-11-14").ok
    people.write_changes(
        "20201115-100000000",
        ("D", 1, None, None), ("D", 2, None, None), columns={**COLUMNS, "age": "int"},
    )  # fmt: skip
    assert "max_delete_fraction" in project.run("2020-11-15").message("people_snapshot")
    result = project.run("2020-11-14")
    assert result.ok, result.errors
    assert people.current() == people.snapshot("2020-11-14") == [(1, "Ann"), (2, "Bob")]


@pytest.mark.thorough
def test_a_column_that_came_later_hinders_neither_a_late_file_nor_a_replay(
    new_project: NewProject,
) -> None:
    project = new_project("came_later")
    with_age = {**COLUMNS, "age": "int"}
    partial: dict[str, Any] = {"image": "partial"}
    appended = project.declare("appended", COLUMNS, ["id"], on_schema_change="append_new_columns")
    declared = project.declare("declared", COLUMNS, ["id"])
    kept = project.declare("kept", COLUMNS, ["id"], **partial)
    at_once = project.declare("at_once", COLUMNS, ["id"], **partial)
    left_out = project.declare("left_out", COLUMNS, ["id"], on_schema_change="ignore")
    for table in project.tables.values():
        table.write_load((1, "Ann"), (2, "Bo"), (3, "Cy"))
    dropped = project.declare("dropped", with_age, ["id"])
    again = project.declare("again", with_age, ["id"], **partial)
    for table in (dropped, again):
        table.write_load((1, "Ann", 1), (2, "Bo", 2), (3, "Cy", 3))
    # Nobody knows what it had, and an update without a column does not change it.
    left_out.write_changes("20201113-110000000", ("U", 1, "Ann", 44), columns=with_age)
    for table in (kept, at_once):
        table.write_changes("20201113-123000000", ("U", 3, "Cyd"))
    assert project.run("2020-11-13").ok
    for table in (dropped, again):
        settings: dict[str, Any] = partial if table is again else {}
        project.declare(table.name, COLUMNS, ["id"], **settings)
        table.write_changes("20201114-090000000", ("U", 3, "Cyd"), columns=COLUMNS)
    assert project.run("2020-11-14").ok
    for table in (declared, kept, at_once, left_out, dropped, again):
        settings = partial if table in (kept, at_once, again) else {}
        project.declare(table.name, with_age, ["id"], **settings)
    for table in project.tables.values():
        table.write_changes("20201115-100000000", ("U", 2, "Bob", 33), columns=with_age)
    late = ("U", 2, "late", 11), ("U", 3, "Cyd", 22)
    at_once.write_changes("20201113-120000000", *late, columns=with_age)
    result = project.run("2020-11-15")
    not_there = "columns age were published and are not in these staged changes"
    assert not_there in result.message("again_snapshot")
    assert result.failed == ["again_snapshot"], result.errors
    appended.write_changes("20201113-120000000", ("U", 2, "late"), ("U", 3, "Cyd"))
    for table in (declared, kept, left_out, dropped):
        table.write_changes("20201113-120000000", *late, columns=with_age)
    result = project.run("2020-11-16")
    for table in (left_out, dropped):
        assert not_there in result.message(f"{table.name}_snapshot")
        assert table.dates()[-1] == "2020-11-15"
    # Whole rows have no age if theirs is older; the others have the newest that an update had.
    state = [(1, "Ann", None), (2, "Bob", 33), (3, "Cy", None)]
    expected = {
        "appended": [*state[:2], (3, "Cyd", None)],
        "declared": [*state[:2], (3, "Cyd", 22)],
    }
    expected |= {name: [*state[:2], (3, "Cyd", 22)] for name in ("kept", "at_once")}

    def rows(name: str) -> Any:
        return project.query(
            f"select id, name, age from {project.schema}.{name}_current order by id"
        )

    assert {name: rows(name) for name in expected} == expected
    assert rows("dropped") == [(1, "Ann", None), (2, "Bob", 33), (3, "Cyd", None)]
    # One that cannot be told leaves all as they were, and says so before.
    told = project.operate_in_vain("replay", select="*", dry_run=False)
    assert not_there in told
    assert "replay" not in {one["action"] for one in appended.versions()}
    assert not_there in project.operate_in_vain("replay", select=dropped.label)
    told = project.operate("replay", select=[f"hr.{name}" for name in expected], dry_run=False)
    for name in expected:
        assert project.tables[name].versions()[-1]["action"] == "replay", told
    assert {name: rows(name) for name in expected} == expected


@pytest.mark.thorough
def test_a_renamed_column_keeps_its_values_in_a_history(new_project: NewProject) -> None:
    project = new_project("renamed_history")
    people = project.declare("people", COLUMNS, ["id"])
    declare_history(project, people, "people_history")
    people.write_load((1, "Ann"), (2, "Bo"))
    assert project.run("2020-11-13").ok
    assert project.dbt("snapshot").ok
    people.write_changes("20201114-100000000", ("U", 2, "Bob"))
    assert project.run("2020-11-14").ok
    people = project.declare(
        "people", {"id": "int", "nick": "string"}, ["id"], renamed_from={"nick": ["name"]}
    )
    told = project.dbt("snapshot").message("people_history")
    assert "columns name are gone and nick are new" in told
    people.write_changes("20201115-100000000", ("U", 2, "Bobby"))
    assert project.run("2020-11-15", "--full-refresh").ok
    result = project.dbt("snapshot")
    assert result.ok, result.errors
    rows = project.query(
        f"select id, nick, dbt_valid_to is null from {project.schema}.people_history"
    )
    assert sort_by_value(rows) == [
        (1, "Ann", True), (2, "Bo", False), (2, "Bob", False), (2, "Bobby", True),
    ]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("renamed", [("nick", "name"), ("name", "nick")])
def test_a_rename_that_is_told_after_the_new_column_was_appended_is_refused(
    new_project: NewProject, renamed: tuple[str, str]
) -> None:
    name, earlier = renamed
    project = new_project(f"renamed_late_{name}")
    people = project.declare("people", COLUMNS, ["id"], on_schema_change="append_new_columns")
    people.write_load((1, "Ann"), (2, "Bo"))
    assert project.run("2020-11-13").ok
    people.write_changes(
        "20201114-100000000", ("U", 2, "Bob"), columns={"id": "int", "nick": "string"}
    )
    assert project.run("2020-11-14").ok
    declared = {"id": "int", name: "string"}
    people = project.declare(
        "people", declared, ["id"], on_schema_change="append_new_columns",
        renamed_from={name: [earlier]},
    )  # fmt: skip
    told = project.run("2020-11-15").message(people.staging_model)
    assert f"column {name} has renamed_from {earlier}, which was a column of its own" in told
    assert project.run("2020-11-15", "--full-refresh").ok
    assert people.current() == [(1, "Ann"), (2, "Bob")]


@pytest.mark.thorough
def test_what_came_before_a_full_load_of_other_names_is_not_read_under_these(
    new_project: NewProject,
) -> None:
    project = new_project("reloaded_under_other_names")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    people = project.declare(
        "people", {"id": "int", "nick": "string"}, ["id"], renamed_from={"nick": ["name"]}
    )
    people.write_load((1, "Anna"))
    assert project.run("2020-11-15").ok
    assert people.current() == [(1, "Anna")]
    for run_date in ("2020-11-12", "2020-11-14"):
        for dry_run in (True, False):
            told = project.operate_in_vain(
                "backfill",
                select=people.label,
                from_date=run_date,
                to_date=run_date,
                dry_run=dry_run,
            )
            assert "version 1 was made under another declaration" in told
    declare_history(project, people, "people_history")
    told = project.dbt("snapshot").message("people_history")
    assert "version 1 was made under another declaration" in told


@pytest.mark.thorough
def test_columns_may_come_and_others_go_one_after_the_other(new_project: NewProject) -> None:
    project = new_project("come_and_gone")
    both = {"id": "int", "name": "string", "city": "string"}
    last = {"id": "int", "city": "string"}
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    people.write_changes("20201113-100000000", ("I", 2, "Bo"))
    people.write_changes("20201114-100000000", ("U", 2, "Bob"))
    assert project.run("2020-11-13").ok
    assert project.run("2020-11-15").ok
    people = project.declare("people", both, ["id"])
    # A date before, from staging that has no such column yet.
    told = project.operate(
        "backfill", select=people.label, from_date="2020-11-14", to_date="2020-11-14", dry_run=False
    )
    assert people.snapshot("2020-11-14") == [(1, "Ann", None), (2, "Bob", None)], told
    people.write_changes("20201116-100000000", ("U", 1, "Anna", "Bern"))
    assert project.run("2020-11-16").ok
    people = project.declare("people", last, ["id"])
    people.write_changes("20201117-100000000", ("U", 2, "Ulm"))
    assert project.run("2020-11-17").ok
    assert people.current() == [(1, "Bern"), (2, "Ulm")]
    back = {"select": people.label, "to": "2020-11-13", "dry_run": False}
    told = project.operate_in_vain("rollback_to", **back)
    assert "If columns were not renamed, declare both" in told
    people = project.declare("people", both, ["id"])
    project.operate("rollback_to", **back)
    assert people.current() == [(1, "Ann", None), (2, "Bo", None)]


@pytest.mark.thorough
def test_a_history_is_not_gone_on_with_under_another_key(new_project: NewProject) -> None:
    project = new_project("history_of_another_key")
    people = project.declare("people", PLACED, ["id", "part"])
    declare_history(project, people, "people_history", unique_key=["id", "part"])
    people.write_load((1, "a", 1), (1, "b", 2))
    assert project.run("2020-11-13").ok
    assert project.dbt("snapshot").ok
    people = project.declare("people", PLACED, ["id"])
    declare_history(project, people, "people_history", unique_key="id")
    people.write_changes("20201114-100000000", ("U", 1, "c", 2))
    assert project.run("2020-11-14", "--full-refresh").ok
    told = project.dbt("snapshot").message("people_history")
    assert "primary_keys were id, part and are id" in told


@pytest.mark.thorough
def test_another_key_is_refused_until_the_state_is_built_with_it(new_project: NewProject) -> None:
    project = new_project("other_keys")
    wide, narrow, renamed, keyless = (
        project.declare(name, PLACED, keys)
        for name, keys in (
            ("wide", ["id"]), ("narrow", ["id", "part"]), ("renamed", ["id"]), ("keyless", []),
        )
    )  # fmt: skip
    rows = [(1, "a", 1), (1, "b", 2), (2, "c", 1)]
    for table in (wide, renamed):
        table.write_load(rows[0], rows[2])
    for table in (narrow, keyless):
        table.write_load(*rows)
    assert project.run("2020-11-13").ok
    for table, file in ((wide, 7), (narrow, 1), (keyless, 1)):
        table.write_changes("20201114-100000000", ("U", 1, "changed", file))
    wide = project.declare("wide", PLACED, ["id", "part"])
    narrow = project.declare("narrow", PLACED, ["id"])
    keyless = project.declare("keyless", PLACED, ["id"])
    renamed = project.declare(
        "renamed",
        {"no": "int", "name": "string", "part": "int"},
        ["no"],
        renamed_from={"no": ["id"]},
    )
    refused(project, "2020-11-14", wide, "primary_keys were id and are id, part.")
    for table, parts in (
        (narrow, "primary_keys were id, part and are id"),
        (keyless, "primary_keys were none and are id"),
        (renamed, "primary_keys were id and are no"),
    ):
        told = project.run_tables("2020-11-14", [table]).message(table.staging_model)
        assert parts in told
        assert table.dates() == ["2020-11-13"]
    assert project.run("2020-11-14", "--full-refresh").ok
    assert wide.current() == [(1, "a", 1), (1, "changed", 7), (2, "c", 1)]
    assert narrow.current() == keyless.current() == [(1, "changed", 1), (2, "c", 1)]
    assert renamed.current() == [(1, "a", 1), (2, "c", 1)]
    # What was made under the other key is not gone back to.
    told = project.operate_in_vain("rollback", select=wide.label, dry_run=False)
    assert "primary_keys were id and are id, part" in told
    assert len(wide.versions()) == 2


@pytest.mark.thorough
def test_a_new_full_load_may_have_another_key(new_project: NewProject) -> None:
    project = new_project("reloaded_with_another_key")
    people = project.declare("people", PLACED, ["id"])
    people.write_load((1, "a", 1), (2, "c", 1))
    assert project.run("2020-11-13").ok
    people = project.declare("people", PLACED, ["id", "part"])
    people.write_load((1, "a", 1), (1, "b", 2))
    assert project.run("2020-11-14").ok
    assert people.current() == [(1, "a", 1), (1, "b", 2)]


@pytest.mark.thorough
def test_another_start_date_is_refused_until_the_state_is_built_with_it(
    new_project: NewProject,
) -> None:
    project = new_project("other_start_date")
    people = project.declare("people", COLUMNS, ["id"], cdc_start_date="2020-11-14")
    people.write_load((1, "a"))
    people.write_changes("20201112-100000000", ("U", 1, "left out"))
    assert project.run("2020-11-14").ok
    people = project.declare("people", COLUMNS, ["id"])
    refused(project, "2020-11-15", people, "cdc_start_date was 2020-11-14 and is none")
    assert project.run("2020-11-15", "--full-refresh").ok
    assert people.current() == [(1, "left out")]


@pytest.mark.thorough
def test_a_partial_image_keeps_a_column_whose_name_was_spelled_differently(
    new_project: NewProject,
) -> None:
    project = new_project("spelled")
    columns = {"id": "int", "name": "string", "note": "string"}
    without_name = {"id": "int", "note": "string"}
    people = project.declare("people", columns, ["id"], image="partial")
    people.write_load((1, "Ann", "a"))
    assert project.run("2020-11-13").ok
    people.write_changes("20201114-100000000", ("U", 1, "b"), columns=without_name)
    assert project.run("2020-11-14").ok
    people = project.declare(
        "people", {"id": "int", "Name": "string", "note": "string"}, ["id"], image="partial"
    )
    people.write_changes("20201115-100000000", ("U", 1, "c"), columns=without_name)
    assert project.run("2020-11-15").ok
    assert people.current() == [(1, "Ann", "c")]


NICKS = {"id": "int", "nick": "string", "note": "string"}
NAMES = {"id": "int", "name": "string", "note": "string"}
STOP = {
    "accepted_values": {
        "arguments": {"column_name": "note", "values": ["no such note"]},
        "config": {"meta": {"gate": True}},
    }
}


@pytest.mark.thorough
@pytest.mark.parametrize("has_changes", [True, False])
def test_what_a_full_refresh_that_failed_has_staged_under_other_names_is_not_read(
    new_project: NewProject, has_changes: bool
) -> None:
    project = new_project(f"failed_refresh_{has_changes}")
    late = project.declare("late", NAMES, ["id"])
    partial = project.declare("partial", NAMES, ["id"], image="partial")
    keyed = project.declare("keyed", NAMES, ["id"])
    young = project.declare("young", NAMES, ["id"])
    young.folder.mkdir(parents=True)
    tables = [late, partial, keyed]
    for table in tables:
        table.write_load((1, "Ann", "a"), (2, "Bo", "b"))
        table.write_changes("20201113-100000000", ("I", 3, "Cy", "c"))
    assert project.run("2020-11-13").ok
    for table in tables if has_changes else []:
        table.write_changes("20201114-100000000", ("U", 1, "Anna", "a"))
    young.write_load((1, "Ann", "a"))
    assert project.run("2020-11-14").ok
    declare_history(project, young, "young_history")
    for name in ("late", "partial", "young"):
        project.declare(name, NICKS, ["id"], renamed_from={"nick": ["name"]},
                        image="partial" if name == "partial" else "full")  # fmt: skip
    project.declare("keyed", NAMES, ["id", "name"])
    models = [table.snapshot_model for table in [*tables, young]]
    project.write_properties([{"name": model, "data_tests": [STOP]} for model in models])
    stopped = project.run("2020-11-14", "--full-refresh")
    for table in tables:
        assert "1 of 1 gates" in stopped.message(table.snapshot_model)
    project.write_properties([{"name": model, "data_tests": []} for model in models])
    project.declare("late", NAMES, ["id"])
    project.declare("partial", NAMES, ["id"], image="partial")
    project.declare("keyed", NAMES, ["id"])
    project.declare("young", NAMES, ["id"])
    # What was staged for a version that was not made, nothing reads.
    assert project.dbt("snapshot").ok
    late.write_changes("20201113-090000000", ("U", 1, "older", "x"), ("U", 3, "older", "x"))
    keyed.write_changes("20201113-090000000", ("U", 1, "older", "x"))
    partial.write_changes(
        "20201115-100000000", ("U", 1, "z"), columns={"id": "int", "note": "string"}
    )
    rest = [(2, "Bo", "b"), (3, "Cy", "c")]
    first = (1, "Anna", "a") if has_changes else (1, "older", "x")
    for options in ([], ["--full-refresh"]):
        result = project.run("2020-11-15", *options)
        assert result.ok, result.errors
        assert late.current() == keyed.current() == [first, *rest]
        assert partial.current() == [(1, "Anna" if has_changes else "Ann", "z"), *rest]


@pytest.mark.thorough
def test_a_table_without_files_may_be_declared_otherwise(new_project: NewProject) -> None:
    project = new_project("declared_before_files")
    later = project.declare("later", COLUMNS, ["id"])
    again = project.declare("again", COLUMNS, ["id"])
    for table in (later, again):
        table.folder.mkdir(parents=True, exist_ok=True)
    declare_history(project, later, "later_history")
    assert project.run("2020-11-13").ok
    assert project.dbt("snapshot").ok
    again = project.declare("again", {"id": "int", "nick": "string"}, ["id"])
    assert project.run("2020-11-13", "--select", f"+{again.snapshot_model}").ok
    assert again.current() == []
    later = project.declare("later", {"id": "int", "nick": "string"}, ["id", "nick"])
    declare_history(project, later, "later_history", unique_key=["id", "nick"])
    assert project.run("2020-11-14").ok
    for table in (later, again):
        table.write_load((1, "Ann"))
    assert project.run("2020-11-15").ok
    assert later.current() == again.current() == [(1, "Ann")]
    assert project.dbt("snapshot").ok
    history = f"{project.schema}.later_history"
    assert project.query(f"select id, nick from {history}") == [(1, "Ann")]


@pytest.mark.thorough
def test_a_change_feed_knows_an_earlier_name_also_after_another_layout(
    new_project: NewProject,
) -> None:
    project = new_project("renamed_and_laid_out")
    people = project.declare("people", COLUMNS, ["id"], change_feed=True)
    people.write_load((1, "Ann"), (2, "Bo"))
    assert project.run("2020-11-13").ok
    people.write_changes("20201114-100000000", ("U", 2, "Bob"))
    people = project.declare(
        "people", {"id": "int", "nick": "string"}, ["id"], renamed_from={"nick": ["name"]},
        change_feed=True, history=False,
    )  # fmt: skip
    feed = f"{project.schema}.people_changes where run_date = date'2020-11-14'"
    for options in (["--full-refresh"], []):
        assert project.run("2020-11-14", *options).ok
        assert project.query(f"select kind, id, nick_before, nick_after from {feed}") == [
            ("update", 2, "Bo", "Bob")
        ]


@pytest.mark.thorough
def test_a_value_that_a_renamed_column_cannot_have_in_its_new_type_is_told(
    new_project: NewProject,
) -> None:
    project = new_project("renamed_to_another_type")
    tables = {}
    for name in ("rooms", "halls"):
        table = project.declare(name, {"id": "int", "code": "string"}, ["id"], change_feed=True)
        table.write_load((1, "A1"), (2, "7"))
        tables[name] = table
    assert project.run("2020-11-13").ok
    more: dict[str, Any] = {"change_feed": True, "on_bad_row": "quarantine"}
    columns, renamed = {"id": "int", "code_no": "int"}, {"code_no": ["code"]}
    for name, table in tables.items():
        table.write_changes("20201114-100000000", ("U", 2, "8"))
        tables[name] = project.declare(name, columns, ["id"], renamed_from=renamed, **more)
    run = project.run("2020-11-14", "--full-refresh")
    for name, table in tables.items():
        refused = run.message(table.snapshot_model)
        assert (
            f"hr.{name}: column code_no was code, of which this would not be the same as int: A1."
            in refused
        )
        assert "2020-11-14" not in table.dates()
    # Either way out of the message leads on.
    text, names = {"id": "int", "code_text": "string"}, {"code_text": ["code_no", "code"]}
    rooms = project.declare("rooms", text, ["id"], renamed_from=names, **more)
    more["change_feed"] = False
    halls = project.declare("halls", columns, ["id"], renamed_from=renamed, **more)
    assert project.run("2020-11-14", "--full-refresh").ok
    assert rooms.feed()["2020-11-14"] == [("update", 2, None, None, "7", "8")]
    assert halls.current() == [(2, 8)]
    more["change_feed"] = True
    halls = project.declare("halls", columns, ["id"], renamed_from=renamed, **more)
    halls.write_changes("20201115-100000000", ("U", 2, 9))
    assert project.run("2020-11-15").ok
    assert halls.feed()["2020-11-15"] == [("update", 2, None, None, 8, 9)]


@pytest.mark.thorough
def test_a_history_in_another_type_begins_again_as_the_message_says(
    new_project: NewProject,
) -> None:
    project = new_project("history_of_another_type")
    rooms = project.declare("rooms", {"id": "int", "code": "string"}, ["id"])
    rooms.write_load((1, "A1"), (2, "7"))
    declare_history(project, rooms, "rooms_history")
    assert project.run("2020-11-13").ok
    assert project.dbt("snapshot").ok
    rooms.write_changes("20201114-100000000", ("U", 2, "8"))
    project.declare("rooms", {"id": "int", "code_no": "int"}, ["id"],
                    renamed_from={"code_no": ["code"]}, on_bad_row="quarantine")  # fmt: skip
    assert project.run("2020-11-14", "--full-refresh").ok
    refused = project.dbt("snapshot").message("rooms_history")
    assert "column code_no was code, of which this would not be the same as int: A1." in refused
    assert "as int, do not compare earlier rows: drop the history, then run dbt snapshot" in refused
    history = f"{project.schema}.rooms_history"
    project.query(f"drop table {history}")
    assert project.dbt("snapshot").ok
    newest = f"select id, code_no from {history} where dbt_valid_to is null"
    assert project.query(newest) == [(2, 8)]


@pytest.mark.thorough
def test_a_value_that_a_renamed_column_would_have_otherwise_in_its_new_type_is_told(
    new_project: NewProject,
) -> None:
    project = new_project("renamed_and_rounded")
    cases: dict[str, tuple[str, str, object]] = {
        "whole": ("double", "int", 1.7),
        "cents": ("decimal(10,4)", "decimal(10,2)", Decimal("1.2345")),
        "day": ("timestamp", "date", datetime(2020, 1, 1, 5, 6, 7)),
        "exact": ("bigint", "float", 2**53 + 1),
        "flag": ("int", "boolean", 5),
        "letters": ("binary", "string", b"\xff\xfe"),
        "longer": ("int", "bigint", 7),
    }
    for name, (before, _, value) in cases.items():
        table = project.declare(name, {"id": "int", "a": before}, ["id"])
        table.write_load((1, value))
    assert project.run("2020-11-13").ok
    for name, (_, now, _) in cases.items():
        table = project.declare(name, {"id": "int", "b": now}, ["id"], change_feed=True,
                                renamed_from={"b": ["a"]}, on_bad_row="quarantine")  # fmt: skip
        table.write_changes("20201114-100000000", ("I", 2, None))
    result = project.run("2020-11-14", "--full-refresh")
    for name, (_, now, _) in cases.items():
        table = project.tables[name]
        if name == "longer":
            assert table.feed() == {"2020-11-14": [("insert", 2, None, None)]}
        else:
            message = result.message(table.snapshot_model)
            assert f"column b was a, of which this would not be the same as {now}" in message
            assert table.dates() == ["2020-11-13"]


@pytest.mark.thorough
def test_a_column_that_stood_beside_its_new_name_is_not_its_earlier_self(
    new_project: NewProject,
) -> None:
    project = new_project("renamed_beside")
    both = project.declare("both", {"id": "int", "a": "string", "b": "string"}, ["id"])
    both.write_load((1, "x", None), (3, "w", None))
    declare_history(project, both, "both_history")
    assert project.run("2020-11-13").ok
    assert project.dbt("snapshot").ok
    columns = {"id": "int", "b": "string"}
    both = project.declare("both", columns, ["id"], change_feed=True, renamed_from={"b": ["a"]})
    both.write_load((1, "x"), (3, None))
    assert project.run("2020-11-14", "--full-refresh").ok
    # Its a was another column, so that of row 3 was never a value of b.
    assert both.feed() == {"2020-11-14": [("update", 1, None, "x")]}
    assert project.dbt("snapshot").ok
    history = f"{project.schema}.both_history"
    assert project.query(f"select id, b from {history} where dbt_valid_to is not null") == [
        (1, None)
    ]


AT = {"at": "string"}
SEQUENCED = {"seq": "string"}
WITH_NICK = {**COLUMNS, "nick": "string"}
LATER = "2020-11-14"


def sequence(number: int) -> str:
    return f"{number:035}"


@pytest.mark.thorough
def test_changes_staged_under_other_settings_are_not_weighed_as_what_they_are_not(
    new_project: NewProject,
) -> None:
    project = new_project("settings")
    moves: dict[str, Any] = {"before_image_prefix": "BI_"}
    with_old_key = {**COLUMNS, "BI_id": "int"}
    ordered = {**COLUMNS, **SEQUENCED}
    placed = {**ordered, "place": "string"}
    by_change: dict[str, Any] = {"order_by": "change_seq", "on_schema_change": "ignore"}

    kept = project.declare("kept", WITH_NICK, ["id"], image="partial")
    kept.write_load((1, "Ann", "x"), (2, "Bo", "y"))
    kept.write_changes("20201113-120000000", ("U", 1, "Anna"), columns=COLUMNS)
    swapped = project.declare("swapped", COLUMNS, ["id"], **moves)
    swapped.write_load((1, "Ann"), (2, "Bo"))
    swapped.write_changes(
        "20201113-120000000", ("U", 2, "Ann", 1), ("U", 1, "Bo", 2), columns=with_old_key
    )
    moved = project.declare("moved", COLUMNS, ["id"], on_schema_change="ignore", **moves)
    moved.write_load(("2020-11-13", 2, "Ann"), columns={**AT, **COLUMNS})
    times = {**AT, **with_old_key}
    moved.write_changes("20201113-120000000", ("U", "2020-11-13 12:00", 2, "Ann", 1), columns=times)
    moved.write_changes("20201113-130000000", ("U", "2020-11-13 13:00", 5, "Ann", 2), columns=times)
    again = project.declare("again", COLUMNS, ["id"], on_schema_change="ignore")
    again.write_load((1, "Ann", sequence(1)), columns=ordered)
    again.write_changes("20201113-120000000", ("U", 1, "new", sequence(300)), columns=ordered)
    exchanged = project.declare(
        "exchanged", COLUMNS, ["id"], change_seq_column="place", **by_change
    )
    exchanged.write_load((1, "Ann", sequence(1), "log.12:7"), columns=placed)
    exchanged.write_changes(
        "20201113-120000000", ("U", 1, "first", sequence(300), "log.12:77"), columns=placed
    )
    timed = project.declare("timed", COLUMNS, ["id"], on_schema_change="ignore")
    timed.write_load(("2020-11-13 09:30:00", 1, "Ann"), columns={**AT, **COLUMNS})
    timed.write_changes(
        "20201113-120000000", ("U", "2020-11-13 10:00:00", 1, "new"), columns={**AT, **COLUMNS}
    )
    keyless = project.declare("keyless", COLUMNS, [], on_schema_change="ignore")
    keyless.write_load((1, "a", sequence(1)), columns=ordered)
    keyless.write_changes("20201113-120000000", ("I", 2, "b", sequence(300)), columns=ordered)
    zoned = project.declare("zoned", COLUMNS, ["id"], timestamp_column="at", order_by="timestamp")
    zoned.write_load((1, "Ann"))
    zoned.write_changes("20201113-120000000", ("U", 1, "first"), at="2020-11-13 10:30:00.000000")
    loaded = project.declare("loaded", COLUMNS, ["id"])
    loaded.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    before = {name: table.current() for name, table in project.tables.items()}
    assert before["kept"] == [(1, "Anna", "x"), (2, "Bo", "y")]
    assert before["swapped"] == [(1, "Bo"), (2, "Ann")]
    assert before["moved"] == [(5, "Ann")]

    # What was staged cannot be told as it is declared now.
    kept = project.declare("kept", WITH_NICK, ["id"])
    kept.write_changes("20201113-110000000", ("U", 1, "late", "z"))
    swapped = project.declare("swapped", COLUMNS, ["id"])
    swapped.write_changes("20201113-110000000", ("U", 2, "late"))
    moved = project.declare("moved", COLUMNS, ["id"], timestamp_column="at", **moves)
    moved.write_changes(
        "20201114-100000000", ("U", 5, "Anna", 5), at="2020-11-14 10:00", columns=with_old_key
    )
    by_sequence: dict[str, Any] = {"change_seq_column": "seq"}
    again = project.declare("again", COLUMNS, ["id"], order_by="change_seq", **by_sequence)
    again.write_changes("20201114-100000000", ("U", 1, "old", sequence(200)), columns=ordered)
    exchanged = project.declare("exchanged", COLUMNS, ["id"], change_seq_column="seq", **by_change)
    exchanged.write_changes(
        "20201114-100000000", ("U", 1, "second", sequence(400), "log.12:88"), columns=placed
    )
    timed = project.declare("timed", COLUMNS, ["id"], timestamp_column="at", order_by="timestamp")
    timed.write_changes("20201114-100000000", ("U", 1, "old"), at="2020-11-13 09:00:00.000000")
    keyless = project.declare("keyless", COLUMNS, [], **by_sequence)
    keyless.write_changes("20201114-100000000", ("I", 2, "b", sequence(300)), columns=ordered)
    zoned = project.declare(
        "zoned",
        COLUMNS,
        ["id"],
        timestamp_column="at",
        order_by="timestamp",
        timestamp_timezone="Europe/Berlin",
    )
    zoned.write_changes("20201114-100000000", ("U", 1, "second"), at="2020-11-13 11:00:00.000000")
    # A full load needs none of that, whatever was declared when it was staged.
    loaded = project.declare("loaded", COLUMNS, ["id"], timestamp_column="at", order_by="timestamp")
    loaded.write_changes("20201114-100000000", ("U", 1, "Anna"))
    result = project.run(LATER)
    assert loaded.current() == [(1, "Anna")]
    told = {
        "kept": "image was partial and is full",
        "swapped": "before_image_prefix was BI_ and is none",
        "moved": "timestamp_column was none and is at",
        "again": "change_seq_column was none and is seq",
        "exchanged": "change_seq_column was place and is seq",
        "timed": "timestamp_column was none and is at",
        "keyless": "change_seq_column was none and is seq",
        "zoned": "timestamp_timezone was UTC and is Europe/Berlin",
    }
    for name, problem in told.items():
        message = result.message(f"{name}_snapshot")
        assert problem in message, (name, message)
        assert "Nothing of this table was published" in message
        assert "--full-refresh" in message
        assert project.tables[name].current() == before[name]
    for name in ("kept", "swapped"):
        answer = project.operate_in_vain("replay", select=f"hr.{name}", dry_run=False)
        assert told[name] in answer
        assert project.tables[name].current() == before[name]
    declare_history(project, kept, "kept_history")
    told_history = project.dbt("snapshot").message("kept_history")
    assert "was made under another declaration: image was partial" in told_history

    # What the files do not have, only another full load can tell; all else they have themselves.
    kept.write_load((1, "Anna", "x"), (2, "Bo", "z"))
    (kept.folder / "20201113-120000000.parquet").unlink()
    swapped.write_load((1, "Bo"), (2, "Ann"), (3, "Cy"))
    loaded.write_load((1, "Ann"))
    reloaded = (kept, swapped, loaded)
    result = project.run_tables(LATER, reloaded)
    assert result.ok, result.errors
    others = [table for table in project.tables.values() if table not in (swapped, loaded)]
    result = project.run_tables(LATER, others, "--full-refresh")
    assert result.ok, result.errors
    assert project.dbt("snapshot").ok
    assert {name: table.current() for name, table in project.tables.items()} == {
        "kept": [(1, "Anna", "x"), (2, "Bo", "z")],
        "swapped": [(1, "Bo"), (2, "Ann"), (3, "Cy")],
        "moved": [(5, "Anna")],
        "again": [(1, "new")],
        "exchanged": [(1, "second")],
        "timed": [(1, "new")],
        "keyless": [(1, "a"), (2, "b")],
        "zoned": [(1, "second")],
        "loaded": [(1, "Ann")],
    }


@pytest.mark.thorough
def test_settings_that_only_come_after_what_was_staged_are_no_reason_to_refuse(
    new_project: NewProject,
) -> None:
    project = new_project("more_settings")
    kept = project.declare("kept", WITH_NICK, ["id"])
    kept.write_load((1, "Ann", "x"))
    timed = project.declare("timed", COLUMNS, ["id"], timestamp_column="at")
    timed.write_load((1, "Ann"))
    for table, row in ((kept, (1, "Anna", "x")), (timed, (1, "new"))):
        table.write_changes("20201113-120000000", ("U", *row), at="2020-11-13 10:00:00.000000")
    assert project.run("2020-11-13").ok
    kept = project.declare("kept", WITH_NICK, ["id"], image="partial")
    kept.write_changes("20201114-100000000", ("U", 1, "Anne"), columns=COLUMNS)
    timed = project.declare("timed", COLUMNS, ["id"], timestamp_column="at", order_by="timestamp")
    timed.write_changes("20201114-100000000", ("U", 1, "old"), at="2020-11-13 09:00:00.000000")
    result = project.run(LATER)
    assert result.ok, result.errors
    assert kept.current() == [(1, "Anne", "x")]
    assert timed.current() == [(1, "new")]


@pytest.mark.thorough
def test_another_file_timezone_is_refused_where_change_files_are_indexed(
    new_project: NewProject,
) -> None:
    project = new_project("zones")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    people.write_changes("20201113-103000000", ("U", 1, "first"))
    assert project.run("2020-11-13").ok
    project.declare("people", COLUMNS, ["id"], file_timezone="Europe/Berlin")
    people.write_changes("20201113-110000000", ("U", 1, "second"))
    for options in ([], ["--full-refresh"]):
        message = project.run(LATER, *options).message(people.staging_model)
        assert "file_timezone differs from when change files were indexed" in message
        assert "time_zone_changed" in project.indexed(people).values()
        assert "20201113-103000000.parquet" in message
        assert "Declare the earlier one again" in message
    assert people.dates() == ["2020-11-13"]
    people = project.declare("people", COLUMNS, ["id"])
    assert project.run(LATER).ok
    assert people.current() == [(1, "second")]
    # If DMS writes another one from now on, what was indexed is moved away first.
    for path in people.folder.glob("2020*"):
        path.unlink()
    people = project.declare("people", COLUMNS, ["id"], file_timezone="Europe/Berlin")
    people.write_changes("20201115-100000000", ("I", 2, "third"))
    assert project.run("2020-11-15").ok
    assert people.current() == [(1, "second"), (2, "third")]


@pytest.mark.thorough
def test_a_column_that_comes_or_goes_is_told_with_what_rows_have_there(
    new_project: NewProject,
) -> None:
    project = new_project("columns")
    log = project.folder / "logs/dbt.log"
    people = project.declare("people", COLUMNS, ["id"], on_schema_change="ignore")
    people.write_load((1, "Ann"), (2, "Bo"))
    assert project.run("2020-11-13").ok
    assert "declared since" not in log.read_text()
    project.declare("people", {"id": "int"}, ["id"], on_schema_change="ignore")
    people.write_changes("20201114-100000000", ("I", 3, "Cy"))
    assert project.run(LATER).ok
    gone = "warning  hr.people: columns no longer declared: name. They are NULL"
    assert log.read_text().count(gone) == 1
    people = project.declare("people", COLUMNS, ["id"], on_schema_change="ignore")
    people.write_changes("20201115-100000000", ("U", 1, "Anna"))
    assert project.run("2020-11-15").ok
    new = "warning  hr.people: new columns: name. Rows have NULL there until"
    assert log.read_text().count(new) == 1
    assert people.current() == [(1, "Anna"), (2, None), (3, None)]
    assert project.run("2020-11-15", "--full-refresh", "--select", "+people_snapshot").ok
    assert people.current() == [(1, "Anna"), (2, "Bo"), (3, "Cy")]
    assert project.run("2020-11-16").ok
    assert (log.read_text().count(gone), log.read_text().count(new)) == (1, 1)
