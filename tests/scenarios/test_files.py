"""Which objects are files of a table, and in which order they come."""

import os

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


@pytest.mark.thorough
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
    # DDMMYYYY: the folder of November stands before that of October, which is older.
    people.write_changes("31102020/20201031-100000000", ("U", 1, "October"), ("U", 2, "October"))
    people.write_changes("14112020/20201114-100000000", ("U", 1, "November"))
    people.write_changes("2020/11/15/20201115-100000000", ("U", 2, "slash"))
    people.write_changes("2020-11-16/20201116-100000000", ("U", 2, "dash"))
    yield Run("2020-11-14")
    yield Run("2020-11-16")
    assert people.snapshot("2020-11-14") == [(1, "November"), (2, "October")]
    assert people.snapshot("2020-11-16") == [(1, "November"), (2, "dash")]


@pytest.mark.thorough
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


@pytest.mark.thorough
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


@pytest.mark.thorough
@scenario()
def test_a_folder_that_is_not_there_is_an_empty_table(people: Table) -> Steps:
    yield Run("2020-11-13")
    assert people.snapshot("2020-11-13") == people.current() == []
    people.write_load((1, "Ann"))
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == people.current() == [(1, "Ann")]


@scenario()
def test_a_reload_without_rows_empties_the_table_and_is_warned_of(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    yield Run("2020-11-14")
    written_later(people.write_load())
    said = yield Run("2020-11-15")
    assert "a full load without rows leaves none of 2" in said
    assert people.snapshot("2020-11-15") == people.current() == []
    assert "leaves none" not in (yield Run("2020-11-16"))


@pytest.mark.thorough
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


@pytest.mark.thorough
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


@pytest.mark.thorough
@scenario()
def test_a_file_uploaded_again_after_its_run_is_applied_again(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-100000000", ("U", 1, "first"), ("U", 2, "first"))
    yield Run("2020-11-14")
    written_later(people.write_changes("20201114-100000000", ("U", 1, "second")))
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "second"), (2, "Bo")]


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


REWRITTEN = "files that no run had taken are missing since their full load began again"


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
