"""Which objects are files of a table, and in which order they come."""

import os
from pathlib import Path

import pytest

from pyspark_dms.declared import METADATA_MODELS
from tests.conftest import NewProject
from tests.support.dms_files import written_at, written_later
from tests.support.project import Table
from tests.support.side_by_side import COLUMNS, FailingRun, Run, Steps, scenario


@scenario(table="payloads")
def test_a_table_may_be_called_payloads(payloads: Table) -> Steps:
    payloads.write_load((1, "Ann"))
    payloads.write_changes("20201114-100000000", ("U", 1, "Anna"))
    yield Run("2020-11-14")
    assert payloads.snapshot("2020-11-14") == [(1, "Anna")]
    assert payloads.project.indexed(payloads) == {
        "LOAD00000001.parquet": "load",
        "20201114-100000000.parquet": "cdc",
    }


@scenario()
def test_more_than_a_thousand_files_are_all_read_in_order(people: Table) -> Steps:
    people.write_load((0, "loaded"))
    for number in range(1, 1101):
        minute, second = divmod(number, 60)
        people.write_changes(
            f"20201114-10{minute:02}{second:02}000",
            ("U", 0, f"file {number}"),
            ("I", number, f"file {number}"),
        )
    yield Run("2020-11-14")
    rows = people.snapshot("2020-11-14")
    assert rows == [(0, "file 1100")] + [(n, f"file {n}") for n in range(1, 1101)]


@pytest.mark.thorough
@scenario()
def test_a_large_file_keeps_its_order_however_it_is_divided(people: Table) -> Steps:
    # 12 MB that do not compress: read in several tasks, each with several batches.
    keys, rounds = 1000, 240
    names = [os.urandom(25).hex() for _ in range(keys * rounds)]
    people.write_load(*[(key, "loaded") for key in range(keys)])
    path = people.write_changes(
        "20201114-100000000", *[("U", number % keys, name) for number, name in enumerate(names)]
    )
    assert path.stat().st_size > 8 * 1024 * 1024
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == list(enumerate(names[-keys:]))
    assert people.project.query(
        "select count(*), count(distinct _dms_row), max(_dms_row)"
        f" from {people.project.schema}.{people.staging_model} where not _dms_is_load"
    ) == [(keys * rounds, keys * rounds, keys * rounds)]


@pytest.mark.thorough
@scenario()
def test_a_path_may_have_blanks_signs_and_letters_of_any_kind(people: Table) -> Steps:
    people.folder = people.project.dms_root / "a b" / "year=2020" / "100%25 #1 'ö' 🐑 [x] (y)"
    people.project.declare(people.name, people.columns, ["id"], path=f"{people.folder}/")
    people.write_load((1, "Ann"))
    people.write_changes("2020 11/20201114-100000000", ("U", 1, "Anna"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@scenario()
def test_full_load_files_count_in_hexadecimal(people: Table) -> Steps:
    people.write_load((1, "9"), (9, "9"), name="LOAD00000009.parquet")
    people.write_load((1, "A"), (10, "A"), name="LOAD0000000A.parquet")
    people.write_load((1, "10"), (16, "10"), name="LOAD00000010.parquet")
    yield Run("2020-11-13")
    # A key in several full load files: the last file has it.
    assert people.snapshot("2020-11-13") == [(1, "10"), (9, "9"), (10, "A"), (16, "10")]


@pytest.mark.thorough
@scenario(
    columns={"region": "string", "id": "int", "name": "string"}, primary_keys=["region", "id"]
)
def test_a_key_that_comes_in_two_full_load_files_counts_once(people: Table) -> Steps:
    """As the files of two loads in one folder, each in the order of its keys."""
    people.write_load(("a", 1, "old"), ("a", 2, "old"), ("b", 1, "old"))
    people.write_load(("a", 2, "new"), ("c", 1, "new"), name="LOAD00000002.parquet")
    people.write_changes("20201113-100000000", ("D", "b", 1, None))
    said = yield Run("2020-11-13")
    assert people.snapshot("2020-11-13") == [("a", 1, "old"), ("a", 2, "new"), ("c", 1, "new")]
    # It may be that the key is another one, and rows are missing.
    told = "warning: its full load has 5 rows and 4 keys (region, id), for instance twice"
    assert f'{told} {{"region":"a","id":2}}' in said


@scenario()
def test_the_segments_of_a_parallel_load_are_all_read(people: Table) -> Steps:
    people.write_load((1, "Ann"), name="SEGMENT1_LOAD00000001.parquet")
    people.write_load((2, "Bo"), name="SEGMENT2_LOAD00000001.parquet")
    people.write_load((3, "Cy"), name="north/LOAD00000001.parquet")
    people.write_load((4, "Di"), name="south/LOAD00000001.parquet")
    people.write_changes("20201114-100000000", ("U", 2, "Bob"), ("D", 3, "Cy"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Ann"), (2, "Bob"), (4, "Di")]


@scenario()
def test_files_in_date_folders_are_ordered_by_their_names(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    # MMYYYYDD: the folder of January stands before that of December, which is a year older.
    people.write_changes("12202031/20201231-100000000", ("U", 1, "2020"), ("U", 2, "2020"))
    people.write_changes("01202101/20210101-100000000", ("U", 1, "2021"))
    people.write_changes("2021/01/02/20210102-100000000", ("U", 2, "slash"))
    people.write_changes("2021-01-03/20210103-100000000", ("U", 2, "dash"))
    yield Run("2021-01-01")
    yield Run("2021-01-04")
    assert people.snapshot("2021-01-01") == [(1, "2021"), (2, "2020")]
    assert people.snapshot("2021-01-04") == [(1, "2021"), (2, "dash")]


@scenario()
def test_the_fraction_in_a_change_file_name_may_have_any_width(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-1000005", ("U", 1, "half a second"))
    people.write_changes("20201114-100000499999", ("U", 1, "just before"))
    people.write_changes("20201114-100001", ("U", 2, "the next second"))
    people.write_changes("20201114-1000009999", ("U", 2, "just before"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "half a second"), (2, "the next second")]


@pytest.mark.thorough
@scenario()
def test_files_of_one_name_in_several_folders_have_an_order_whenever_they_are_seen(
    people: Table,
) -> Steps:
    name = "20201114-100000000"
    people.write_load((1, "Ann"), (2, "Bo"), (3, "Cy"))
    people.write_changes(f"c/{name}", ("U", 2, "c"))
    people.write_changes(f"b/{name}", ("U", 1, "b"), ("U", 2, "b"), ("U", 3, "b"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "b"), (2, "c"), (3, "b")]
    # Staged together with the others, but seen later than they were.
    people.write_changes(f"a/{name}", ("U", 1, "a"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "a"), (2, "c"), (3, "b")]
    again = people.write_changes(f"b/{name}", *[("U", key, "b again") for key in (1, 2, 3)])
    written_later(again)
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "a"), (2, "c"), (3, "b again")]
    assert people.project.query(
        f"select count(distinct path), count(distinct file_seq) from {people.project.schema}"
        f".dms_files where table_name = '{people.name}' and kind = 'cdc'"
    ) == [(3, 3)]
    yield Run("2020-11-15", full_refresh=True)
    assert people.snapshot("2020-11-15") == [(1, "a"), (2, "c"), (3, "b again")]


@scenario()
def test_an_object_that_is_no_dms_file_is_reported_and_left_alone(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    strangers = {
        "notes.txt", "_SUCCESS", "LOAD.parquet", "20201314-100000000.parquet", "part-00000.parquet",
        "DOWNLOAD00000001.parquet", "old/summary_20201114-100000000.parquet",
    }  # fmt: skip
    for name in strangers:
        people.write_load((2, name), name=name)
    said = yield Run("2020-11-14")
    told = "warning: objects without a name of a DMS file are not read "
    assert said.count(f"{told}(7): {people.folder}/") == 1
    assert people.snapshot("2020-11-14") == [(1, "Ann")]
    indexed = people.project.indexed(people)
    assert {name for name, kind in indexed.items() if kind == "unknown"} == strangers
    assert told not in (yield Run("2020-11-15"))
    people.write_load((2, "late"), name="late.txt")
    assert f"{told}(1): {people.folder}/late.txt" in (yield Run("2020-11-16"))
    assert people.snapshot("2020-11-16") == [(1, "Ann")]


@pytest.mark.thorough
@scenario()
def test_a_file_may_have_its_columns_in_another_order(people: Table) -> Steps:
    people.write_load(("Ann", 1), columns={"name": "string", "id": "int"})
    people.write_changes(
        "20201114-100000000", ("U", "Anna", 1), columns={"name": "string", "id": "int"}
    )
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@pytest.mark.thorough
@scenario()
def test_a_file_may_have_no_rows(people: Table) -> Steps:
    people.write_load()
    people.write_changes("20201114-100000000")
    people.write_changes("20201115-100000000", ("I", 1, "Ann"))
    yield Run("2020-11-14")
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-14") == []
    assert people.snapshot("2020-11-15") == [(1, "Ann")]


@scenario()
def test_a_folder_that_is_not_there_is_an_empty_table(people: Table) -> Steps:
    yield Run("2020-11-13")
    assert people.snapshot("2020-11-13") == people.current() == []
    people.write_load((1, "Ann"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == people.current() == [(1, "Ann")]


@pytest.mark.thorough
@scenario()
def test_the_changes_of_a_table_that_was_empty_need_no_full_load(people: Table) -> Steps:
    people.write_changes("20201114-100000000", ("I", 1, "Ann"), ("I", 2, "Bo"), ("D", 2, "Bo"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Ann")]


@pytest.mark.thorough
@scenario(cdc_start_date="2020-11-14")
def test_change_files_before_the_declared_start_are_left_out(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201113-235959999", ("U", 1, "before the start"))
    people.write_changes("20201114-000000000", ("U", 2, "from the start"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Ann"), (2, "from the start")]


@pytest.mark.thorough
@scenario()
def test_a_full_load_may_arrive_in_two_runs(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"), name="LOAD00000001.parquet")
    people.write_changes("20201113-100000000", ("U", 3, "changed"), ("D", 4, None))
    yield Run("2020-11-13")
    assert people.snapshot("2020-11-13") == [(1, "Ann"), (2, "Bo"), (3, "changed")]
    people.write_load((3, "loaded"), (4, "loaded"), (5, "loaded"), name="LOAD00000002.parquet")
    yield Run("2020-11-14")
    # The changes of 3 and 4 are newer than their full load, though they came first.
    assert people.snapshot("2020-11-14") == [(1, "Ann"), (2, "Bo"), (3, "changed"), (5, "loaded")]


@scenario()
def test_a_reload_without_rows_empties_the_table_and_is_warned_of(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    yield Run("2020-11-14")
    written_later(people.write_load())
    said = yield Run("2020-11-15")
    assert "a full load without rows leaves none of 2" in said
    assert people.snapshot("2020-11-15") == people.current() == []
    assert "leaves none" not in (yield Run("2020-11-16"))


@scenario()
def test_a_reload_replaces_the_rows_and_older_changes_do_not_come_back(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-100000000", ("U", 1, "before"), ("I", 3, "before"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "before"), (2, "Bo"), (3, "before")]
    # While DMS was down, 2 was deleted at the source: nobody tells.
    written_later(people.write_load((1, "reloaded"), (4, "reloaded")))
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == people.current() == [(1, "reloaded"), (4, "reloaded")]
    written_later(people.write_changes("20201116-100000000", ("U", 4, "after")), minutes=6)
    yield Run("2020-11-16")
    assert people.snapshot("2020-11-16") == [(1, "reloaded"), (4, "after")]
    assert people.snapshot("2020-11-14") == [(1, "before"), (2, "Bo"), (3, "before")]


@pytest.mark.thorough
@scenario()
def test_a_reload_may_arrive_in_two_runs_and_another_may_follow(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_load((2, "Bo"), name="LOAD00000002.parquet")
    yield Run("2020-11-13")
    written_later(people.write_load((1, "again")), minutes=5)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "again")]
    written_later(people.write_load((2, "again"), name="LOAD00000002.parquet"), minutes=6)
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "again"), (2, "again")]
    written_later(people.write_load((1, "third"), (3, "third")), minutes=7)
    yield Run("2020-11-16")
    assert people.snapshot("2020-11-16") == people.current() == [(1, "third"), (3, "third")]


@pytest.mark.thorough
@scenario()
def test_changes_that_dms_wrote_before_the_full_load_of_a_first_run_are_warned_of(
    people: Table,
) -> Steps:
    people.write_load((1, "Ann"))
    before = people.write_changes("20201113-100000000", ("U", 1, "before"))
    copied = people.write_changes("20201113-110000000", ("I", 2, "copied"))
    written_at(before, 13, 10, 1)
    written_at(copied, 13, 13)
    said = yield Run("2020-11-13")
    assert f"before its full load, and are applied on top of it (1): {before}\n" in said
    assert people.snapshot("2020-11-13") == [(1, "before"), (2, "copied")]
    written_later(people.write_load((1, "Anna")))
    assert "before its full load" not in (yield Run("2020-11-14"))
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@pytest.mark.thorough
@scenario()
def test_changes_before_the_first_full_load_that_the_second_run_takes_are_warned_of_too(
    people: Table,
) -> Steps:
    load = people.write_load((1, "Ann"))
    paths = [
        people.write_changes(f"202011{day}-100000000", ("U", 1, f"{day}")) for day in (13, 14, 15)
    ]
    for path, day in zip(paths, (13, 14, 15), strict=True):
        written_at(path, day, 10, 1)
    written_at(load, 15, 8)
    for path, day in zip(paths[:2], (13, 14), strict=True):
        said = yield Run(f"2020-11-{day}")
        assert f"before its full load, and are applied on top of it (1): {path}\n" in said
    assert "before its full load" not in (yield Run("2020-11-15"))
    assert people.current() == [(1, "15")]


@pytest.mark.thorough
@scenario()
def test_changes_that_were_applied_before_a_full_load_came_to_them_are_warned_of(
    people: Table,
) -> Steps:
    # As DMS begins with a table without rows.
    yield Run("2020-11-13")
    before = people.write_changes("20201114-100000000", ("I", 1, "14"), ("I", 2, "14"))
    written_at(before, 14, 10, 1)
    assert "before its full load" not in (yield Run("2020-11-14"))
    written_at(people.write_load((1, "15"), (3, "15")), 15, 8)
    said = yield Run("2020-11-15")
    assert f"before its full load, and are applied on top of it (1): {before}\n" in said
    assert people.current() == [(1, "14"), (2, "14"), (3, "15")]
    assert "before its full load" not in (yield Run("2020-11-16"))
    # As it is told: the next full load is known to be another one.
    written_later(people.write_load((1, "17"), (3, "17")))
    assert "before its full load" not in (yield Run("2020-11-17"))
    assert people.current() == [(1, "17"), (3, "17")]


@pytest.mark.thorough
@scenario()
def test_changes_before_a_full_load_that_was_written_again_before_it_was_taken_are_warned_of(
    people: Table,
) -> Steps:
    written_at(people.write_load(("x", "Ann"), columns={"id": "string", "name": "string"}), 13, 8)
    before = people.write_changes("20201113-100000000", ("U", 1, "before"))
    written_at(before, 13, 10, 1)
    yield FailingRun("2020-11-13")
    written_at(people.write_load((1, "Anna")), 13, 12)
    said = yield Run("2020-11-13")
    assert f"before its full load, and are applied on top of it (1): {before}\n" in said


@pytest.mark.thorough
@scenario()
def test_changes_written_after_a_reload_in_the_same_run_are_applied_to_it(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    yield Run("2020-11-13")
    people.write_changes("20201114-080000000", ("U", 1, "before the reload"))
    written_later(people.write_load((1, "reloaded"), (3, "reloaded")))
    after = people.write_changes("20201114-120000000", ("U", 3, "after the reload"))
    written_later(after, minutes=6)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "reloaded"), (3, "after the reload")]


@pytest.mark.thorough
@scenario()
def test_a_reload_with_the_same_content_undoes_the_changes_before_it(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    yield Run("2020-11-14")
    written_later(people.folder / "LOAD00000001.parquet")
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "Ann"), (2, "Bo")]


def reload_and_upload_changes_again(table: Table) -> Steps:
    """Changes, a reload the day after, and the same changes uploaded again as other ones."""
    table.write_load((1, "Ann"))
    table.write_changes("20201114-100000000", ("I", 2, "before"))
    yield Run("2020-11-14")
    written_later(table.write_load((1, "reloaded"), (2, "reloaded")))
    yield Run("2020-11-15")
    again = table.write_changes("20201114-100000000", ("I", 2, "again"), ("I", 3, "again"))
    written_later(again, minutes=9)
    yield Run("2020-11-16")
    assert table.snapshot("2020-11-16") == [(1, "reloaded"), (2, "reloaded")]


@pytest.mark.thorough
@scenario()
def test_changes_uploaded_again_behind_a_reload_still_belong_before_it(people: Table) -> Steps:
    yield from reload_and_upload_changes_again(people)


@pytest.mark.thorough
@scenario(primary_keys=[])
def test_without_a_key_changes_uploaded_again_behind_a_reload_are_not_added_to_it(
    people: Table,
) -> Steps:
    yield from reload_and_upload_changes_again(people)


@pytest.mark.thorough
@scenario()
def test_changes_uploaded_again_together_with_a_reload_belong_before_it(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 1, "before"))
    yield Run("2020-11-14")
    written_later(people.write_load((1, "reloaded")))
    written_later(people.write_changes("20201114-100000000", ("U", 1, "again")), minutes=9)
    said = yield Run("2020-11-15")
    # As if a person had copied the folder.
    assert "change files have come again, and a new full load replaces them" in said
    assert people.snapshot("2020-11-15") == [(1, "reloaded")]


@pytest.mark.thorough
@scenario()
def test_a_full_load_of_another_name_is_a_reload_if_those_before_are_gone(people: Table) -> Steps:
    first = [
        people.write_load((1, "Ann")),
        people.write_load((2, "Bo"), name="LOAD00000002.parquet"),
    ]
    people.write_changes("20201114-100000000", ("U", 1, "before"))
    yield Run("2020-11-14")
    first[0].unlink()
    first[1].unlink()
    written_later(people.write_load((1, "reloaded"), name="SEGMENT1_LOAD00000001.parquet"))
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "reloaded")]
    written_later(people.write_load((3, "too"), name="SEGMENT2_LOAD00000001.parquet"), minutes=6)
    yield Run("2020-11-16")
    assert people.snapshot("2020-11-16") == [(1, "reloaded"), (3, "too")]


@pytest.mark.thorough
@scenario()
def test_a_full_load_in_another_folder_waits_for_its_first_file(people: Table) -> Steps:
    first = people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 1, "before"))
    yield Run("2020-11-14")
    first.unlink()
    written_later(people.write_load((3, "Cy"), name="new/LOAD00000002.parquet"))
    assert "not its first one" in (yield FailingRun("2020-11-15"))
    written_later(
        people.write_load((1, "Al"), (2, "Bo"), name="new/LOAD00000001.parquet"), minutes=6
    )
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "Al"), (2, "Bo"), (3, "Cy")]


@pytest.mark.thorough
@scenario()
def test_a_full_load_of_another_name_goes_on_with_one_of_which_a_file_is_left(
    people: Table,
) -> Steps:
    first = people.write_load((1, "Ann"))
    people.write_load((2, "Bo"), name="LOAD00000002.parquet")
    people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    yield Run("2020-11-14")
    first.unlink()
    written_later(people.write_load((3, "Cy"), name="LOAD00000003.parquet"))
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "Anna"), (2, "Bo"), (3, "Cy")]


@pytest.mark.thorough
@scenario()
def test_a_full_load_goes_on_also_if_its_first_files_were_archived(people: Table) -> Steps:
    first = people.write_load((1, "Ann"), (2, "Bo"))
    yield Run("2020-11-13")
    first.unlink()
    written_later(people.write_load((4, "Di"), name="LOAD00000002.parquet"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Ann"), (2, "Bo"), (4, "Di")]


@scenario()
def test_a_late_file_does_not_override_newer_changes(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"), (3, "Cy"), (4, "Di"))
    people.write_changes("20201115-100000000", ("U", 1, "newer"), ("D", 3, "Cy"))
    yield Run("2020-11-15")
    people.write_changes(
        "20201114-100000000", ("U", 1, "late"), ("U", 2, "late"), ("U", 3, "late"), ("D", 4, "Di")
    )
    yield Run("2020-11-16")
    assert people.snapshot("2020-11-15") == [(1, "newer"), (2, "Bo"), (4, "Di")]
    # 2 and 4 were changed by nobody since.
    assert people.snapshot("2020-11-16") == people.current() == [(1, "newer"), (2, "late")]


@pytest.mark.thorough
@scenario()
def test_a_late_file_is_weighed_against_changes_of_every_earlier_run(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201115-100000000", ("U", 1, "15"))
    people.write_changes("20201116-100000000", ("U", 2, "16"))
    yield Run("2020-11-15")
    yield Run("2020-11-16")
    people.write_changes("20201114-100000000", ("U", 1, "late"), ("D", 2, "late"))
    people.write_changes("20201117-100000000", ("I", 3, "17"))
    yield Run("2020-11-17")
    assert people.snapshot("2020-11-17") == [(1, "15"), (2, "16"), (3, "17")]


@pytest.mark.thorough
@scenario()
def test_a_file_that_comes_a_week_late_is_not_forgotten(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    for day in range(14, 22):
        people.write_changes(f"202011{day}-100000000", ("U", 1, f"{day}"))
    yield Run("2020-11-21")
    people.write_changes("20201114-110000000", ("U", 2, "late"))
    yield Run("2020-11-22")
    assert people.snapshot("2020-11-22") == [(1, "21"), (2, "late")]


@pytest.mark.thorough
@scenario()
def test_a_reload_into_numbered_folders_is_seen_behind_many_change_files(people: Table) -> Steps:
    people.write_load((1, "Ann"), name="0/LOAD00000001.parquet")
    people.write_load((2, "Bo"), name="1/LOAD00000001.parquet")
    for day in range(14, 22):
        people.write_changes(f"202011{day}-100000000", ("U", 1, f"{day}"))
    yield Run("2020-11-21")
    assert people.snapshot("2020-11-21") == [(1, "21"), (2, "Bo")]
    written_later(people.write_load((1, "reloaded"), name="0/LOAD00000001.parquet"))
    written_later(people.write_load((3, "reloaded"), name="1/LOAD00000001.parquet"))
    yield Run("2020-11-22")
    assert people.snapshot("2020-11-22") == [(1, "reloaded"), (3, "reloaded")]


@scenario()
def test_a_file_uploaded_again_before_its_run_counts_as_it_is_now(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    people.write_changes("20201114-100000000", ("U", 1, "first try"), ("I", 2, "first try"))
    yield Run("2020-11-14")
    path = people.write_changes("20201114-100000000", ("U", 1, "second try"), ("I", 3, "new"))
    written_later(path)
    # The same run: what the first upload said is undone with the rest of that attempt.
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "second try"), (3, "new")]


@scenario()
def test_a_file_uploaded_again_after_its_run_is_applied_again(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-100000000", ("U", 1, "first"), ("U", 2, "first"))
    yield Run("2020-11-14")
    written_later(people.write_changes("20201114-100000000", ("U", 1, "second")))
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "second"), (2, "Bo")]


@pytest.mark.thorough
@scenario()
def test_an_upload_that_comes_again_after_another_is_taken_again(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    changes = people.write_changes("20201114-100000000", ("U", 1, "first"))
    yield Run("2020-11-14")
    # Put aside and back, a file keeps its entity tag, as the same content does on S3.
    aside = changes.rename(people.folder.parent / f"{people.name}.aside")
    people.write_changes("20201114-100000000", ("U", 1, "second"), ("U", 2, "second"))
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "second"), (2, "second")]
    aside.replace(changes)
    yield Run("2020-11-16")
    assert people.snapshot("2020-11-16") == [(1, "first"), (2, "Bo")]
    versions = people.versions()
    assert versions[-1]["files"] == [changes.name]
    yield Run("2020-11-17")
    assert people.versions() == versions
    assert people.snapshot("2020-11-17") == [(1, "first"), (2, "Bo")]


@pytest.mark.thorough
@scenario()
def test_an_upload_between_two_equal_ones_that_no_run_took_changes_nothing(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    changes = people.write_changes("20201114-100000000", ("U", 1, "first"))
    yield Run("2020-11-14")
    aside = changes.rename(people.folder.parent / f"{people.name}.aside")
    people.write_changes("20201114-100000000", ("U", 1, "second"), ("U", 2, "second"))
    assert people.project.run("2020-11-15", "--select", METADATA_MODELS).ok
    aside.replace(changes)
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "first"), (2, "Bo")]
    yield Run("2020-11-15", full_refresh=True)
    assert people.snapshot("2020-11-15") == [(1, "first"), (2, "Bo")]


@pytest.mark.thorough
def test_a_file_that_was_written_again_behind_the_index_is_not_read_as_what_was_indexed(
    new_project: NewProject,
) -> None:
    project = new_project("changed_behind_the_index")
    people = project.declare("people", COLUMNS, ["id"])
    people.write_load((1, "Ann"))
    assert project.run("2020-11-13", "--select", METADATA_MODELS).ok
    people.write_load((1, "Anna"), (2, "Bo"))
    result = project.run("2020-11-13", "--select", people.staging_model, people.snapshot_model)
    assert "LOAD00000001.parquet: the file was written again" in result.errors
    assert people.dates() == []
    assert project.run("2020-11-13").ok
    assert people.snapshot("2020-11-13") == [(1, "Anna"), (2, "Bo")]


@pytest.mark.thorough
@scenario()
def test_a_mended_file_is_not_asked_for_as_it_was_on_later_dates(people: Table) -> Steps:
    people.write_load((1, "Ann"))
    yield Run("2020-11-13")
    people.write_changes("20201114-100000000", ("X", 1, "?"))
    yield FailingRun("2020-11-14")
    written_later(people.write_changes("20201114-100000000", ("U", 1, "mended")))
    yield Run("2020-11-14")
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "mended")]


@pytest.mark.thorough
@scenario()
def test_a_mended_first_load_is_not_asked_for_as_it_was_on_later_dates(people: Table) -> Steps:
    people.write_load((1, "Ann")).write_bytes(b"no Parquet")
    yield FailingRun("2020-11-13")
    written_later(people.write_load((1, "Ann")))
    yield Run("2020-11-13")
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Ann")]


@pytest.mark.thorough
@scenario()
def test_what_a_reload_replaced_is_not_asked_for_after_a_full_refresh(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    yield Run("2020-11-13")
    written_later(people.write_load((1, "reloaded")))
    yield Run("2020-11-14")
    yield Run("2020-11-14", full_refresh=True)
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "reloaded")]


def empty(folder: Path) -> None:
    """Take all files away, as DMS does before it loads a table again."""
    for path in folder.iterdir():
        path.unlink()


REWRITTEN = "files that no run had taken are missing since their full load began again"


@pytest.mark.thorough
@scenario()
def test_a_full_load_that_no_run_took_may_come_again_in_fewer_files(people: Table) -> Steps:
    people.write_load((1, "broken"))
    people.write_load((2, "broken"), name="LOAD00000002.parquet").write_bytes(b"no Parquet")
    changes = people.write_changes("20201113-100000000", ("X", 1, "broken"))
    written_at(changes, 13, 10, 1)
    yield FailingRun("2020-11-13")
    empty(people.folder)
    written_later(people.write_load((1, "first"), (2, "first")))
    said = yield Run("2020-11-13")
    assert f"{REWRITTEN} (2): {changes}, {people.folder}/LOAD00000002.parquet\n" in said
    # They are not laid over it, because they are not there.
    assert "before its full load" not in said
    assert people.snapshot("2020-11-13") == [(1, "first"), (2, "first")]
    # Once more, under names of which readers have others.
    names = ("LOAD00000001.parquet", "LOAD00000002.parquet")
    for key, name in enumerate(names):
        written_later(people.write_load((key, "second"), name=name), minutes=6)
    yield Run("2020-11-14")
    for key, name in enumerate(names):
        written_later(people.write_load((key, "broken"), name=name), minutes=7)
    (people.folder / names[0]).write_bytes(b"no Parquet")
    yield FailingRun("2020-11-15")
    empty(people.folder)
    written_later(people.write_load((1, "third"), (3, "third")), minutes=8)
    said = yield Run("2020-11-15")
    assert f"{REWRITTEN} (1): {people.folder}/{names[1]}\n" in said
    assert people.snapshot("2020-11-15") == [(1, "third"), (3, "third")]
    said = yield Run("2020-11-16")
    assert REWRITTEN not in said
    said = yield Run("2020-11-17", full_refresh=True)
    assert REWRITTEN not in said
    assert people.snapshot("2020-11-17") == [(1, "third"), (3, "third")]


@pytest.mark.thorough
@scenario()
def test_a_full_load_that_no_run_took_may_come_again_under_other_names(people: Table) -> Steps:
    people.write_load((1, "broken"), name="SEGMENT1_LOAD00000001.parquet").write_bytes(
        b"no Parquet"
    )
    people.write_load((2, "broken"), name="SEGMENT2_LOAD00000001.parquet")
    yield FailingRun("2020-11-13")
    empty(people.folder)
    yield FailingRun("2020-11-13")
    written_later(people.write_load((1, "first"), (2, "first")))
    yield Run("2020-11-13")
    assert people.snapshot("2020-11-13") == [(1, "first"), (2, "first")]


@pytest.mark.thorough
@scenario()
def test_of_a_full_load_that_no_run_took_no_file_may_be_lost(people: Table) -> Steps:
    people.write_load((1, "broken")).write_bytes(b"no Parquet")
    lost = people.write_load((2, "Bo"), name="LOAD00000002.parquet")
    people.write_load((3, "Cy"), name="LOAD00000003.parquet")
    yield FailingRun("2020-11-13")
    lost.unlink()
    # The third is still what it was, so this is no other full load.
    written_later(people.write_load((1, "Ann")))
    error = yield FailingRun("2020-11-13")
    assert lost.name in error
    assert "no longer there" in error
    written_later(people.write_load((2, "Bo"), name="LOAD00000002.parquet"))
    yield Run("2020-11-13")
    assert people.snapshot("2020-11-13") == [(1, "Ann"), (2, "Bo"), (3, "Cy")]


@pytest.mark.thorough
@scenario()
def test_what_was_left_out_of_a_full_load_is_taken_once_it_is_put_back(people: Table) -> Steps:
    people.write_load((1, "broken")).write_bytes(b"no Parquet")
    gone = [
        people.write_load((2, "Bo"), name="LOAD00000002.parquet"),
        people.write_changes("20201113-100000000", ("I", 3, "Cy")),
    ]
    yield FailingRun("2020-11-13")
    aside = people.folder.parent / "put_aside_of_what_was_left_out"
    aside.mkdir()
    for path in gone:
        path.rename(aside / path.name)
    # A person has fixed it, but that nobody knows.
    written_later(people.write_load((1, "Ann")))
    assert REWRITTEN in (yield Run("2020-11-13"))
    assert REWRITTEN not in (yield Run("2020-11-14"))
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "Ann")]
    for path in gone:
        (aside / path.name).rename(path)
    yield Run("2020-11-16")
    # A date that is run again takes the same.
    yield Run("2020-11-16")
    yield Run("2020-11-17")
    assert people.snapshot("2020-11-17") == [(1, "Ann"), (2, "Bo"), (3, "Cy")]
    # Another time it is as any other that was applied.
    gone[0].rename(aside / gone[0].name)
    versions = people.versions()
    yield Run("2020-11-18")
    (aside / gone[0].name).rename(gone[0])
    yield Run("2020-11-19")
    assert people.snapshot("2020-11-19") == [(1, "Ann"), (2, "Bo"), (3, "Cy")]
    assert people.versions() == versions


@pytest.mark.thorough
@scenario()
def test_a_first_file_that_is_put_back_as_it_was_begins_no_full_load(people: Table) -> Steps:
    first = people.write_load((1, "Ann"))
    second = people.write_load((2, "Bo"), name="LOAD00000002.parquet")
    people.write_changes("20201113-100000000", ("X", 1, "broken"))
    yield FailingRun("2020-11-13")
    aside = people.folder.parent / "put_aside_of_first_and_second"
    aside.mkdir()
    for path in (first, second):
        path.rename(aside / path.name)
    yield FailingRun("2020-11-13")
    (aside / first.name).rename(first)
    written_later(people.write_changes("20201113-100000000", ("U", 1, "Anna")))
    error = yield FailingRun("2020-11-13")
    assert second.name in error
    assert "no longer there" in error
    (aside / second.name).rename(second)
    yield Run("2020-11-13")
    assert people.snapshot("2020-11-13") == [(1, "Anna"), (2, "Bo")]


@pytest.mark.thorough
@scenario(cdc_start_date="2020-11-14", on_missing_files="fail")
def test_changes_before_the_declared_start_may_go(people: Table) -> Steps:
    people.write_load((1, "broken")).write_bytes(b"no Parquet")
    people.write_changes("20201113-100000000", ("U", 1, "early"))
    yield FailingRun("2020-11-14")
    empty(people.folder)
    written_later(people.write_load((1, "Ann")))
    assert REWRITTEN not in (yield Run("2020-11-14"))
    assert people.snapshot("2020-11-14") == [(1, "Ann")]


@pytest.mark.thorough
@scenario(on_missing_files="fail")
def test_where_no_file_may_go_a_full_load_that_begins_anew_in_fewer_is_refused(
    people: Table,
) -> Steps:
    people.write_load((1, "broken")).write_bytes(b"no Parquet")
    gone = people.write_load((2, "Bo"), name="LOAD00000002.parquet")
    yield FailingRun("2020-11-13")
    gone.unlink()
    written_later(people.write_load((1, "Ann")))
    for _ in range(2):
        error = yield FailingRun("2020-11-13")
        assert f"{REWRITTEN} (1): {gone}. Nothing of this table was published" in error
        assert "set on_missing_files: warn for one run" in error
    written_later(people.write_load((2, "Bo"), name="LOAD00000002.parquet"))
    yield Run("2020-11-13")
    assert people.snapshot("2020-11-13") == [(1, "Ann"), (2, "Bo")]


@pytest.mark.thorough
@scenario()
def test_files_that_are_moved_below_their_folder_are_warned_of(people: Table) -> Steps:
    old = [
        people.write_load((1, "loaded"), (2, "loaded")),
        people.write_changes("20201113-100000000", ("U", 1, "13")),
    ]
    yield Run("2020-11-13")
    people.write_changes("20201114-100000000", ("U", 1, "14"), ("D", 2, None))
    yield Run("2020-11-14")
    (people.folder / "archive").mkdir()
    for path in old:
        path.rename(people.folder / "archive" / path.name)
    said = yield Run("2020-11-15")
    assert "its full load has come again as it was, and replaces all changes after it (2)" in said
