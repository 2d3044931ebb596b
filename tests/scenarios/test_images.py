"""What a change carries of its row: keys that change, and updates that lack columns."""

import os
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.support.dms_files import write_rows, written_at
from tests.support.project import Table
from tests.support.side_by_side import COLUMNS, FailingRun, Run, Steps, scenario

MOVES: dict[str, Any] = {"timestamp_column": "committed_at", "before_image_prefix": "BI_"}
WITH_OLD_KEY = {"id": "int", "name": "string", "BI_id": "int"}
PAIR = {"region": "string", "id": "int", "name": "string"}
WITH_OLD_PAIR = {**PAIR, "BI_region": "string", "BI_id": "int"}
WIDE = {"id": "int", "name": "string", "size": "int"}
NINE = "2020-11-14 09:00:00.000000"
TEN = "2020-11-14 10:00:00.000000"


# ------------------------------------------------------------------ keys that change


@scenario(**MOVES)
def test_a_changed_key_takes_its_row_along(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"), (4, "Di"))
    people.write_changes(
        "20201114-100000000",
        ("U", 3, "Anna", 1), ("U", 2, "Bob", 2), ("U", 4, "Dina", None), ("I", 9, "Ed", None),
        columns=WITH_OLD_KEY,
    )  # fmt: skip
    yield Run("2020-11-13")
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-13") == [(1, "Ann"), (2, "Bo"), (4, "Di")]
    assert people.snapshot("2020-11-14") == [(2, "Bob"), (3, "Anna"), (4, "Dina"), (9, "Ed")]
    changes = people.staged("id, name, _dms_op, _dms_row, _dms_is_key_change")
    assert (1, None, "D", 1, True) in changes
    assert (3, "Anna", "U", 1, True) in changes
    assert (2, "Bob", "U", 2, False) in changes
    version = people.versions()[-1]
    assert [version[f"rows_{name}"] for name in ("inserted", "updated", "deleted")] == [2, 2, 1]


@scenario(**MOVES)
def test_rows_that_swap_or_shift_their_keys_in_one_transaction_are_all_kept(people: Table) -> Steps:
    people.write_load((1, "a"), (2, "b"), (11, "x"), (12, "y"), (13, "z"), (21, "chain"))
    people.write_changes(
        "20201114-100000000",
        ("U", 2, "a", 1), ("U", 1, "b", 2),
        ("U", 12, "x", 11), ("U", 13, "y", 12), ("U", 14, "z", 13),
        ("U", 22, "chain", 21), ("U", 23, "chain", 22),
        columns=WITH_OLD_KEY, at=NINE,
    )  # fmt: skip
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [
        (1, "b"), (2, "a"), (12, "x"), (13, "y"), (14, "z"), (23, "chain"),
    ]  # fmt: skip


@pytest.mark.thorough
@scenario(**MOVES)
def test_a_key_that_is_left_after_it_was_taken_in_another_transaction_is_free(
    people: Table,
) -> Steps:
    people.write_load((1, "a"))
    people.write_changes(
        "20201114-100000000", ("U", 2, "a", 1), ("I", 1, "b", None), ("D", 2, None, None),
        columns=WITH_OLD_KEY, at=[NINE, NINE, NINE],
    )  # fmt: skip
    people.write_changes("20201114-110000000", ("U", 3, "b", 1), columns=WITH_OLD_KEY, at=TEN)
    people.write_changes("20201115-100000000", ("U", 1, "b2", 3), columns=WITH_OLD_KEY, at=TEN)
    yield Run("2020-11-14")
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-14") == [(3, "b")]
    assert people.snapshot("2020-11-15") == [(1, "b2")]


@pytest.mark.thorough
@scenario(**MOVES)
def test_a_moved_row_that_the_full_load_has_too_leaves_with_its_delete(people: Table) -> Steps:
    # The load was read behind the move, whose change comes all the same.
    people.write_load((2, "a"))
    people.write_changes(
        "20201114-100000000", ("U", 2, "a", 1), ("D", 2, "a", 2), columns=WITH_OLD_KEY, at=NINE
    )
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == []


@pytest.mark.thorough
@scenario(**MOVES, change_seq_column="seq")
def test_moves_that_are_delivered_again_are_known_by_their_sequence(people: Table) -> Steps:
    columns = {"seq": "string", **WITH_OLD_KEY}
    people.write_load((None, 1, "a"), columns={"seq": "string", **COLUMNS})
    first, second = ("U", "1", 2, "a", 1), ("U", "2", 3, "a", 2)
    people.write_changes("20201114-100000000", first, columns=columns, at=NINE)
    people.write_changes("20201114-100001000", first, second, columns=columns, at=NINE)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(3, "a")]


@pytest.mark.thorough
@scenario(before_image_prefix="BI_", captures_deletes=False)
def test_a_key_changes_also_where_no_op_tells_an_update_from_an_insert(people: Table) -> Steps:
    people.write_load((1, "a"))
    write_rows(
        people.folder / "20201114-100000000.parquet", WITH_OLD_KEY, [(2, "b", 1), (3, "c", None)]
    )
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(2, "b"), (3, "c")]


@pytest.mark.thorough
@scenario(
    columns={"is_there": "int", "written": "string"},
    primary_keys=["is_there"],
    before_image_prefix="BI_",
)
def test_a_key_that_changes_may_have_any_name(people: Table) -> Steps:
    people.write_load((1, "a"))
    people.write_changes(
        "20201114-100000000", ("U", 2, "b", 1), columns={**people.columns, "BI_is_there": "int"}
    )
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(2, "b")]


@pytest.mark.thorough
@scenario(columns=PAIR, primary_keys=["region", "id"], before_image_prefix="BI_")
def test_a_part_of_a_composite_key_may_change(people: Table) -> Steps:
    people.write_load(("a", 1, "Ann"), ("a", 2, "Bo"))
    # Oracle logs the part that changed, others log both.
    people.write_changes(
        "20201114-100000000", ("U", "b", 1, "Ann", "a", None), ("U", "a", 3, "Bo", "a", 2),
        columns=WITH_OLD_PAIR,
    )  # fmt: skip
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [("a", 3, "Bo"), ("b", 1, "Ann")]


# ---------------------------------------------------------------- updates without all columns


@scenario(columns=WIDE, image="partial")
def test_a_column_that_an_update_does_not_carry_keeps_its_value(people: Table) -> Steps:
    people.write_load((1, "Ann", 7), (2, "Bo", 8), (3, "Cy", 9), (5, "Ed", 5), (6, "Fay", 6))
    without_size, without_name = {"id": "int", "name": "string"}, {"id": "int", "size": "int"}
    people.write_changes("20201114-100000000", ("U", 1, "Anna"), ("U", 2, None),
                         columns=without_size)  # fmt: skip
    people.write_changes("20201114-110000000", ("U", 1, 70), ("D", 3, None), ("I", 3, 90),
                         ("U", 4, 40), ("I", 6, 60), columns=without_name)  # fmt: skip
    people.write_changes("20201115-100000000", ("U", 5, "Eddie"), ("U", 3, "Cyd"),
                         columns=without_size)  # fmt: skip
    yield Run("2020-11-13")
    yield Run("2020-11-14")
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-14") == [
        (1, "Anna", 70), (2, None, 8), (3, None, 90), (4, None, 40), (5, "Ed", 5), (6, None, 60),
    ]  # fmt: skip
    assert people.snapshot("2020-11-15") == [
        (1, "Anna", 70), (2, None, 8), (3, "Cyd", 90), (4, None, 40), (5, "Eddie", 5),
        (6, None, 60),
    ]  # fmt: skip


@pytest.mark.thorough
@scenario(columns=WIDE, image="partial", csv={"no_sup_value": "?"})
def test_a_field_with_the_not_logged_marker_keeps_its_value(people: Table) -> Steps:
    people.write_load((1, "Ann", 7), (2, "Bo", 8))
    path = people.folder / "20201114-100000000.csv"
    path.write_text("U,1,?,70\nU,2,NULL,?\nU,1,?,?\nU,1,?,NULL\n")
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Ann", None), (2, None, 8)]


@pytest.mark.thorough
@scenario(columns=WIDE, image="partial", csv={"no_sup_value": "?"})
def test_an_update_behind_a_delete_takes_nothing_from_it(people: Table) -> Steps:
    people.write_load((1, "Ann", 7))
    path = people.folder / "20201114-100000000.csv"
    path.write_text("D,1,Ann,7\nU,1,?,70\nI,2,Bo,8\nD,2,Bo,8\n")
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, None, 70)]


# ------------------------------------------------------------- uploads, deliveries, names, zones


@pytest.mark.thorough
@scenario()
def test_rows_that_a_new_upload_of_a_file_lacks_no_longer_count(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"), (3, "Cy"))
    people.write_changes("20201114-100000000", ("U", 1, "1st"), ("U", 2, "1st"), ("I", 4, "1st"),
                         ("D", 3, None))  # fmt: skip
    people.write_changes("20201114-110000000", ("U", 2, "newer"))
    yield Run("2020-11-14")
    people.write_changes("20201114-100000000", ("U", 1, "2nd"), ("I", 5, "2nd"))
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-14") == [(1, "1st"), (2, "newer"), (4, "1st")]
    assert people.snapshot("2020-11-15") == [(1, "2nd"), (2, "newer"), (3, "Cy"), (5, "2nd")]


@pytest.mark.thorough
@scenario(primary_keys=[], change_seq_column="seq")
def test_without_a_key_changes_that_are_delivered_again_are_known_by_their_sequence(
    people: Table,
) -> Steps:
    with_seq = {"seq": "string", **COLUMNS}
    people.write_load((None, 1, "Ann"), (None, 1, "Ann"), columns=with_seq)
    people.write_changes("20201113-100000000", ("I", "1", 2, "Bo"), columns=with_seq)
    people.write_changes("20201113-110000000", ("I", "1", 2, "Bo"), ("I", "2", 2, "Bo"),
                         columns=with_seq)  # fmt: skip
    people.write_changes("20201114-110000000", ("I", "2", 2, "Bo"), ("I", "3", 3, "Cy"),
                         columns=with_seq)  # fmt: skip
    yield Run("2020-11-13")
    yield Run("2020-11-14")
    people.write_changes("20201115-100000000", ("I", "3", 3, "Cy"), ("I", "4", 4, "Di"),
                         columns=with_seq)  # fmt: skip
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-14") == [
        (1, "Ann"), (1, "Ann"), (2, "Bo"), (2, "Bo"), (3, "Cy"),
    ]  # fmt: skip
    assert people.snapshot("2020-11-15") == [*people.snapshot("2020-11-14"), (4, "Di")]


@pytest.mark.thorough
@scenario(primary_keys=[], max_delete_fraction=0.9)
def test_without_a_key_a_new_upload_of_a_file_replaces_the_old_one(people: Table) -> Steps:
    people.write_load((1, "Ann"), (None, None))
    people.write_changes("20201114-100000000", ("I", 2, "Bo"), ("I", 2, "Bo"), ("I", 3, "Cy"))
    people.write_changes("20201114-110000000", ("I", 2, "Bo"))
    yield Run("2020-11-13")
    yield Run("2020-11-14")
    people.write_changes("20201114-100000000", ("I", 2, "Bo"), ("I", 4, "Di"))
    yield Run("2020-11-15")
    people.write_changes("20201114-100000000", ("I", 5, "Ed"))
    people.write_changes("20201116-100000000", ("I", 6, "Flo"))
    yield Run("2020-11-16")
    yield Run("2020-11-16")
    assert people.snapshot("2020-11-14") == [
        (None, None), (1, "Ann"), (2, "Bo"), (2, "Bo"), (2, "Bo"), (3, "Cy"),
    ]  # fmt: skip
    assert people.snapshot("2020-11-15") == [
        (None, None), (1, "Ann"), (2, "Bo"), (2, "Bo"), (4, "Di"),
    ]  # fmt: skip
    assert people.snapshot("2020-11-16") == [
        (None, None), (1, "Ann"), (2, "Bo"), (5, "Ed"), (6, "Flo"),
    ]  # fmt: skip


@pytest.mark.thorough
@scenario(timestamp_column="committed_at", timestamp_timezone="Europe/Berlin", order_by="timestamp")
def test_commit_times_are_read_in_the_declared_zone(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 1, "Anna"), at="2020-07-01 12:00:00.5")
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna")]
    assert people.staged("_dms_committed_at")[-1] == (datetime(2020, 7, 1, 10, 0, 0, 500000),)


@pytest.mark.thorough
@scenario(file_timezone="America/New_York")
def test_file_names_are_read_in_the_declared_zone(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    # 01:30 comes twice on the first of November; the second time is an hour later.
    second = people.write_changes("20201101-013000000", ("U", 1, "2nd"))
    os.utime(second, (datetime(2020, 11, 1, 6, 30, tzinfo=UTC).timestamp(),) * 2)
    first = people.write_changes("20201101-014500000", ("U", 1, "1st"))
    os.utime(first, (datetime(2020, 11, 1, 5, 45, tzinfo=UTC).timestamp(),) * 2)
    # In UTC this is the second of November.
    people.write_changes("20201101-200000000", ("U", 2, "next day"))
    yield Run("2020-11-01")
    yield Run("2020-11-02")
    assert people.snapshot("2020-11-01") == [(1, "2nd"), (2, "Bo")]
    assert people.snapshot("2020-11-02") == [(1, "2nd"), (2, "next day")]
    # Uploaded again days later it stays what it was, and is no sign of another zone.
    mended = people.write_changes("20201101-014500000", ("U", 1, "mended"))
    os.utime(mended, (datetime(2020, 11, 5, tzinfo=UTC).timestamp(),) * 2)
    yield Run("2020-11-03")
    assert people.snapshot("2020-11-03") == [(1, "2nd"), (2, "next day")]


@scenario(renamed_from={"name": ["first_name", "nick"]})
def test_a_renamed_column_is_found_under_both_names(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"), columns={"id": "int", "Nick": "string"})
    people.write_changes("20201114-100000000", ("U", 1, "Anna"),
                         columns={"id": "int", "first_name": "string"})  # fmt: skip
    people.write_changes("20201114-110000000", ("U", 2, "Bob"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna"), (2, "Bob")]


@scenario(on_schema_change="append_new_columns")
def test_new_columns_may_be_appended(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    yield Run("2020-11-13")
    people.write_changes("20201114-100000000", ("U", 1, "Anna", 7, Decimal("1.50")),
                         columns={**COLUMNS, "Size": "int", "price": "decimal(5,2)"})  # fmt: skip
    people.write_changes("20201114-110000000", ("I", 3, "Cy"))
    yield Run("2020-11-14")
    people.write_changes("20201115-100000000", ("U", 3, "Cyd", 9),
                         columns={**COLUMNS, "size": "int"})  # fmt: skip
    yield Run("2020-11-15")
    people.columns |= {"size": "int", "price": "decimal(5,2)"}
    assert people.snapshot("2020-11-13") == [(1, "Ann", None, None), (2, "Bo", None, None)]
    assert people.snapshot("2020-11-14") == [
        (1, "Anna", 7, Decimal("1.50")), (2, "Bo", None, None), (3, "Cy", None, None),
    ]  # fmt: skip
    assert people.snapshot("2020-11-15") == people.current() == [
        (1, "Anna", 7, Decimal("1.50")), (2, "Bo", None, None), (3, "Cyd", 9, None),
    ]  # fmt: skip
    people.write_changes("20201116-100000000", ("I", 4, "Di", 1), columns={**COLUMNS, "a": "int"})
    people.write_changes("20201116-110000000", ("I", 5, "Ed", "1"),
                         columns={**COLUMNS, "A": "string"})  # fmt: skip
    error = yield FailingRun("2020-11-16")
    assert "new column" in error
    assert "int and as string" in error


@pytest.mark.thorough
@scenario(
    columns={"seen_after": "int", "name": "string"},
    primary_keys=["seen_after"],
    on_schema_change="append_new_columns",
    change_feed=True,
)
def test_a_new_column_whose_name_is_taken_is_not_appended(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    for name, reason in (
        ("Seen", "change_feed would give"),
        ("snapshot_date", "kept for the snapshot's own columns"),
    ):
        path = people.write_changes("20201114-100000000", ("U", 1, "Anna", 7),
                                    columns={**people.columns, name: "int"})  # fmt: skip
        error = yield FailingRun("2020-11-14")
        for part in (people.label, path.name, name, reason, "on_schema_change: ignore"):
            assert part in error
    people.write_changes("20201114-100000000", ("U", 1, "Anna", 7),
                         columns={**people.columns, "after": "int"})  # fmt: skip
    yield Run("2020-11-14")
    assert people.feed()["2020-11-14"] == [("update", 1, "Ann", "Anna", None, 7)]


@scenario(transaction_path="transactions/")
def test_a_file_with_the_changes_of_all_tables_is_read_for_each_of_them(people: Table) -> Steps:
    folder = people.project.dms_root / "transactions"
    people.project.declare(people.name, COLUMNS, ["id"], transaction_path=f"{folder}/")
    people.write_load((1, "Ann"), (2, "Bo"))
    folder.mkdir(parents=True)
    other, own = "others,hr,1,1,1", f"{people.name},hr"
    (folder / "CDC_TXN-20201114100000000.csv").write_text(
        f'I,{other}\nU,{own},1,"a\nI,{own},9,no row"\nU,{own},2,Bob\nD,{people.name},sales,2,x\n'
    )
    (folder / "CDC_TXN-20201114110000000.csv").write_text(f'U,"{people.name}",hr,2,"Bo,b"\n')
    (folder / "CDC_TXN-20201114120000000.csv").write_text(f"I,{other}\n")
    (folder / "CDC_TXN-20201115100000000.csv").write_text(f"I,{other}\nD,{own},1,NULL\n")
    (folder / "LOAD00000001.csv").write_text("of another table\n")
    written_at(folder / "CDC_TXN-20201114100000000.csv", 14, 10)
    # Of a table that was loaded before; whether this one was, no run can tell.
    assert "before its full load" not in (yield Run("2020-11-14"))
    assert people.snapshot("2020-11-14") == [(1, f"a\nI,{own},9,no row"), (2, "Bo,b")]
    assert (3, "Bob") in people.staged("_dms_row, name")
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(2, "Bo,b")]
    (folder / "CDC_TXN-20201116100000000.csv").write_text(f"I,{other}\nU,{own},2\n")
    error = yield FailingRun("2020-11-16")
    assert "CDC_TXN-20201116100000000.csv" in error
    assert "4 fields, but there must be 5" in error


@pytest.mark.thorough
@scenario(transaction_path="transactions/")
def test_changes_of_all_tables_before_a_load_that_was_mended_are_warned_of(people: Table) -> Steps:
    folder = people.project.dms_root / "transactions_of_mended"
    people.project.declare(people.name, COLUMNS, ["id"], transaction_path=f"{folder}/")
    written_at(people.write_load((1, "Ann"), (None, "Bo")), 14, 8)
    folder.mkdir(parents=True)
    changes = folder / "CDC_TXN-20201114100000000.csv"
    changes.write_text(f"U,{people.name},hr,1,Anna\n")
    written_at(changes, 14, 10)
    yield FailingRun("2020-11-14")
    # DMS may have loaded the table again; nothing tells that from a file that was mended.
    written_at(people.write_load((1, "Ann"), (2, "Bo")), 14, 12)
    said = yield Run("2020-11-14")
    told = "warning: change files were written before its full load, and are applied on top of it"
    assert f"{told} (1): {changes}\n" in said
    assert people.current() == [(1, "Anna"), (2, "Bo")]
