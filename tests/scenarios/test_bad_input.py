"""Bad input: one clear error, nothing published for that table, nothing lost, the others finish."""

import json
import os
from dataclasses import dataclass, field
from typing import Any

import pytest

from pyspark_dms.scaffold import scaffold
from tests.conftest import NewProject
from tests.support.dms_files import write_rows, written_at
from tests.support.project import Project, RunResult, Table
from tests.support.side_by_side import COLUMNS, FailingRun, Run, Steps, scenario

TEXT_ID = {"id": "string", "name": "string"}
# Of a full load of which only some files have come again, and of changes that one replaces.
WITHOUT = "its full load has come again without these files, which are unchanged"
REPLACES = (
    "its full load, published in part or rolled back, has come again and replaces change files"
)


def says(error: str, *parts: str) -> None:
    missing = [part for part in parts if part not in error]
    assert not missing, f"{missing} not in: {error}"


def unchanged(table: Table) -> None:
    """The state of the 13th, and no other, is what readers see."""
    assert table.dates() == ["2020-11-13"]
    assert table.snapshot("2020-11-13") == table.current() == [(1, "Ann")]
    assert [version["run_date"] for version in table.versions()] == ["2020-11-13"]


def nothing_published(table: Table) -> None:
    assert table.dates() == []
    assert table.versions() == []


# ------------------------------------------------------------------------------- files


@scenario()
def test_a_value_that_does_not_fit_its_type_is_named_with_file_row_and_column(
    people: Table,
) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    people.write_changes("20201114-100000000", ("U", "1", "Anna"), columns=TEXT_ID)
    bad = people.write_changes(
        "20201114-110000000", ("U", "1", "b"), ("U", "two", "c"), columns=TEXT_ID
    )
    error = yield FailingRun("2020-11-14")
    says(error, people.label, bad.name, "row 2", "id", "two", "int")
    unchanged(people)
    people.write_changes("20201114-110000000", ("U", "1", "b"), ("I", "2", "c"), columns=TEXT_ID)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == people.current() == [(1, "b"), (2, "c")]


@pytest.mark.thorough
@scenario()
def test_the_row_of_a_bad_value_is_counted_from_the_start_of_its_file(people: Table) -> Steps:
    rows = [("U", str(number), "Ann") for number in range(70_000)]
    rows[68_999] = ("U", "nine", "Ann")
    people.write_changes("20201114-100000000", *rows, columns=TEXT_ID)
    error = yield FailingRun("2020-11-14")
    says(error, people.label, "20201114-100000000.parquet", "row 69000", "nine")
    nothing_published(people)


@pytest.mark.thorough
@scenario()
def test_a_number_too_large_for_its_type_is_refused(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes(
        "20201114-100000000", ("I", 2**31, "big"), columns={"id": "bigint", "name": "string"}
    )
    error = yield FailingRun("2020-11-14")
    says(error, people.label, "20201114-100000000.parquet", "row 1", "id", "2147483648", "int")
    nothing_published(people)


@pytest.mark.thorough
@scenario()
def test_an_unknown_op_is_named_with_file_and_row(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    people.write_changes("20201114-100000000", ("U", 1, "Anna"), ("X", 1, "?"))
    error = yield FailingRun("2020-11-14")
    says(error, people.label, "20201114-100000000.parquet", "row 2", "Op", "'X'", "I, U and D")
    unchanged(people)
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@pytest.mark.thorough
@scenario()
def test_a_missing_op_is_named_with_file_and_row(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", (None, 1, "Anna"))
    error = yield FailingRun("2020-11-14")
    says(error, people.label, "20201114-100000000.parquet", "row 1", "Op", "NULL")
    nothing_published(people)


@pytest.mark.thorough
@scenario()
def test_change_files_without_op_are_refused(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_load((1, "Anna"), name="20201114-100000000.parquet")
    error = yield FailingRun("2020-11-14")
    says(error, people.label, "20201114-100000000.parquet", "Op", "captures_deletes")
    nothing_published(people)


@scenario(columns={"region": "string", "id": "int"}, primary_keys=["region", "id"])
def test_a_null_key_is_named_with_file_and_row(people: Table) -> Steps:
    people.write_load(("north", 1))
    yield Run("2020-11-13")
    people.write_changes("20201114-100000000", ("I", "north", 2), ("I", "south", None))
    error = yield FailingRun("2020-11-14")
    says(error, people.label, "NULL", "region, id", "20201114-100000000.parquet row 2")
    assert people.dates() == ["2020-11-13"]
    assert people.current() == [("north", 1)]
    people.write_changes("20201114-100000000", ("I", "north", 2), ("I", "south", 3))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [("north", 1), ("north", 2), ("south", 3)]


@pytest.mark.thorough
@scenario()
def test_a_delete_in_a_full_load_is_refused_with_file_and_row(people: Table) -> Steps:
    people.write_load(("I", 1, "Ann"), ("D", 2, "Bo"), columns={"Op": "string", **COLUMNS})
    error = yield FailingRun("2020-11-13")
    says(error, people.label, "LOAD00000001.parquet", "row 2", "'D'", "full load there is only I")
    nothing_published(people)


@pytest.mark.thorough
@scenario()
def test_a_null_key_in_a_full_load_is_named_with_file_and_row(people: Table) -> Steps:
    people.write_load((1, "Ann"), (None, "Bo"))
    error = yield FailingRun("2020-11-13")
    says(error, people.label, "NULL", "id", "LOAD00000001.parquet row 2")
    nothing_published(people)
    people.write_load((1, "Ann"), (2, "Bo"))
    yield Run("2020-11-13")
    assert people.snapshot("2020-11-13") == [(1, "Ann"), (2, "Bo")]


@pytest.mark.thorough
@scenario(columns={"region": "string", "id": "int"}, primary_keys=["region", "id"])
def test_a_null_in_part_of_a_key_in_a_second_load_file_is_named(people: Table) -> Steps:
    people.write_load(("a", 1), ("b", 1))
    people.write_load(("c", None), ("d", 1), name="LOAD00000002.parquet")
    error = yield FailingRun("2020-11-13")
    says(error, people.label, "NULL", "region, id", "LOAD00000002.parquet row 1")
    nothing_published(people)
    # Of a full load that no version has applied, a file may be written again by itself.
    people.write_load(("c", 1), ("d", 1), name="LOAD00000002.parquet")
    assert "warning" not in (yield Run("2020-11-13"))
    assert people.snapshot("2020-11-13") == [("a", 1), ("b", 1), ("c", 1), ("d", 1)]


@pytest.mark.thorough
@scenario()
def test_a_mended_file_of_a_load_is_not_the_whole_table_that_was_empty_before(
    people: Table,
) -> Steps:
    yield Run("2020-11-13")
    people.write_load((1, "Ann"))
    people.write_load((None, "Bo"), name="LOAD00000002.parquet")
    says((yield FailingRun("2020-11-14")), "NULL", "LOAD00000002.parquet row 1")
    assert people.dates() == ["2020-11-13"]
    people.write_load((2, "Bo"), name="LOAD00000002.parquet")
    assert "warning" not in (yield Run("2020-11-14"))
    assert people.snapshot("2020-11-14") == [(1, "Ann"), (2, "Bo")]


@pytest.mark.thorough
@scenario()
def test_a_mended_file_of_a_load_does_not_replace_those_that_were_published_before_it(
    people: Table,
) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    people.write_load((None, "Bo"), name="LOAD00000002.parquet")
    says((yield FailingRun("2020-11-14")), "NULL", "LOAD00000002.parquet row 1")
    (people.folder / "LOAD00000002.parquet").unlink()
    says((yield FailingRun("2020-11-14")), "LOAD00000002.parquet", "no longer there")
    unchanged(people)
    people.write_load((2, "Bo"), name="LOAD00000002.parquet")
    assert "warning" not in (yield Run("2020-11-14"))
    assert people.snapshot("2020-11-14") == [(1, "Ann"), (2, "Bo")]
    # Of a load that was published to its end, DMS may write the first file again first.
    people.write_load((1, "Cy"))
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "Cy")]
    people.write_load((4, "Di"), name="LOAD00000002.parquet")
    yield Run("2020-11-16")
    assert people.snapshot("2020-11-16") == [(1, "Cy"), (4, "Di")]


@pytest.mark.thorough
@scenario()
def test_changes_before_a_load_that_is_mended_before_it_was_published_are_warned_of(
    people: Table,
) -> Steps:
    """DMS may have loaded the table again; nothing tells that from a file that was mended."""
    written_at(people.write_load((1, "Ann"), (None, "Bo")), 13, 8)
    names = [f"202011{day}-100000000" for day in (13, 14, 15)]
    first, second = (people.write_changes(name, ("U", 1, name)) for name in names[:2])
    written_at(first, 13, 10, 1)
    written_at(second, 14, 10, 1)
    yield FailingRun("2020-11-13")
    written_at(people.write_load((1, "Ann"), (2, "Bo")), 15, 8)
    written_at(people.write_changes(names[2], ("U", 1, names[2])), 15, 10, 1)
    told = "warning: change files were written before its full load, and are applied on top of it"
    says((yield Run("2020-11-13")), f"{told} (1): {first}\n")
    assert people.snapshot("2020-11-13") == [(1, names[0]), (2, "Bo")]
    # So are those that the next run takes for its date, and those after it are not.
    says((yield Run("2020-11-14")), f"{told} (1): {second}\n")
    assert "warning" not in (yield Run("2020-11-15"))
    assert people.current() == [(1, names[2]), (2, "Bo")]


@pytest.mark.thorough
@scenario()
def test_changes_that_readers_have_stay_if_a_file_that_no_run_took_of_their_load_is_mended(
    people: Table,
) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201113-100000000", ("U", 1, "Anna"), ("U", 3, "Cyd"), ("D", 4, None))
    yield Run("2020-11-13")
    people.write_load((None, "Bo"), name="LOAD00000002.parquet")
    yield FailingRun("2020-11-14")
    people.write_load((2, "Bo"), (3, "Cy"), (4, "Di"), name="LOAD00000002.parquet")
    assert "warning" not in (yield Run("2020-11-14"))
    assert people.current() == [(1, "Anna"), (2, "Bo"), (3, "Cyd")]


@pytest.mark.thorough
@scenario()
def test_changes_that_readers_had_are_warned_of_if_a_mended_load_replaces_them(
    people: Table,
) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201113-100000000", ("U", 1, "Anna"))
    yield Run("2020-11-13")
    left = people.write_load((None, "Bo"), name="LOAD00000002.parquet")
    yield FailingRun("2020-11-14")
    # Its name was taken, so it begins another full load.
    people.write_load((1, "Ann"))
    says((yield FailingRun("2020-11-14")), f"{WITHOUT} (1): {left}.", "Reload")
    people.write_load((2, "Bo"), name="LOAD00000002.parquet")
    said = yield Run("2020-11-14")
    says(said, f"warning: {REPLACES} (1): ", "20201113-100000000.parquet")
    assert people.current() == [(1, "Ann"), (2, "Bo")]


@pytest.mark.thorough
@scenario()
def test_a_mended_folder_of_a_load_that_was_refused_is_not_the_whole_table(
    people: Table,
) -> Steps:
    path = f"{people.project.dms_root}/./hr/{people.name}/."
    people.project.declare(people.name, COLUMNS, ["id"], path=path)
    people.write_load((1, "Ann"), name="north/LOAD00000001.parquet")
    people.write_load((None, "Bo"), name="south/LOAD00000001.parquet")
    people.write_changes("20201113-100000000", ("U", 1, "Anna"))
    yield FailingRun("2020-11-13")
    nothing_published(people)
    people.write_load((2, "Bo"), name="south/LOAD00000001.parquet")
    assert "warning" not in (yield Run("2020-11-13"))
    assert people.current() == [(1, "Anna"), (2, "Bo")]


@pytest.mark.thorough
@scenario()
def test_a_null_key_that_a_later_row_follows_is_still_refused(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("I", None, "?"), ("D", None, "?"))
    error = yield FailingRun("2020-11-14")
    says(error, people.label, "NULL", "20201114-100000000.parquet")
    nothing_published(people)


@pytest.mark.thorough
@scenario()
def test_a_column_absent_from_the_file_is_named(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 1), columns={"id": "int"})
    error = yield FailingRun("2020-11-14")
    says(error, people.label, "20201114-100000000.parquet", "name", "on_schema_change")
    nothing_published(people)


@pytest.mark.thorough
@scenario()
def test_a_file_that_is_read_in_parts_is_named_once(people: Table) -> Steps:
    # 12 MB that do not compress, in several row groups.
    rows = [("U", number, os.urandom(50).hex()) for number in range(240_000)]
    path = people.write_changes(
        "20201114-100000000", *rows, columns={"id": "int", "other": "string"}
    )
    assert path.stat().st_size > 8 * 1024 * 1024
    error = yield FailingRun("2020-11-14")
    says(error, "1 of 1 files cannot be read")
    assert error.count("20201114-100000000.parquet: ") == 1
    nothing_published(people)


@pytest.mark.thorough
@scenario()
def test_a_key_column_absent_from_the_file_is_named(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", "Anna"), columns={"name": "string"})
    error = yield FailingRun("2020-11-14")
    says(error, people.label, "20201114-100000000.parquet", "key column id")
    nothing_published(people)


@scenario()
def test_a_column_that_is_not_declared_is_named(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    people.write_changes(
        "20201114-100000000", ("U", 1, "Anna", 7), columns={**COLUMNS, "shoe_size": "int"}
    )
    error = yield FailingRun("2020-11-14")
    says(error, people.label, "20201114-100000000.parquet", "shoe_size", "on_schema_change")
    unchanged(people)
    # Declared, the same command takes it; earlier rows know nothing of it.
    people.project.declare(people.name, {**COLUMNS, "shoe_size": "int"}, ["id"])
    people.columns["shoe_size"] = "int"
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-13") == [(1, "Ann", None)]
    assert people.snapshot("2020-11-14") == people.current() == [(1, "Anna", 7)]


@pytest.mark.thorough
@scenario(on_schema_change="ignore")
def test_absent_and_undeclared_columns_may_be_ignored(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes(
        "20201114-100000000", ("I", 2, 7), columns={"id": "int", "shoe_size": "int"}
    )
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Ann"), (2, None)]


@pytest.mark.thorough
@scenario()
def test_a_truncated_file_is_named(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    path = people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    path.write_bytes(path.read_bytes()[:100])
    error = yield FailingRun("2020-11-14")
    says(error, people.label, path.name, "Parquet")
    unchanged(people)
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@pytest.mark.thorough
@scenario()
def test_an_empty_file_and_a_file_of_another_format_are_named(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    (people.folder / "20201114-100000000.parquet").write_bytes(b"")
    (people.folder / "20201114-110000000.parquet").write_bytes(b"Op,id,name\nU,1,Anna\n" * 9)
    error = yield FailingRun("2020-11-14")
    says(error, people.label, "20201114-100000000.parquet", "20201114-110000000.parquet", "empty")
    unchanged(people)


@pytest.mark.thorough
@scenario()
def test_a_file_that_goes_missing_before_it_is_read_is_named(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    # The index sees it, the table fails, and then it is gone.
    gone = people.write_changes("20201114-100000000", ("X", 1, "?"))
    yield FailingRun("2020-11-14")
    gone.unlink()
    error = yield FailingRun("2020-11-14")
    says(error, people.label, gone.name, "no longer there")
    unchanged(people)


@scenario(max_delete_fraction=0.5)
def test_more_deletes_than_allowed_are_refused(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"), (3, "Cy"))
    people.write_changes("20201114-100000000", ("D", 2, "Bo"), ("D", 3, "Cy"))
    yield Run("2020-11-13")
    error = yield FailingRun("2020-11-14")
    says(error, people.label, "2 of 3", "max_delete_fraction", "0.5")
    assert people.current() == [(1, "Ann"), (2, "Bo"), (3, "Cy")]
    assert people.dates() == ["2020-11-13"]


@pytest.mark.thorough
@scenario()
def test_a_run_after_a_failed_one_takes_the_files_of_both(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    people.write_changes("20201114-100000000", ("I", 2, "Bo"))
    people.write_changes("20201114-110000000", ("X", 1, "?"))
    yield FailingRun("2020-11-14")
    people.write_changes("20201114-110000000", ("U", 1, "Anna"))
    people.write_changes("20201115-100000000", ("I", 3, "Cy"))
    yield Run("2020-11-15")
    assert people.dates() == ["2020-11-13", "2020-11-15"]
    assert people.snapshot("2020-11-15") == [(1, "Anna"), (2, "Bo"), (3, "Cy")]


# ------------------------------------------------------------------- declarations


@pytest.mark.thorough
@scenario()
def test_a_changed_type_is_refused_before_anything_is_written(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    people.project.declare(people.name, {"id": "bigint", "name": "string"}, ["id"])
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    error = yield FailingRun("2020-11-14")
    says(error, people.label, "id", "bigint", "int")
    unchanged(people)
    people.project.declare(people.name, COLUMNS, ["id"])
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@pytest.mark.thorough
@scenario()
def test_a_broken_declaration_leaves_what_is_published(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    people.project.declare(people.name, COLUMNS, ["id"], order_by="name")
    error = yield FailingRun("2020-11-14")
    says(error, people.label, f"{people.name}.yml", "order_by", "name", "change_seq", "timestamp")
    unchanged(people)
    people.project.declare(people.name, COLUMNS, ["id"])
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@dataclass(frozen=True)
class Wrong:
    """A declaration that must be refused, and what the error must name."""

    says: tuple[str, ...]
    columns: dict[str, str] = field(default_factory=lambda: dict(COLUMNS))
    dms: dict[str, Any] = field(default_factory=dict)


WRONG = {
    "wrong_type": Wrong(("id", "integer", "bigint"), columns={"id": "integer", "name": "string"}),
    "unknown_gate_of_a_package": Wrong(
        ("gates", "there is none of the name dbt_nothing.not_null"),
        dms={"gates": [{"dbt_nothing.not_null": {"column_name": "name"}}]},
    ),
}


@pytest.fixture(scope="module")
def wrong(new_project: NewProject) -> tuple[Project, RunResult]:
    """A project in which all tables but `good` are declared wrong, after its run.

    What else is wrong is in tests/declaration/test_declaration_advice.py.
    """
    project = new_project("wrong")
    project.declare("good", COLUMNS, ["id"]).write_load((1, "Ann"))
    for name, item in WRONG.items():
        table = project.declare(name, item.columns, ["id"], **item.dms)
        write_rows(table.folder / "LOAD00000001.parquet", {"id": "int"}, [(1,)])
    return project, project.run("2020-11-13")


def test_wrong_declarations_stop_their_own_tables_only(wrong: tuple[Project, RunResult]) -> None:
    project, result = wrong
    assert not result.ok
    assert project.tables["good"].snapshot("2020-11-13") == [(1, "Ann")]
    assert set(result.failed) == {f"stg_hr__{name}" for name in WRONG}
    assert project.query(f"select distinct table_name from {project.schema}.snapshot_versions") == [
        ("good",)
    ]


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_declaration_is_refused_with_the_key_and_what_is_allowed(
    wrong: tuple[Project, RunResult], name: str
) -> None:
    project, result = wrong
    table = project.tables[name]
    says(result.message(table.staging_model), table.label, f"{name}.yml", *WRONG[name].says)


@pytest.mark.thorough
def test_two_tables_with_one_folder_are_both_refused(new_project: NewProject) -> None:
    project = new_project("one_folder")
    first = project.declare("first", COLUMNS, ["id"])
    second = project.declare("second", COLUMNS, ["id"], path=f"{project.dms_root}/.//hr/first/")
    good = project.declare("good", COLUMNS, ["id"])
    for table in (first, good):
        table.write_load((1, "Ann"))
    result = project.run("2020-11-13")
    assert not result.ok
    says(result.message(first.staging_model), str(first.folder), second.label)
    says(result.message(second.staging_model), str(first.folder), first.label)
    assert good.snapshot("2020-11-13") == [(1, "Ann")]


def test_two_declarations_of_one_table_are_refused_with_both_files(
    new_project: NewProject,
) -> None:
    project = new_project("two_declarations")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    declared = project.folder / "models/sources/hr/people.yml"
    declared.with_name("again.yml").write_text(declared.read_text())
    result = project.run("2020-11-13")
    assert not result.ok
    says(result.errors, "people", "people.yml", "again.yml")
    assert project.query(f"show schemas like '{project.schema}'") == []
    declared.with_name("again.yml").unlink()
    assert project.run("2020-11-13").ok
    assert people.snapshot("2020-11-13") == [(1, "Ann")]


@pytest.mark.thorough
@pytest.mark.parametrize("written", [["renamed_from"], "renamed_from", {"rename_from": ["old"]}])
def test_what_a_column_says_of_itself_otherwise_stops_its_own_table_only(
    new_project: NewProject, written: Any
) -> None:
    project = new_project("column_meta")
    good = project.declare("good", COLUMNS, ["id"])
    people = project.declare("people", COLUMNS, ["id"])
    for table in (good, people):
        table.write_load((1, "Ann"))
    declared = project.folder / "models/sources/hr/people.yml"
    content = json.loads(declared.read_text())
    content["sources"][0]["tables"][0]["columns"][1]["config"] = {"meta": {"dms": written}}
    project.write_declaration(people, content)
    error = project.run("2020-11-13").message(people.staging_model)
    says(error, "hr.people", "people.yml", "column name has meta.dms", "the key renamed_from")
    nothing_published(people)
    assert good.current() == [(1, "Ann")]


@pytest.mark.thorough
def test_a_path_that_cannot_be_listed_stops_its_own_table_only(new_project: NewProject) -> None:
    project = new_project("unlistable")
    bad = project.declare("bad", COLUMNS, ["id"], path="ftp://there/bad/")
    good = project.declare("good", COLUMNS, ["id"])
    good.write_load((1, "Ann"))
    result = project.run("2020-11-13")
    assert not result.ok
    says(result.errors, bad.label, "ftp://there/bad/")
    assert good.snapshot("2020-11-13") == [(1, "Ann")]
    # dbt retry does not list again, so it cannot know better.
    result = project.dbt("retry")
    assert not result.ok
    says(result.errors, bad.label, "ftp://there/bad/")


@pytest.mark.thorough
def test_a_mended_declaration_is_not_retried_without_listing_its_files(
    new_project: NewProject,
) -> None:
    project = new_project("mended")
    people = project.declare("people", COLUMNS, ["id"])
    moved = project.declare("moved", COLUMNS, ["id"], on_missing_files="fail")
    for table in (people, moved):
        table.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    for table in (people, moved):
        table.write_changes("20201114-100000000", ("U", 1, "Anna"))
    other = project.declare("other", COLUMNS, ["id"])
    other.write_load((1, "Ann"))

    # What this one lists, it does not add to the index.
    with project.interrupted("add_indexed_files"):
        assert not project.run("2020-11-14", "--select", "dms_files").ok
    mistaken = str(people.folder / "mistaken")
    project.declare("people", COLUMNS, ["key"])
    project.declare("moved", COLUMNS, ["id"], path=mistaken, on_missing_files="fail")
    project.declare("new", COLUMNS, ["key"]).write_load((1, "Ann"))
    assert len(project.run("2020-11-14").failed) == 3
    project.declare("people", COLUMNS, ["id"])
    project.declare("moved", COLUMNS, ["id"], on_missing_files="fail")
    new = project.declare("new", COLUMNS, ["id"])
    retried = project.dbt("retry")
    for table, model in (
        (people, people.staging_model),
        (moved, moved.staging_model),
        (new, new.staging_model),
    ):
        says(
            retried.message(model),
            table.label,
            "dms_files has no plan that can be used",
            f"Run it with the index: dbt run --select +{table.snapshot_model}",
        )
    unchanged(people)
    unchanged(moved)
    nothing_published(new)

    assert project.run("2020-11-14").ok
    for table in (people, moved):
        assert table.snapshot("2020-11-14") == [(1, "Anna")]
    assert new.current() == [(1, "Ann")]


@pytest.mark.thorough
def test_tests_of_a_table_that_every_run_refuses_do_not_pass(new_project: NewProject) -> None:
    project = new_project("unclear")
    people = project.declare(
        "people", COLUMNS, ["id"], active=None, gates=[{"not_null": {"column_name": "name"}}]
    )
    scaffold(project.folder)
    says(project.run("2020-11-13").errors, people.label, "active")
    result = project.dbt("test", "--select", "not_null_people_snapshot_name")
    assert not result.ok


def test_a_table_that_is_not_active_is_declared_and_not_run(new_project: NewProject) -> None:
    project = new_project("inactive")
    people = project.declare(
        "people",
        COLUMNS,
        ["id"],
        active=False,
        change_feed=True,
        gates=[{"not_null": {"column_name": "name"}}],
    )
    people.write_load((1, "Ann"))
    scaffold(project.folder)
    result = project.run("2020-11-13")
    assert result.ok, result.errors
    # Its tests have nothing to look at.
    result = project.dbt("test", "--select", people.staging_model, people.snapshot_model)
    assert result.ok, result.errors
    assert {"snapshot_is_whole_people_snapshot_id", "not_null_people_snapshot_name"} < set(
        result.models
    )
    assert project.indexed(people) == {}
    tables = project.query(f"show tables in {project.schema} like '*people*'")
    assert [name for schema, name, _ in tables if schema] == []  # others' temporary views have none


@pytest.mark.thorough
def test_flags_and_variables_that_would_go_wrong_stop_the_run_and_name_what_is_allowed(
    new_project: NewProject,
) -> None:
    project = new_project("wrong_flags")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    people.write_load((1, "Anna"))  # a reload, which is known by what was taken
    state = str(project.folder / "target")
    for flags in (["--empty"], ["--defer", "--state", state]):
        error = project.run("2020-11-14", *flags).errors
        says(error, f"{flags[0]}: not with the tables of DMS", "Nothing was run")
    for variable, least, example in (
        ("late_file_days: two", 0, "late_file_days: 7"),
        ("broadcast_max_keys: 0", 1, "broadcast_max_keys: 5000000"),
        ("file_bytes: 64MB", 1, "file_bytes: 67108864"),
    ):
        error = project.dbt("run", "--vars", f"{{run_date: 2020-11-14, {variable}}}").errors
        says(error, variable.replace(": ", " is '"), "Nothing was run")
        says(error, f"whole number from {least}", f"'{{{example}}}'")
    unchanged(people)
    assert project.run("2020-11-14").ok
    assert people.current() == [(1, "Anna")]
    assert people.versions()[-1]["generation"] == 2


@pytest.mark.thorough
def test_a_date_for_which_nobody_has_listed_the_files_is_not_published(
    new_project: NewProject,
) -> None:
    project = new_project("unlisted")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13").ok
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    for selected in (people.snapshot_model, f"{people.staging_model}+"):
        result = project.run("2020-11-14", "--select", selected)
        says(
            result.errors,
            people.label,
            "dms_files has no plan that can be used",
        )
        says(result.errors, "dbt run --select +people_snapshot")
    unchanged(people)
    # One that found files and died before it could index them is nobody.
    with project.interrupted("add_partitions"):
        assert not project.run("2020-11-14", "--select", "dms_files").ok
    result = project.run("2020-11-14", "--select", people.snapshot_model)
    says(
        result.errors,
        people.label,
        "dms_files has no plan that can be used",
    )
    # As a scheduler does that gives each model a command of its own.
    for selected in ("dms_files", people.staging_model, people.snapshot_model):
        assert project.run("2020-11-14", "--select", selected).ok
    assert people.current() == people.snapshot("2020-11-14") == [(1, "Anna")]
    # Also if there is nothing to index.
    for selected in ("dms_files", people.staging_model, people.snapshot_model):
        assert project.run("2020-11-15", "--select", selected).ok
    assert people.dates()[-1] == "2020-11-15"


@pytest.mark.thorough
def test_what_staging_refuses_is_not_published_by_a_command_of_its_own_until_it_is_mended(
    new_project: NewProject,
) -> None:
    project = new_project("one_by_one")
    retimed, gone, empty, unlisted = tables = [
        project.declare(name, COLUMNS, ["id"], on_missing_files="fail")
        for name in ("retimed", "gone", "empty", "unlisted")
    ]
    for table in tables:
        table.write_load((1, "Ann"))
        table.write_changes("20201113-100000000", ("U", 1, "13"))
    assert project.run("2020-11-13").ok

    project.declare("retimed", COLUMNS, ["id"], file_timezone="Europe/Berlin")
    gone_file = gone.folder / "20201113-100000000.parquet"
    put_aside = gone_file.rename(project.folder / "put_aside")
    for table, path in (
        (empty, f"{project.dms_root}/elsewhere/"),
        (unlisted, "ftp://there/unlisted/"),
    ):
        project.declare(table.name, COLUMNS, ["id"], path=path, on_missing_files="fail")
    assert project.run("2020-11-14", "--select", "dms_files").ok
    # As a scheduler does that goes on after a command that failed.
    for of_table in ("staging_model", "snapshot_model"):
        models = {getattr(table, of_table): table for table in tables}
        result = project.run("2020-11-14", "--select", *models)
        assert sorted(result.failed) == sorted(models)
        says(result.message(getattr(retimed, of_table)), "file_timezone differs")
        says(result.message(getattr(gone, of_table)), "missing (1)", str(gone_file))
        says(result.message(getattr(empty, of_table)), "there are no files under")
        says(result.message(getattr(unlisted, of_table)), "cannot be listed", "ftp://there/")
        says(result.message(getattr(unlisted, of_table)), "dbt run --select +unlisted_snapshot")
    assert [table.dates() for table in tables] == [["2020-11-13"]] * 4

    put_aside.rename(gone_file)
    for table in tables:
        project.declare(table.name, COLUMNS, ["id"], on_missing_files="fail")
    for select in ("dms_files", "stg_*", "*_snapshot"):
        result = project.run("2020-11-14", "--select", select)
        assert result.ok, result.errors
    for table in tables:
        assert table.snapshot("2020-11-14") == [(1, "13")]

    # Nor is it where the date was published before.
    gone_file.rename(put_aside)
    project.declare("unlisted", COLUMNS, ["id"], path="ftp://there/unlisted/")
    assert project.run("2020-11-14", "--select", "dms_files").ok
    assert project.run("2020-11-14", "--select", "stg_*").failed == [
        gone.staging_model,
        unlisted.staging_model,
    ]
    assert project.run("2020-11-14", "--select", gone.snapshot_model).failed
    assert len(gone.versions()) == 1
    # What was found where the table was declared meanwhile is nothing of it any more.
    project.declare("unlisted", COLUMNS, ["id"], on_missing_files="fail")
    result = project.run("2020-11-14", "--select", unlisted.staging_model)
    says(
        result.message(unlisted.staging_model),
        "dms_files has no plan that can be used",
    )
    for select in ("dms_files", unlisted.staging_model):
        assert project.run("2020-11-14", "--select", select).ok
