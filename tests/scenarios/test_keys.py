"""Keys of several columns, and tables without one."""

import pytest

from tests.support.dms_files import written_later
from tests.support.project import Table
from tests.support.side_by_side import FailingRun, Run, Steps, scenario

ORDER_LINES = {"note": "string", "line": "int", "pieces": "int", "order": "string"}


@scenario(columns=ORDER_LINES, primary_keys=["order", "line"])
def test_a_composite_key_is_all_of_its_columns_wherever_they_stand(lines: Table) -> Steps:
    lines.write_load(("a", 1, 5, "x"), ("b", 2, 5, "x"), ("c", 1, 5, "y"))
    lines.write_changes("20201114-100000000", ("U", "a2", 1, 6, "x"), ("D", "c", 1, 5, "y"))
    lines.write_changes("20201114-110000000", ("I", "d", 2, 1, "y"))
    yield Run("2020-11-14")
    assert lines.snapshot("2020-11-14") == [("a2", 1, 6, "x"), ("b", 2, 5, "x"), ("d", 2, 1, "y")]


@scenario(columns={"ID": "int", "Select": "string"}, primary_keys=["ID"])
def test_names_are_kept_as_declared_and_found_in_any_case(people: Table) -> Steps:
    people.write_load((1, "Ann"), columns={"id": "int", "SELECT": "string"})
    people.write_changes(
        "20201114-100000000", ("U", "Anna", 1), columns={"select": "string", "Id": "int"}
    )
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@pytest.mark.thorough
@scenario(
    columns={"the key": "int", "a.b": "string", "select": "string", "it's": "string", "ö🐑": "int"},
    primary_keys=["the key", "a.b"],
)
def test_columns_may_have_names_of_any_kind(odd: Table) -> Steps:
    odd.write_load((1, "x", "s", "t", 1), (1, "y", None, None, None))
    odd.write_changes("20201114-100000000", ("U", 1, "x", "s2", None, 2), ("D", 1, "y", "", "", 0))
    yield Run("2020-11-13")
    yield Run("2020-11-14")
    assert odd.snapshot("2020-11-13") == [(1, "x", "s", "t", 1), (1, "y", None, None, None)]
    assert odd.snapshot("2020-11-14") == [(1, "x", "s2", None, 2)]


@scenario(primary_keys=["name"])
def test_text_keys_differ_by_case_blanks_and_emptiness(people: Table) -> Steps:
    people.write_load((1, "a"), (2, "A"), (3, "a "), (4, ""), (5, "it's"), (6, "🐑"))
    people.write_changes("20201114-100000000", ("D", 1, "a"), ("U", 7, ""), ("U", 8, "it's"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(2, "A"), (3, "a "), (6, "🐑"), (7, ""), (8, "it's")]


@scenario(columns={"code": "string", "name": "string"}, primary_keys=["code"])
def test_changes_that_miss_a_key_for_its_blanks_are_warned_of(codes: Table) -> Steps:
    codes.write_load(("AB   ", "one"), ("CD   ", "two"))
    codes.write_changes("20201114-100000000", ("U", "AB", "ONE"), ("D", "CD", None))
    said = yield Run("2020-11-14")
    assert (
        "warning: 2 updates or deletes find no row, but one whose key differs in form only, for "
        'instance {"code":"AB"} beside {"code":"AB   "}' in said
    )
    codes.write_changes("20201115-100000000", ("U", "AB", "ONE"), ("D", "AB   ", None))
    said = yield Run("2020-11-15")
    assert "warning" not in said
    assert codes.snapshot("2020-11-15") == [("AB", "ONE"), ("CD   ", "two")]


@scenario(columns={"id": "string", "line": "int", "name": "string"}, primary_keys=["id", "line"])
def test_changes_that_miss_a_key_for_its_digits_are_warned_of(lines: Table) -> Steps:
    lines.write_load(("1.0000000000", 1, "one"), ("2.0000000000", 1, "two"))
    yield Run("2020-11-13")
    lines.write_changes("20201114-100000000", ("U", "1.0", 1, "ONE"), ("U", "2.0", 2, "new"))
    said = yield Run("2020-11-14")
    assert (
        "warning: 1 updates or deletes find no row, but one whose key differs in form only, for "
        'instance {"id":"1.0","line":1} beside {"id":"1.0000000000","line":1}' in said
    )


@scenario(columns={"code": "string", "name": "string"}, primary_keys=["code"])
def test_keys_that_a_collation_calls_equal_are_one_where_that_is_declared(codes: Table) -> Steps:
    codes.write_load(("Zoë", "one"), ("ABC ", "two"), ("x", "three"))
    codes.write_changes("20201114-100000000", ("U", "ZOE", "ONE"), ("D", "abc", None))
    yield Run("2020-11-13")
    said = yield Run("2020-11-14")
    assert (
        "warning: 2 updates or deletes find no row, but one whose key differs in form only, for "
        'instance {"code":"ZOE"} beside {"code":"Zoë"}' in said
    )
    codes.project.declare(
        codes.name, codes.columns, ["code"], trim=["code"], lower=["code"], unaccent=["code"]
    )
    error = yield FailingRun("2020-11-15")
    assert "lower was none and is code" in error
    said = yield Run("2020-11-15", full_refresh=True)
    assert "warning" not in said
    assert codes.snapshot("2020-11-15") == [("x", "three"), ("zoe", "ONE")]


@scenario(primary_keys=["name"])
def test_changes_of_keys_that_are_not_there_in_any_form_are_not_warned_of(people: Table) -> Steps:
    people.write_load((1, "a"), (2, "a "))
    people.write_changes("20201114-100000000", ("U", 3, "a"), ("D", 1, "b"), ("U", 4, "c"))
    said = yield Run("2020-11-14")
    assert "warning" not in said
    assert people.snapshot("2020-11-14") == [(2, "a "), (3, "a"), (4, "c")]


@scenario(primary_keys=[])
def test_without_a_key_every_insert_is_kept(people: Table) -> Steps:
    people.write_load((1, "Ann"), (1, "Ann"), (None, None))
    people.write_changes("20201114-100000000", ("I", 1, "Ann"), ("I", 2, "Bo"))
    yield Run("2020-11-13")
    yield Run("2020-11-14")
    # Again, from the same base: kept, not doubled.
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-13") == [(None, None), (1, "Ann"), (1, "Ann")]
    assert people.snapshot("2020-11-14") == [
        (None, None), (1, "Ann"), (1, "Ann"), (1, "Ann"), (2, "Bo"),
    ]  # fmt: skip


@pytest.mark.thorough
@scenario(primary_keys=[])
def test_without_a_key_an_update_is_refused_with_its_file_and_row(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("I", 2, "Bo"), ("U", 2, "Bob"))
    yield Run("2020-11-13")
    error = yield FailingRun("2020-11-14")
    assert people.label in error
    assert "20201114-100000000.parquet row 2" in error
    assert people.dates() == ["2020-11-13"]


@pytest.mark.thorough
@scenario(primary_keys=[])
def test_without_a_key_what_a_failed_full_refresh_staged_is_not_counted_again(
    lines: Table,
) -> Steps:
    lines.write_load((1, "Ann"), (2, "Bo"))
    lines.write_changes("20201113-100000000", ("I", 3, "13"))
    yield Run("2020-11-13")
    lines.write_changes("20201114-100000000", ("I", 4, "14"))
    yield Run("2020-11-14")
    # All is staged for the 14th, too, before the update is found that nobody can apply.
    lines.write_changes("20201114-110000000", ("U", 4, "?"))
    yield FailingRun("2020-11-14", full_refresh=True)
    lines.write_changes("20201114-110000000", ("I", 5, "mended"))
    lines.write_changes("20201113-100000000", ("I", 3, "13 again"))
    yield Run("2020-11-15")
    assert lines.snapshot("2020-11-15") == [
        (1, "Ann"), (2, "Bo"), (3, "13 again"), (4, "14"), (5, "mended"),
    ]  # fmt: skip


@pytest.mark.thorough
@scenario(primary_keys=[])
def test_without_a_key_a_reload_after_a_failed_full_refresh_counts_once(lines: Table) -> Steps:
    lines.write_load((1, "Ann"))
    lines.write_load((2, "Bo"), name="LOAD00000002.parquet")
    yield Run("2020-11-13")
    lines.write_changes("20201114-100000000", ("I", 3, "14"))
    yield Run("2020-11-14")
    bad = lines.write_changes("20201114-110000000", ("U", 3, "?"))
    yield FailingRun("2020-11-14", full_refresh=True)
    bad.unlink()
    written_later(lines.write_load((2, "Bo"), (6, "Fay"), name="LOAD00000002.parquet"))
    written_later(lines.write_load((1, "Ann")))
    yield Run("2020-11-15")
    written_later(lines.write_changes("20201116-100000000", ("I", 7, "16")), minutes=6)
    yield Run("2020-11-16")
    written_later(lines.write_changes("20201116-100000000", ("I", 7, "again")), minutes=7)
    yield Run("2020-11-17")
    assert lines.snapshot("2020-11-17") == [(1, "Ann"), (2, "Bo"), (6, "Fay"), (7, "again")]


@pytest.mark.thorough
@scenario(captures_deletes=False)
def test_files_without_op_are_inserts_if_the_task_writes_inserts_only(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_load((2, "Bo"), (1, "Anna"), name="20201114-100000000.parquet")
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna"), (2, "Bo")]


@pytest.mark.thorough
@scenario()
def test_a_full_load_may_have_op(people: Table) -> Steps:
    people.write_changes("LOAD00000001", ("I", 1, "Ann"), ("I", 2, "Bo"))
    people.write_changes("20201114-100000000", ("D", 1, "Ann"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(2, "Bo")]
