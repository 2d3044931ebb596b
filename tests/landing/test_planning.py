"""Which files a run takes for a table, what it warns of, and where it fails instead."""

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from time import process_time
from typing import Any

import pytest

from pyspark_dms.landing.events import ObjectEvent, Run
from pyspark_dms.landing.facts import FilePlan, TableFacts, Version, parse_table
from pyspark_dms.landing.file_states import file_states
from pyspark_dms.landing.planning import plan_files
from tests.landing.fake_table import (
    REBUILD_COMMAND,
    ROOT,
    RUN_COMMAND,
    TRANSACTIONS,
    FakeTable,
    Row,
)

FIRST, SECOND, THIRD = (f"LOAD0000000{number}.parquet" for number in (1, 2, 3))
NO_TABLE_PUBLISHED = "Nothing of this table was published"


@pytest.fixture
def people() -> FakeTable:
    return FakeTable()


def written(day: int, hour: int, minute: int = 0) -> datetime:
    """A moment of November 2020."""
    return datetime(2020, 11, day, hour, minute, tzinfo=UTC)


def names(plan: FilePlan) -> list[str]:
    """The files of a plan, in their order, without the folder and ``.parquet``."""
    return [file.path.removeprefix(ROOT).removesuffix(".parquet") for file in plan.files]


def change_name(day: int, hour: int = 10) -> str:
    return f"202011{day:02}-{hour}0000000"


def write_day(people: FakeTable, day: int, *rows: Row, **how: Any) -> str:
    """Write the changes of a day; by default its number becomes the name of 1."""
    return people.write_changes(change_name(day), *(rows or (("U", 1, f"{day}"),)), **how)


# ------------------------------------------------------------- no full load


def test_a_first_version_of_changes_alone_is_warned_of_once(people: FakeTable) -> None:
    write_day(people, 14, ("I", 1, "Ann"))
    assert "there are change files and no full load" in people.run("2020-11-14").said
    write_day(people, 15, ("I", 2, "Bob"))
    assert people.run("2020-11-15").said == ""
    # Beside a full load, or as soon as one has come, there is nothing to tell.
    people.write_load((1, "Ann"), (2, "Bob"))
    assert "no full load" not in people.run("2020-11-16").said


# --------------------------------------------------------- the date of a run


def test_changes_after_the_run_date_wait_for_their_day(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    write_day(people, 14)
    assert names(people.run("2020-11-13").plan) == ["LOAD00000001"]
    assert names(people.run("2020-11-14").plan) == [change_name(14)]
    assert people.dates == {"2020-11-13": [(1, "Ann")], "2020-11-14": [(1, "14")]}
    assert people.actions == ["build", "merge"]


def test_a_day_ends_with_its_last_microsecond_in_utc(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-235959999999")
    people.write_changes("20201115-000000000")
    assert names(people.run("2020-11-14").plan) == ["LOAD00000001", "20201114-235959999999"]
    assert names(people.run("2020-11-15").plan) == ["20201115-000000000"]


def test_what_a_plan_says_of_its_files(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    path = write_day(people, 14)
    plan = people.run("2020-11-14").plan
    load, change = plan.files
    assert (load.kind, load.generation, load.file_seq, load.size) == ("load", 1, 1, 10)
    assert (change.kind, change.path, change.etag) == ("cdc", path, people.files[path].etag)
    assert change.indexed_at == f"{people.now:%Y-%m-%d %H:%M:%S.%f}"
    assert (plan.action, plan.generation, plan.load_file_count) == ("build", 1, 1)
    assert (plan.is_late, plan.last_file_seq) == (False, change.file_seq)
    assert (plan.indexed_from, plan.indexed_through) == (None, people.now)
    assert (plan.error, plan.shown_version) == (None, None)


def test_a_run_again_with_the_same_files_has_nothing_to_do(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    write_day(people, 14)
    people.run("2020-11-14")
    plan = people.run("2020-11-14").plan
    assert (plan.action, plan.files, plan.shown_version) == ("none", (), 2)
    assert (plan.generation, plan.last_file_seq) == (1, people.versions[1].last_file_seq)
    assert people.actions == ["build", "merge"]
    # But a full refresh reads all.
    assert len(people.run("2020-11-14", full_refresh=True).plan.files) == 2


def test_the_first_date_again_has_nothing_to_do_either(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    assert people.run("2020-11-13").plan.action == "none"
    people.write_load((2, "Bo"), name=SECOND)
    plan = people.run("2020-11-13").plan
    assert (plan.action, names(plan)) == ("build", ["LOAD00000001", "LOAD00000002"])
    assert people.rows == [(1, "Ann"), (2, "Bo")]


def test_a_date_that_would_take_fewer_files_than_before_is_made_again(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    write_day(people, 13)
    people.run("2020-11-14")
    people.facts["cdc_start_date"] = "2020-11-14"
    plan = people.run("2020-11-14").plan
    assert (plan.action, names(plan)) == ("build", ["LOAD00000001"])


def test_a_date_without_any_file_again_has_nothing_to_do(people: FakeTable) -> None:
    assert people.run("2020-11-13").plan.action == "build"
    assert people.run("2020-11-13").plan.action == "none"
    assert people.actions == ["build"]


def test_the_same_run_again_takes_what_arrived_since(people: FakeTable) -> None:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.run("2020-11-13")
    write_day(people, 14, ("U", 1, "10:00"))
    people.run("2020-11-14")
    people.write_changes("20201114-200000000", ("U", 1, "20:00"), ("I", 3, "20:00"))
    people.write_changes("20201114-050000000", ("U", 1, "05:00"), ("U", 2, "05:00"))
    plan = people.run("2020-11-14").plan
    # From the base of the first time, so with what that took.
    assert names(plan) == ["20201114-050000000", change_name(14), "20201114-200000000"]
    assert people.rows == [(1, "20:00"), (2, "05:00"), (3, "20:00")]


def test_a_date_that_a_full_refresh_built_is_run_again_from_nothing(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    write_day(people, 14)
    people.run("2020-11-14", full_refresh=True)
    people.write_changes("20201114-200000000", ("U", 1, "20:00"))
    assert len(people.run("2020-11-14").plan.files) == 3


def test_a_skipped_day_is_made_up_for_by_the_next_run(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    for day in (14, 15):
        write_day(people, day)
    assert names(people.run("2020-11-15").plan) == [change_name(14), change_name(15)]


def test_without_new_files_the_date_shows_the_base(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-14")
    for run_date in ("2020-11-15", "2020-11-15", "2020-11-20"):
        ran = people.run(run_date)
        assert (ran.plan.action, ran.plan.shown_version, ran.said) == ("none", 1, "")
        assert not ran.asked_history
    assert people.actions == ["build"]


def test_a_table_that_is_behind_the_others_takes_its_own_days_only(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    for day in (14, 15, 16):
        write_day(people, day)
    # A run of other tables for a later date.
    people.index("2020-11-16")
    for day in (14, 15, 16):
        plan = people.run(f"2020-11-{day}").plan
        assert names(plan) == [change_name(day)]
    assert people.rows == [(1, "16")]


def test_what_was_indexed_for_a_later_date_is_taken_after_unchanged_dates(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    write_day(people, 16)
    people.index("2020-11-16")
    for day in (14, 15):
        assert people.run(f"2020-11-{day}").plan.action == "none"
    assert names(people.run("2020-11-16").plan) == [change_name(16)]


def test_a_run_that_takes_nothing_looks_further_than_one_that_takes_files(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    first = people.now
    write_day(people, 14)
    plan = people.run("2020-11-14").plan
    assert (plan.indexed_from, plan.indexed_through) == (first, people.now)
    second = people.now
    people.write_changes("20201116-100000000")
    people.index("2020-11-16")
    plan = people.run("2020-11-15").plan
    # The file of the 16th was seen, and is found again by its date.
    assert (plan.indexed_from, plan.indexed_through) == (second, people.events[-1].indexed_at)


def test_an_empty_table_has_seen_nothing(people: FakeTable) -> None:
    people.run("2020-11-13")
    plan = people.run("2020-11-14").plan
    assert (plan.action, plan.indexed_from, plan.indexed_through) == ("none", None, None)


def test_what_a_run_beside_this_one_indexes_waits_for_the_next(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.index("2020-11-13")
    run = Run(date(2020, 11, 13), people.now - timedelta(seconds=1))
    plan = plan_files(people.events, people.table_facts(run.run_date), run)
    assert (plan.action, plan.files) == ("build", ())


def test_two_runs_that_overlap_cannot_make_each_other_forget_a_file(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    late = write_day(people, 14)
    objects, folders = people.list_folders()
    assert objects
    assert folders
    # It lists before the other run, and adds to the index after it.
    slow = people.index("2020-11-14")
    del people.events[-len(slow) :]
    people.write_changes("20201114-200000000", ("U", 1, "20:00"))
    removed = people.remove(late)
    people.run("2020-11-14")
    people.put_back(removed, later=False)
    people.events += slow
    plan = people.run("2020-11-15").plan
    assert names(plan) == [change_name(14)]
    assert people.rows == [(1, "20:00")]


@pytest.mark.parametrize("day", [13, 14])
def test_change_files_before_the_declared_start_are_left_out(day: int) -> None:
    people = FakeTable(cdc_start_date="2020-11-14")
    people.write_load((1, "Ann"))
    write_day(people, day)
    assert names(people.run("2020-11-14").plan) == (
        ["LOAD00000001"] if day == 13 else ["LOAD00000001", change_name(14)]
    )


def test_the_changes_of_a_table_that_was_empty_need_no_full_load(people: FakeTable) -> None:
    people.run("2020-11-13")
    write_day(people, 14, ("I", 1, "Ann"))
    plan = people.run("2020-11-14").plan
    assert (plan.action, names(plan)) == ("merge", [change_name(14)])


def test_a_full_load_may_arrive_in_two_runs(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.write_changes("20201113-100000000", ("U", 3, "changed"), ("D", 4, None))
    people.run("2020-11-13")
    people.write_load((3, "loaded"), (4, "loaded"), (5, "loaded"), name=SECOND)
    plan = people.run("2020-11-14").plan
    assert (plan.action, plan.is_late, plan.load_file_count) == ("merge", True, 1)
    assert plan.last_file_seq == people.versions[0].last_file_seq
    assert people.rows == [(1, "Ann"), (3, "changed"), (5, "loaded")]


# ------------------------------------------------------------------- uploads


def test_a_late_file_is_taken_whatever_its_day(people: FakeTable) -> None:
    people.write_load((1, "Ann"), (2, "Bo"))
    for day in range(14, 20):
        write_day(people, day)
        people.run(f"2020-11-{day}")
    people.write_changes("20201114-110000000", ("U", 1, "late"), ("U", 2, "late"))
    plan = people.run("2020-11-20").plan
    assert names(plan) == ["20201114-110000000"]
    assert plan.is_late
    assert people.rows == [(1, "19"), (2, "late")]


@pytest.mark.parametrize("is_same_date", [True, False])
def test_a_file_uploaded_again_counts_as_it_is_now(people: FakeTable, is_same_date: bool) -> None:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.run("2020-11-13")
    write_day(people, 14, ("U", 1, "first"), ("U", 2, "first"))
    people.run("2020-11-14")
    write_day(people, 14, ("U", 1, "second"))
    run_date = "2020-11-14" if is_same_date else "2020-11-15"
    assert names(people.run(run_date).plan) == [change_name(14)]
    assert people.rows == [(1, "second"), (2, "Bo")]


def test_an_upload_that_comes_again_after_another_is_taken_again(people: FakeTable) -> None:
    people.write_load((1, "Ann"), (2, "Bo"))
    write_day(people, 14, ("U", 1, "first"))
    people.run("2020-11-14")
    write_day(people, 14, ("U", 2, "second"))
    people.run("2020-11-15")
    write_day(people, 14, ("U", 1, "first"))
    plan = people.run("2020-11-16").plan
    assert names(plan) == [change_name(14)]
    assert plan.files[0].etag.endswith("#2")
    assert people.rows == [(1, "first"), (2, "Bo")]
    assert people.run("2020-11-17").plan.action == "none"


def test_an_upload_between_two_equal_ones_that_no_run_took_changes_nothing(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"), (2, "Bo"))
    write_day(people, 14, ("U", 1, "first"))
    people.run("2020-11-14")
    write_day(people, 14, ("U", 2, "second"))
    people.index("2020-11-15")
    write_day(people, 14, ("U", 1, "first"))
    for full_refresh in (False, True):
        people.run("2020-11-15", full_refresh)
        assert people.rows == [(1, "first"), (2, "Bo")]


def test_of_several_uploads_only_the_last_is_read(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    for content in "abc":
        write_day(people, 14, ("U", 1, content))
        people.index("2020-11-14")
    plan = people.run("2020-11-14").plan
    assert len(plan.files) == 2
    assert people.rows == [(1, "c")]


def test_a_run_after_a_failed_one_takes_the_files_of_both(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    write_day(people, 14, ("I", 2, "Bo"))
    people.write_changes("20201114-110000000", broken=True)
    assert "broken" in people.fail("2020-11-14")
    people.write_changes("20201114-110000000", ("U", 1, "Anna"))
    write_day(people, 15, ("I", 3, "Cy"))
    people.run("2020-11-15")
    assert people.rows == [(1, "Anna"), (2, "Bo"), (3, "Cy")]


def test_a_first_load_that_was_broken_is_not_asked_for_as_it_was(people: FakeTable) -> None:
    people.write_load((1, "Ann"), broken=True)
    people.fail("2020-11-13")
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    assert people.run("2020-11-14").plan.action == "none"
    assert people.rows == [(1, "Ann")]


# ------------------------------------------------------------------- reloads


def test_a_reload_replaces_the_rows_and_older_changes_do_not_come_back(people: FakeTable) -> None:
    people.write_load((1, "Ann"), (2, "Bo"))
    write_day(people, 14, ("U", 1, "before"), ("I", 3, "before"))
    people.run("2020-11-14")
    people.write_load((1, "reloaded"), (4, "reloaded"))
    ran = people.run("2020-11-15")
    assert (ran.plan.action, ran.plan.generation, names(ran.plan)) == (
        "build", 2, ["LOAD00000001"],
    )  # fmt: skip
    assert not ran.asked_history
    write_day(people, 16, ("U", 4, "after"))
    plan = people.run("2020-11-16").plan
    assert (plan.action, plan.generation) == ("merge", 2)
    assert people.rows == [(1, "reloaded"), (4, "after")]
    assert people.dates["2020-11-14"] == [(1, "before"), (2, "Bo"), (3, "before")]


def test_a_reload_is_compared_with_all_that_was_published(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    write_day(people, 14)
    people.run("2020-11-14")
    people.write_load((1, "reloaded"))
    ran = people.run("2020-11-15")
    assert ran.asked_history
    assert ran.said == ""
    # On the days after it nothing is asked.
    write_day(people, 16)
    assert not people.run("2020-11-16").asked_history


def test_a_reload_may_arrive_in_two_runs_and_another_may_follow(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.write_load((2, "Bo"), name=SECOND)
    people.run("2020-11-13")
    people.write_load((1, "again"))
    people.run("2020-11-14")
    assert people.rows == [(1, "again")]
    people.write_load((2, "again"), name=SECOND)
    assert people.run("2020-11-15").plan.action == "merge"
    assert people.rows == [(1, "again"), (2, "again")]
    people.write_load((3, "third"))
    people.run("2020-11-16")
    assert people.rows == [(3, "third")]


def test_changes_before_and_after_a_reload_in_one_run(people: FakeTable) -> None:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.run("2020-11-13")
    people.write_changes("20201114-080000000", ("U", 1, "before"))
    people.write_load((1, "reloaded"), (3, "reloaded"))
    people.write_changes("20201114-120000000", ("U", 3, "after"))
    ran = people.run("2020-11-14")
    assert names(ran.plan) == ["LOAD00000001", "20201114-120000000"]
    assert ran.said == ""
    assert people.rows == [(1, "reloaded"), (3, "after")]
    assert people.run("2020-11-15").said == ""


def test_a_reload_with_the_same_content_undoes_the_changes_before_it(people: FakeTable) -> None:
    people.write_load((1, "Ann"), (2, "Bo"))
    write_day(people, 14)
    people.run("2020-11-14")
    people.touch(ROOT + FIRST)
    people.run("2020-11-15")
    assert people.rows == [(1, "Ann"), (2, "Bo")]


def test_changes_uploaded_again_behind_a_reload_are_ignored_with_one_warning(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    write_day(people, 14, ("I", 2, "before"))
    people.run("2020-11-14")
    people.write_load((1, "reloaded"))
    people.run("2020-11-15")
    path = write_day(people, 14, ("I", 2, "again"))
    ran = people.run("2020-11-16")
    assert (ran.plan.action, ran.plan.files) == ("none", ())
    assert f"are ignored, because its full load is newer (1): {path}. " in ran.said
    assert people.rows == [(1, "reloaded")]
    assert people.run("2020-11-17").said == ""


def test_changes_that_wait_for_their_day_are_reported_on_that_day_alone(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    path = write_day(people, 15)
    people.index("2020-11-15")
    people.write_load((1, "reloaded"))
    assert "ignored" not in people.run("2020-11-14").said
    assert f"(1): {path}" in people.run("2020-11-15").said
    assert people.run("2020-11-16").said == ""


def test_a_full_load_of_another_name_is_a_reload_if_those_before_are_gone(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    people.write_load((2, "Bo"), name=SECOND)
    write_day(people, 14)
    people.run("2020-11-14")
    people.remove(ROOT + FIRST, ROOT + SECOND)
    people.write_load((1, "reloaded"), name="SEGMENT1_LOAD00000001.parquet")
    ran = people.run("2020-11-15")
    assert "missing" not in ran.said
    people.write_load((3, "too"), name="SEGMENT2_LOAD00000001.parquet")
    assert people.run("2020-11-16").plan.action == "merge"
    assert people.rows == [(1, "reloaded"), (3, "too")]


def test_a_full_load_in_another_folder_waits_for_its_first_file(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    write_day(people, 14)
    people.run("2020-11-14")
    people.remove(ROOT + FIRST)
    path = people.write_load((3, "Cy"), name="new/LOAD00000002.parquet")
    error = people.fail("2020-11-15")
    assert f"(1): {path}, but not its first one, LOAD00000001. {NO_TABLE_PUBLISHED}" in error
    people.write_load((2, "Bo"), name="new/LOAD00000001.parquet")
    people.run("2020-11-15")
    assert people.rows == [(2, "Bo"), (3, "Cy")]


def test_a_full_load_goes_on_with_one_of_which_a_file_is_left(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.write_load((2, "Bo"), name=SECOND)
    people.run("2020-11-14")
    people.remove(ROOT + FIRST)
    people.write_load((3, "Cy"), name=THIRD)
    ran = people.run("2020-11-15")
    assert ran.plan.action == "merge"
    assert "(1): " in ran.said
    assert people.rows == [(1, "Ann"), (2, "Bo"), (3, "Cy")]


def test_a_full_load_goes_on_also_if_its_first_files_were_archived(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    people.remove(ROOT + FIRST)
    people.write_load((4, "Di"), name=SECOND)
    assert people.run("2020-11-14").plan.action == "merge"


def test_what_a_reload_replaced_is_not_asked_for_by_a_full_refresh(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    write_day(people, 13)
    people.run("2020-11-13")
    people.write_load((1, "reloaded"))
    people.run("2020-11-14")
    plan = people.run("2020-11-14", full_refresh=True).plan
    assert (names(plan), plan.generation) == (["LOAD00000001"], 2)
    assert people.run("2020-11-15").plan.action == "none"


@pytest.mark.parametrize("is_same_date", [True, False])
def test_a_reload_beside_change_files_of_before_in_another_folder(
    people: FakeTable, is_same_date: bool
) -> None:
    people.write_load((1, "13"), (2, "13"))
    path = write_day(people, 14, ("U", 1, "14"), ("D", 2, None))
    people.run("2020-11-14")
    people.write_load((1, "15"), (2, "15"))
    people.move(path, path.replace(ROOT, ROOT + "2020/"))
    people.run("2020-11-14" if is_same_date else "2020-11-15")
    assert people.rows == [(1, "15"), (2, "15")]


# -------------------------------------------------- copies and files moved by hand

CAME_AGAIN = "its full load has come again as it was, and replaces all changes after it"
UPLOADED_AGAIN = "change files have come again, and a new full load replaces them"


def test_changes_uploaded_again_together_with_a_reload_belong_before_it(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    path = write_day(people, 14, ("U", 1, "before"))
    people.run("2020-11-14")
    people.write_load((1, "reloaded"))
    write_day(people, 14, ("U", 1, "again"))
    assert f"{UPLOADED_AGAIN} (1): {path}. " in people.run("2020-11-15").said
    assert people.rows == [(1, "reloaded")]
    assert people.run("2020-11-16").said == ""


def test_files_that_are_moved_below_their_folder_are_warned_of(people: FakeTable) -> None:
    people.write_load((1, "loaded"), (2, "loaded"))
    old = [ROOT + FIRST, write_day(people, 13)]
    people.run("2020-11-13")
    newer = write_day(people, 14, ("U", 1, "14"), ("D", 2, None))
    people.run("2020-11-14")
    for path in old:
        people.move(path, path.replace(ROOT, ROOT + "archive/"))
    said = people.run("2020-11-15").said
    assert f"{CAME_AGAIN} (2): {old[1]}, {newer}. " in said


@pytest.mark.parametrize("is_halfway", [True, False])
def test_a_full_load_that_comes_again_as_it_was_over_changes_is_warned_of(
    people: FakeTable, is_halfway: bool
) -> None:
    people.write_load((1, "Ann"))
    people.write_load((2, "Bo"), name=SECOND)
    changes = write_day(people, 13)
    people.run("2020-11-13")
    people.touch(changes)
    if is_halfway:
        assert people.run("2020-11-14").said == ""
    for name in (FIRST, SECOND):
        people.touch(ROOT + name)
    assert f"{CAME_AGAIN} (1): {changes}. " in people.run("2020-11-15").said
    assert people.rows == [(1, "Ann"), (2, "Bo")]
    # What only comes again as it was is nothing new.
    people.touch(changes)
    ran = people.run("2020-11-16")
    assert (ran.plan.action, ran.said) == ("none", "")


def test_changes_that_an_earlier_load_had_replaced_do_not_count_as_replaced_again(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    write_day(people, 13)
    people.run("2020-11-13")
    people.write_load((1, "reloaded"))
    people.run("2020-11-14")
    later = write_day(people, 15)
    people.run("2020-11-15")
    people.touch(ROOT + FIRST)
    assert f"{CAME_AGAIN} (1): {later}. " in people.run("2020-11-16").said


def test_changes_that_come_again_as_they_were_with_another_load_are_warned_of(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    people.write_load((2, "Bo"), name=SECOND)
    changes = write_day(people, 13)
    people.run("2020-11-13")
    people.touch(changes)
    people.write_load((1, "Ann"), (3, "Cy"))
    people.write_load((2, "Bo"), name=SECOND)
    assert f"{UPLOADED_AGAIN} (1): {changes}. " in people.run("2020-11-14").said
    later = write_day(people, 15, ("U", 3, "15"))
    assert people.run("2020-11-15").said == ""
    people.write_load((1, "Anna"), (3, "Cy"))
    for path in (ROOT + SECOND, changes, later):
        people.touch(path)
    # What the earlier full load had replaced already is of no account.
    assert f"{UPLOADED_AGAIN} (1): {later}. " in people.run("2020-11-16").said
    assert people.rows == [(1, "Anna"), (2, "Bo"), (3, "Cy")]


def test_a_plain_reload_is_no_copy(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    write_day(people, 13)
    people.run("2020-11-13")
    people.write_load((1, "reloaded"))
    assert people.run("2020-11-14").said == ""


def test_a_table_whose_files_are_renamed_keeps_its_rows(people: FakeTable) -> None:
    people.write_load((1, "13"), at=written(13, 8))
    write_day(people, 14, ("U", 1, "14"), ("I", 2, "14"), at=written(14, 10))
    people.run("2020-11-14")
    # A store moves by copying: files get new times, in the order of their names.
    changes = f"{change_name(14)}.parquet"
    people.move(ROOT + changes, f"{ROOT}inner/{changes}", at=written(15, 8))
    people.move(ROOT + FIRST, f"{ROOT}inner/{FIRST}", at=written(15, 8, 1))
    assert CAME_AGAIN in people.run("2020-11-15").said
    assert people.rows == [(1, "14"), (2, "14")]


@pytest.mark.parametrize("is_seen_to_go", [True, False])
def test_a_full_load_at_another_path_is_a_reload_only_if_the_one_before_was_seen_to_go(
    people: FakeTable, is_seen_to_go: bool
) -> None:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.run("2020-11-13")
    if is_seen_to_go:
        people.remove(ROOT + FIRST)
        people.run("2020-11-14")
    people.path = "s3://dms/elsewhere/people/"
    people.write_load((1, "Anna"), (3, "Cy"))
    people.run("2020-11-15")
    kept = [] if is_seen_to_go else [(2, "Bo")]
    assert people.rows == [(1, "Anna"), *kept, (3, "Cy")]


@pytest.fixture
def log() -> FakeTable:
    """A table without a key, of which a full load and a change file are published."""
    log = FakeTable(has_key=False)
    log.write_load((1, "Ann"))
    write_day(log, 14, ("I", 2, "Bo"))
    log.run("2020-11-14")
    return log


COPIED = "has the name of a file that is known from another path, "


def test_a_table_without_a_key_takes_no_copy_of_a_file(log: FakeTable) -> None:
    original = min(log.files)
    copy = log.write(original.replace(ROOT, f"{ROOT}copied/"), log.files[original].rows)
    write_day(log, 15, ("I", 3, "Cy"))
    assert f"{copy} {COPIED}{original}. " in log.fail("2020-11-15")
    del log.files[copy]
    assert names(log.run("2020-11-15").plan) == ["20201115-100000000"]


def test_a_full_load_that_the_index_has_lost_is_not_applied_again(log: FakeTable) -> None:
    log.events.clear()
    write_day(log, 15, ("I", 3, "Cy"))
    assert names(log.run("2020-11-15").plan) == ["20201115-100000000"]
    write_day(log, 16, ("I", 4, "Di"))
    # The change file of the 14th comes again: an upload that replaces the one that was staged.
    assert names(log.run("2020-11-16").plan) == [change_name(14), change_name(16)]
    # A second file of the load is not lost, and a reload is another load.
    log.write_load((5, "Ed"), name=SECOND)
    assert names(log.run("2020-11-17").plan) == ["LOAD00000002"]
    log.write_load((1, "Anna"))
    assert (log.run("2020-11-18").plan.generation, log.actions[-1]) == (2, "build")


def test_a_table_without_a_key_is_built_again_where_its_files_are_in_another_folder(
    log: FakeTable,
) -> None:
    old = list(log.files)
    log.path = "s3a://dms/hr/people/"
    new = [log.write(path.replace(ROOT, log.path), log.files[path].rows) for path in old]
    assert f"{new[1]} {COPIED}{old[1]}. " in log.fail("2020-11-15")
    assert [file.path for file in log.run("2020-11-15", full_refresh=True).plan.files] == new
    log.write_changes("20201116-100000000", ("I", 3, "Cy"))
    assert len(log.run("2020-11-16").plan.files) == 1


def test_a_table_without_a_key_goes_on_where_its_path_is_as_before_again(log: FakeTable) -> None:
    log.path = "s3://other/"
    log.write_load((1, "Ann"))
    log.fail("2020-11-15")
    log.path = ROOT
    write_day(log, 16, ("I", 3, "Cy"))
    assert names(log.run("2020-11-16").plan) == ["20201116-100000000"]


def test_a_table_without_a_key_may_have_full_load_files_of_one_name_in_several_folders() -> None:
    log = FakeTable(has_key=False)
    log.write_load((1, "Ann"), folder=f"{ROOT}segment1/")
    log.write_load((2, "Bo"), folder=f"{ROOT}segment2/")
    log.run("2020-11-14")
    log.write_load((3, "Cy"), folder=f"{ROOT}segment3/")
    log.run("2020-11-15")
    assert log.rows == [(1, "Ann"), (2, "Bo"), (3, "Cy")]


def test_a_table_that_is_moved_keeps_before_its_reload_what_was_before_it(
    people: FakeTable,
) -> None:
    people.write_load((1, "13"))
    write_day(people, 14, ("U", 1, "14"), ("I", 2, "14"))
    people.run("2020-11-14")
    people.write_load((1, "15"))
    people.run("2020-11-15")
    old = list(people.files)
    people.path = "s3://dms/moved/people/"
    for path in old:
        people.write(path.replace(ROOT, people.path), people.files[path].rows)
    people.run("2020-11-16")
    assert people.rows == [(1, "15")]


# ---------------------------------------------- changes written before a full load

BEFORE_LOAD = "change files were written before its full load, and are applied on top of it"


def test_changes_that_dms_wrote_before_the_full_load_of_a_first_run_are_warned_of(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    before = write_day(people, 13, ("U", 1, "before"), at=written(13, 10, 1))
    people.write_changes("20201113-110000000", ("I", 2, "copied"), at=written(13, 13))
    said = people.run("2020-11-13").said
    assert f"{BEFORE_LOAD} (1): {before}. " in said
    assert REBUILD_COMMAND in said
    assert people.rows == [(1, "before"), (2, "copied")]
    people.write_load((1, "Anna"))
    assert BEFORE_LOAD not in people.run("2020-11-14").said
    assert people.rows == [(1, "Anna")]


def test_changes_before_the_first_full_load_that_the_second_run_takes_are_warned_of_too(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"), at=written(15, 8))
    paths = [write_day(people, day, at=written(day, 10, 1)) for day in (13, 14, 15)]
    for path, day in zip(paths[:2], (13, 14), strict=True):
        assert f"{BEFORE_LOAD} (1): {path}. " in people.run(f"2020-11-{day}").said
    assert people.run("2020-11-15").said == ""
    assert people.rows == [(1, "15")]


def test_changes_that_were_applied_before_a_full_load_came_to_them_are_warned_of(
    people: FakeTable,
) -> None:
    people.run("2020-11-13")
    before = write_day(people, 14, ("I", 1, "14"), ("I", 2, "14"), at=written(14, 10, 1))
    assert people.run("2020-11-14").said == ""
    people.write_load((1, "15"), (3, "15"), at=written(15, 8))
    assert f"{BEFORE_LOAD} (1): {before}. " in people.run("2020-11-15").said
    assert people.rows == [(1, "14"), (2, "14"), (3, "15")]
    assert people.run("2020-11-16").said == ""
    people.write_load((1, "17"), (3, "17"))
    assert BEFORE_LOAD not in people.run("2020-11-17").said
    assert people.rows == [(1, "17"), (3, "17")]


def test_a_full_load_that_was_written_again_before_it_was_taken_counts_as_it_is_now(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"), at=written(13, 8), broken=True)
    before = write_day(people, 13, at=written(13, 10, 1))
    people.fail("2020-11-13")
    people.write_load((1, "Anna"), at=written(13, 12))
    assert f"{BEFORE_LOAD} (1): {before}. " in people.run("2020-11-13").said


@pytest.mark.parametrize(("folder", "name"), [(TRANSACTIONS, "CDC_TXN-20201113100000000.csv")])
def test_changes_of_all_tables_before_a_full_load_are_of_tables_loaded_before(
    folder: str, name: str
) -> None:
    people = FakeTable(transaction_path=TRANSACTIONS)
    people.write_load((1, "Ann"))
    people.write(folder + name, (("U", 1, "13"),), at=written(13, 10))
    ran = people.run("2020-11-13")
    assert [file.kind for file in ran.plan.files] == ["load", "cdc"]
    assert ran.said == ""


def test_changes_of_all_tables_between_two_uploads_of_a_full_load_are_warned_of() -> None:
    people = FakeTable(transaction_path=TRANSACTIONS)
    people.write_load((1, "Ann"), at=written(13, 8), broken=True)
    paths = [f"{TRANSACTIONS}CDC_TXN-202011130{hour}0000000.csv" for hour in (7, 9)]
    for path, hour in zip(paths, (7, 9), strict=True):
        people.write(path, (("U", 1, f"{hour}"),), at=written(13, hour, 1))
    people.fail("2020-11-13")
    people.write_load((1, "Anna"), at=written(13, 12))
    assert f"{BEFORE_LOAD} (1): {paths[1]}. " in people.run("2020-11-13").said
    assert people.rows == [(1, "9")]
    assert people.run("2020-11-14").said == ""


def test_changes_of_all_tables_that_come_late_are_taken() -> None:
    people = FakeTable(transaction_path=TRANSACTIONS)
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    people.write(TRANSACTIONS + "CDC_TXN-20201114100000000.csv", (("U", 1, "14"),))
    people.run("2020-11-14")
    assert people.rows == [(1, "14")]


# ------------------------------------------- full loads that are written again in part

UNCHANGED = "its full load has come again without these files, which are unchanged"
PARTLY = "its full load, published in part or rolled back, has come again and replaces change files"


def test_a_file_of_a_load_that_no_version_has_applied_may_be_written_again(
    people: FakeTable,
) -> None:
    people.run("2020-11-13")
    people.write_load((1, "Ann"))
    people.write_load((2, "Bo"), name=SECOND, broken=True)
    people.fail("2020-11-14")
    people.write_load((2, "Bo"), name=SECOND)
    people.run("2020-11-14")
    assert people.rows == [(1, "Ann"), (2, "Bo")]


def test_the_second_file_of_a_load_may_be_written_again_before_it_is_published(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    people.write_load((2, "Bo"), name=SECOND, broken=True)
    people.fail("2020-11-14")
    people.write_load((2, "Bo"), name=SECOND)
    assert people.run("2020-11-14").plan.action == "merge"
    assert people.rows == [(1, "Ann"), (2, "Bo")]
    # Of a load that was published to its end, DMS may write the first file again first.
    people.write_load((3, "Cy"))
    people.run("2020-11-15")
    assert people.rows == [(3, "Cy")]
    people.write_load((4, "Di"), name=SECOND)
    people.run("2020-11-16")
    assert people.rows == [(3, "Cy"), (4, "Di")]


def test_a_first_file_that_comes_again_replaces_what_was_published_without_the_second(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    write_day(people, 13)
    people.run("2020-11-13")
    second = people.write_load((2, "Bo"), name=SECOND, broken=True)
    people.fail("2020-11-14")
    people.write_load((1, "Ann"))
    error = people.fail("2020-11-14")
    assert f"{UNCHANGED} (1): {second}. {NO_TABLE_PUBLISHED}" in error
    people.write_load((2, "Bo"), name=SECOND)
    said = people.run("2020-11-14").said
    assert f"{PARTLY} (1): {ROOT}{change_name(13)}.parquet. " in said
    assert people.rows == [(1, "Ann"), (2, "Bo")]


def test_changes_that_readers_had_are_warned_of_also_if_their_files_are_archived(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    archived = write_day(people, 13)
    people.run("2020-11-13")
    people.remove(archived)
    people.run("2020-11-14")
    people.write_load((2, "Bo"), name=SECOND, broken=True)
    people.fail("2020-11-15")
    people.write_load((1, "Ann"))
    people.write_load((2, "Bo"), name=SECOND)
    assert f"{PARTLY} (1): {archived}. " in people.run("2020-11-15").said


def test_a_file_that_was_never_applied_and_is_missing_leaves_the_load_before_whole(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    write_day(people, 13)
    people.run("2020-11-13")
    second = people.write_load((2, "Bo"), name=SECOND, broken=True)
    people.fail("2020-11-14")
    people.remove(second)
    people.write_load((1, "reloaded"))
    assert people.run("2020-11-14").said == ""


def test_a_segment_of_an_earlier_load_that_is_put_back_hinders_no_later_one(
    people: FakeTable,
) -> None:
    segments = [
        people.write_load((key, "Ann"), name=f"SEGMENT{key}_LOAD00000001.parquet") for key in (1, 2)
    ]
    people.run("2020-11-13")
    removed = people.remove(segments[1])
    people.write(segments[0], ((1, "second"),))
    people.run("2020-11-14")
    people.put_back(removed, later=False)
    people.run("2020-11-15")
    people.write(segments[0], ((1, "third"),))
    people.run("2020-11-16")
    assert people.rows == [(1, "third")]


def test_a_file_of_a_load_that_was_published_is_not_the_whole_table(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.write_load((2, "Bo"), name=SECOND)
    people.run("2020-11-13")
    people.write_load((2, "Bob"), name=SECOND)
    error = people.fail("2020-11-14")
    assert f"{UNCHANGED} (1): {ROOT}{FIRST}. " in error
    assert f"Then: {RUN_COMMAND}" in error
    assert people.rows == [(1, "Ann"), (2, "Bo")]
    people.touch(ROOT + FIRST)
    people.run("2020-11-14")
    assert people.rows == [(1, "Ann"), (2, "Bob")]


def test_a_segment_of_a_load_that_was_published_is_not_the_whole_table(people: FakeTable) -> None:
    segments = [f"SEGMENT1_LOAD0000000{number}.parquet" for number in (1, 2)]
    first = people.write_load((1, "Ann"), name=segments[0])
    second = people.write_load((2, "Bo"), name=segments[1])
    people.write_load((3, "Cy"), name="SEGMENT2_LOAD00000001.parquet")
    people.run("2020-11-13")
    people.write_load((3, "Cyd"), name="SEGMENT2_LOAD00000001.parquet")
    assert f"(2): {first}, {second}. " in people.fail("2020-11-14")
    people.remove(first)
    assert f"(1): {second}. " in people.fail("2020-11-14")
    # DMS writes a segment again also where nothing in it differs, and begins before it goes on.
    people.write_load((1, "Ann"), name=segments[0])
    people.run("2020-11-14")
    assert people.rows == [(1, "Ann"), (3, "Cyd")]
    people.write_load((2, "Bo"), name=segments[1])
    people.touch(second)
    people.run("2020-11-15")
    assert people.rows == [(1, "Ann"), (2, "Bo"), (3, "Cyd")]


def test_a_load_of_which_the_first_file_was_archived_can_be_built(people: FakeTable) -> None:
    people.write_load((2, "B"), name=SECOND)
    people.run("2020-11-13")
    assert people.rows == [(2, "B")]


def test_a_load_that_readers_have_without_its_first_file_can_be_built_again(
    people: FakeTable,
) -> None:
    people.write_load((2, "B"), name=SECOND)
    people.run("2020-11-13")
    write_day(people, 14, ("U", 2, "Bo"))
    people.run("2020-11-14")
    people.roll_back(1)
    people.run("2020-11-14", full_refresh=True)
    assert people.rows == [(2, "B")]


# ----------------------------------------------------------------- missing files

MISSING = "files that were applied are missing"
LOST = "files that this run has to read are no longer there"
SKIPPED = "files that no run had taken are missing since their full load began again"


def test_missing_files_are_reported_once_and_that_none_is_left_once_more(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    paths = [write_day(people, day) for day in (11, 12, 13)]
    people.run("2020-11-13")
    people.remove(paths[0])
    ran = people.run("2020-11-14")
    assert f"{MISSING} (1): {paths[0]}. Their rows stay published" in ran.said
    assert "--full-refresh" in ran.said
    assert not ran.asked_history
    people.remove(paths[1])
    assert people.run("2020-11-15").said == ""
    people.remove(paths[2], ROOT + FIRST)
    said = people.run("2020-11-16").said
    assert f"{MISSING} (2): {paths[2]}, {ROOT}{FIRST}. None is left, as after TRUNCATE" in said
    assert people.run("2020-11-17").said == ""
    assert people.rows == [(1, "13")]


def test_more_than_three_files_are_counted_and_not_all_named(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    paths = [people.write_changes(f"20201113-10000{number}") for number in range(5)]
    people.run("2020-11-13")
    people.remove(*paths)
    assert f"{MISSING} (5): {', '.join(paths[:3])}, …. Their" in people.run("2020-11-14").said


def test_files_that_are_missing_while_newer_ones_are_there_are_not_reported_again(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    paths = [write_day(people, day) for day in (12, 13)]
    people.run("2020-11-13")
    people.remove(paths[0])
    assert MISSING in people.run("2020-11-14").said
    write_day(people, 15)
    people.run("2020-11-15")
    people.remove(paths[1], ROOT + FIRST)
    # Of the base of this run, none is left; of the run before, there is.
    assert people.run("2020-11-15").said == ""


def test_that_none_is_left_is_reported_each_time_though_new_changes_have_come(
    people: FakeTable,
) -> None:
    gone = people.write_load((1, "13"), (2, "13"))
    people.run("2020-11-13")
    for day in (14, 15):
        people.remove(gone)
        gone = write_day(people, day, ("I", 1, f"{day}"))
        said = people.run(f"2020-11-{day}").said
        assert "(1): " in said
        assert "None is left" in said
        assert "until DMS reloads the table" in said
    assert people.run("2020-11-16").said == ""
    assert people.rows == [(1, "15"), (2, "13")]


def test_where_no_file_may_go_the_table_fails_until_it_is_back() -> None:
    people = FakeTable(on_missing_files="fail")
    path = people.write_load((1, "Ann"))
    write_day(people, 14)
    people.run("2020-11-14")
    removed = people.remove(path)
    for _ in range(2):
        error = people.fail("2020-11-15")
        assert f"hr.people: {MISSING} (1): {path}. {NO_TABLE_PUBLISHED}" in error
        for part in ("on_missing_files is fail", "Put them back", RUN_COMMAND):
            assert part in error
    people.put_back(removed)
    assert people.run("2020-11-15").said == ""
    assert people.actions == ["build"]
    people.remove(path)
    people.fail("2020-11-16")


@pytest.mark.parametrize("full_refresh", [True, False])
def test_files_that_a_reload_replaced_are_not_missed(full_refresh: bool) -> None:
    people = FakeTable(on_missing_files="fail")
    people.write_load((1, "Ann"))
    second = people.write_load((2, "Bo"), name=SECOND)
    changes = write_day(people, 14)
    people.run("2020-11-14")
    people.remove(second, changes)
    people.write_load((1, "reloaded"))
    assert people.run("2020-11-15").said == ""
    # What was replaced is not asked for either when all is built again.
    people.run("2020-11-15", full_refresh)
    people.run("2020-11-16")
    assert people.rows == [(1, "reloaded")]


def test_a_file_that_was_lost_before_it_was_read_needs_a_reload(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    lost = write_day(people, 14, broken=True)
    people.fail("2020-11-14")
    people.remove(lost)
    ran = people.try_run("2020-11-14")
    assert f"{LOST} (1): {lost}. {NO_TABLE_PUBLISHED}" in ran.error
    assert "reload the table in DMS" in ran.error
    assert ran.said == ""
    # More of the same full load does not have what the lost file said.
    more = people.write_load((2, "Bo"), name=SECOND)
    assert f"{LOST} (1): {lost}. " in people.fail("2020-11-14")
    people.remove(more)
    people.write_load((1, "reloaded"))
    assert people.run("2020-11-14").said == ""
    people.run("2020-11-15")
    assert people.rows == [(1, "reloaded")]


def test_a_lost_file_that_is_put_back_is_read(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    removed = people.remove(write_day(people, 14))
    people.files.update(removed)
    people.index("2020-11-14")
    people.remove(removed[0][0])
    assert LOST in people.fail("2020-11-14")
    people.put_back(removed)
    ran = people.run("2020-11-14")
    assert names(ran.plan) == [change_name(14)]
    assert not ran.asked_history  # the base is the first version
    assert people.rows == [(1, "14")]


def test_a_full_refresh_names_the_files_that_are_missing(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    path = write_day(people, 13)
    people.run("2020-11-13")
    people.remove(path)
    people.run("2020-11-14")
    assert f"{LOST} (1): {path}. " in people.fail("2020-11-14", full_refresh=True)
    assert people.run("2020-11-15").plan.action == "none"


def test_a_date_run_again_does_not_need_the_files_that_it_took(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    path = write_day(people, 13)
    people.run("2020-11-13")
    people.remove(path)
    ran = people.run("2020-11-13")
    assert ran.plan.action == "none"
    assert f"{MISSING} (1): {path}. " in ran.said
    assert people.run("2020-11-14").said == ""
    # With another file it is made again, and that needs all of them.
    people.write_load((2, "Bo"), name=SECOND)
    people.unchanged.clear()
    assert f"{LOST} (1): {path}. " in people.fail("2020-11-13")


def test_files_after_the_date_of_a_run_are_not_missed_by_it(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    path = write_day(people, 15)
    people.index("2020-11-15")
    people.remove(path)
    assert people.run("2020-11-14").said == ""
    assert f"{LOST} (1): {path}. " in people.fail("2020-11-15")


def test_a_listing_that_starts_behind_a_file_cannot_miss_it(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    paths = [write_day(people, day) for day in (14, 24)]
    people.run("2020-11-24")
    people.remove(paths[0])
    people.listed_after = paths[0]
    assert people.run("2020-11-25").said == ""
    people.listed_after = None
    assert f"{MISSING} (1): {paths[0]}. " in people.run("2020-11-26").said


def test_who_runs_later_is_warned_too(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    path = write_day(people, 14)
    people.run("2020-11-14")
    people.remove(path)
    people.index("2020-11-15")
    assert f"{MISSING} (1): {path}. " in people.run("2020-11-16").said


def test_what_is_left_where_the_table_was_before_is_not_left(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    people.path = "s3://dms/elsewhere/people/"
    path = write_day(people, 14)
    people.run("2020-11-14")
    people.remove(path)
    said = people.run("2020-11-15").said
    assert f"{MISSING} (1): {path}. None is left" in said


def test_changes_before_the_declared_start_may_go() -> None:
    people = FakeTable(cdc_start_date="2020-11-14", on_missing_files="fail")
    people.write_load((1, "Ann"))
    path = write_day(people, 13)
    people.run("2020-11-14")
    people.remove(path)
    assert people.run("2020-11-15").said == ""


def test_files_that_were_rolled_back_may_go() -> None:
    people = FakeTable(on_missing_files="fail")
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    path = write_day(people, 14)
    people.run("2020-11-14")
    people.roll_back(1)
    people.remove(path)
    assert people.run("2020-11-15").said == ""


# ----------------------------------- full loads that no run took, and that begin again


def test_a_full_load_that_no_run_took_may_come_again_in_fewer_files(people: FakeTable) -> None:
    people.write_load((1, "broken"))
    people.write_load((2, "broken"), name=SECOND, broken=True)
    changes = write_day(people, 13, ("X", 1, "broken"), at=written(13, 10, 1))
    people.fail("2020-11-13")
    people.files.clear()
    people.write_load((1, "first"), (2, "first"))
    said = people.run("2020-11-13").said
    assert f"{SKIPPED} (2): {changes}, {ROOT}{SECOND}. " in said
    # They are not applied on top of it, because they are not there.
    assert BEFORE_LOAD not in said
    assert people.rows == [(1, "first"), (2, "first")]
    for key, name in enumerate((FIRST, SECOND)):
        people.write_load((key, "second"), name=name)
    people.run("2020-11-14")
    for key, name in enumerate((FIRST, SECOND)):
        people.write_load((key, "broken"), name=name, broken=key == 0)
    people.fail("2020-11-15")
    people.files.clear()
    people.write_load((1, "third"), (3, "third"))
    assert f"{SKIPPED} (1): {ROOT}{SECOND}. " in people.run("2020-11-15").said
    assert people.rows == [(1, "third"), (3, "third")]
    assert people.run("2020-11-16").said == ""
    assert people.run("2020-11-17", full_refresh=True).said == ""
    assert people.rows == [(1, "third"), (3, "third")]


def test_a_full_load_that_no_run_took_may_come_again_under_other_names(people: FakeTable) -> None:
    for number in (1, 2):
        people.write_load(
            (number, "broken"), name=f"SEGMENT{number}_LOAD00000001.parquet", broken=number == 1
        )
    people.fail("2020-11-13")
    people.files.clear()
    people.fail("2020-11-13")
    people.write_load((1, "first"), (2, "first"))
    people.run("2020-11-13")
    assert people.rows == [(1, "first"), (2, "first")]


def test_of_a_full_load_that_no_run_took_no_file_may_be_lost(people: FakeTable) -> None:
    people.write_load((1, "broken"), broken=True)
    lost = people.write_load((2, "Bo"), name=SECOND)
    people.write_load((3, "Cy"), name=THIRD)
    people.fail("2020-11-13")
    people.remove(lost)
    # The third is still what it was, so this is no other full load.
    people.write_load((1, "Ann"))
    assert f"{LOST} (1): {lost}. " in people.fail("2020-11-13")
    people.write_load((2, "Bo"), name=SECOND)
    people.run("2020-11-13")
    assert people.rows == [(1, "Ann"), (2, "Bo"), (3, "Cy")]


def test_what_was_left_out_of_a_full_load_is_taken_once_it_is_put_back(people: FakeTable) -> None:
    people.write_load((1, "broken"), broken=True)
    gone = [people.write_load((2, "Bo"), name=SECOND), write_day(people, 13, ("I", 3, "Cy"))]
    people.fail("2020-11-13")
    removed = people.remove(*gone)
    people.write_load((1, "Ann"))
    assert SKIPPED in people.run("2020-11-13").said
    assert people.run("2020-11-14").said == ""
    people.run("2020-11-15")
    assert people.rows == [(1, "Ann")]
    people.put_back(removed)
    assert len(people.run("2020-11-16").plan.files) == 2
    # A date that is run again takes the same.
    assert people.run("2020-11-16").plan.action == "none"
    people.run("2020-11-17")
    assert people.rows == [(1, "Ann"), (2, "Bo"), (3, "Cy")]
    # Another time it is as any other that was applied.
    removed = people.remove(gone[0])
    people.run("2020-11-18")
    people.put_back(removed)
    ran = people.run("2020-11-19")
    assert ran.plan.action == "none"
    people.run("2020-11-20")
    assert people.actions == ["build", "merge"]


def test_whether_a_restored_file_was_taken_is_asked_of_earlier_versions(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    path = write_day(people, 13)
    people.run("2020-11-13")
    write_day(people, 14)
    people.run("2020-11-14")
    removed = people.remove(path)
    people.run("2020-11-15")
    people.put_back(removed)
    ran = people.run("2020-11-16")
    assert (ran.plan.action, ran.asked_history) == ("none", True)
    # The window of the next run has it still, that of the one after has not.
    people.run("2020-11-17")
    assert not people.run("2020-11-18").asked_history


def test_a_restored_file_that_a_reload_has_replaced_is_no_news(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    path = write_day(people, 13)
    people.run("2020-11-13")
    people.write_load((1, "reloaded"))
    removed = people.remove(path)
    people.run("2020-11-14")
    people.put_back(removed)
    ran = people.run("2020-11-15")
    assert (ran.plan.action, ran.asked_history, ran.said) == ("none", False, "")


def test_a_restored_file_that_was_rolled_back_is_no_news(people: FakeTable) -> None:
    published_on(people, 14, 15)
    people.roll_back(2)
    removed = people.remove(f"{ROOT}{change_name(15)}.parquet")
    people.run("2020-11-16")
    people.put_back(removed)
    ran = people.run("2020-11-17")
    assert (ran.plan.action, ran.asked_history, ran.said) == ("none", False, "")


def test_a_first_file_that_is_put_back_as_it_was_begins_no_full_load(people: FakeTable) -> None:
    first = people.write_load((1, "Ann"))
    second = people.write_load((2, "Bo"), name=SECOND)
    write_day(people, 13, broken=True)
    people.fail("2020-11-13")
    removed = people.remove(first, second)
    people.fail("2020-11-13")
    people.put_back(removed[:1])
    write_day(people, 13, ("U", 1, "Anna"))
    assert f"{LOST} (1): {second}. " in people.fail("2020-11-13")
    people.put_back(removed[1:])
    people.run("2020-11-13")
    assert people.rows == [(1, "Anna"), (2, "Bo")]


def test_where_no_file_may_go_a_full_load_that_begins_again_in_fewer_fails() -> None:
    people = FakeTable(on_missing_files="fail")
    people.write_load((1, "broken"), broken=True)
    gone = people.write_load((2, "Bo"), name=SECOND)
    people.fail("2020-11-13")
    people.remove(gone)
    people.write_load((1, "Ann"))
    for _ in range(2):
        error = people.fail("2020-11-13")
        assert f"{SKIPPED} (1): {gone}. {NO_TABLE_PUBLISHED}, because on_missing" in error
        assert f"set on_missing_files: warn for one run: {RUN_COMMAND}" in error
    people.write_load((2, "Bo"), name=SECOND)
    people.run("2020-11-13")
    assert people.rows == [(1, "Ann"), (2, "Bo")]


@pytest.mark.parametrize("days", [(14,), (14, 15, 16)])
def test_changes_that_were_applied_and_archived_before_a_first_full_load_are_not_skipped(
    people: FakeTable, days: tuple[int, ...]
) -> None:
    people.run("2020-11-13")
    paths = []
    for day in days:
        paths.append(write_day(people, day, ("I", 1, f"{day}"), at=written(day, 10, 1)))
        people.run(f"2020-11-{day}")
    people.remove(paths[0])
    people.run("2020-11-17")
    people.write_load((1, "Ann"), at=written(18, 8))
    said = people.run("2020-11-18").said
    assert SKIPPED not in said
    assert f"{BEFORE_LOAD} ({len(days)}): {paths[0]}" in said


@pytest.mark.parametrize("on_missing_files", ["warn", "fail"])
def test_skipped_files_before_the_declared_start_may_go(on_missing_files: str) -> None:
    people = FakeTable(cdc_start_date="2020-11-14", on_missing_files=on_missing_files)
    people.write_load((1, "broken"), broken=True)
    write_day(people, 13)
    people.fail("2020-11-14")
    people.files.clear()
    people.write_load((1, "Ann"))
    assert people.run("2020-11-14").said == ""


def at(day: int, hour: int) -> datetime:
    """A moment of January 2020."""
    return datetime(2020, 1, day, hour, tzinfo=UTC)


_Fact = tuple[str, str, bool, datetime, datetime, int]


def states_of(facts: list[_Fact]) -> dict[str, tuple[bool, bool, bool]]:
    """Whether files are missing, skipped and replaced.

    Args:
        facts: path, kind, whether the file is of changes, when it was written and indexed, and its
            load generation.
    """
    events = [
        ObjectEvent(
            path, kind, at(1, 1) if is_change else None, 1, "etag", modified, generation, 1, None,
            indexed,
        )
        for path, kind, is_change, modified, indexed, generation in facts
    ]  # fmt: skip
    return {
        state.path: (state.is_missing, state.is_skipped, state.is_replaced)
        for state in file_states(events)
    }


THERE, IS_MISSING = (False, False, False), (True, False, False)


def test_a_full_load_that_is_put_back_does_not_replace_the_changes_that_are_missing() -> None:
    assert states_of(
        [
            ("LOAD1.csv", "load", False, at(1, 1), at(1, 2), 1),
            ("20200101", "cdc", True, at(1, 1), at(1, 2), 1),
            ("20200101", "missing", True, at(1, 1), at(2, 2), 1),
            ("LOAD1.csv", "missing", False, at(1, 1), at(2, 2), 1),
            ("LOAD1.csv", "restored", False, at(3, 1), at(3, 2), 1),
        ]
    ) == {"LOAD1.csv": THERE, "20200101": IS_MISSING}


def test_changes_are_not_replaced_by_a_full_load_that_was_seen_with_them() -> None:
    assert states_of(
        [
            ("20200101", "cdc", True, at(5, 1), at(5, 2), 1),
            ("LOAD1.csv", "load", False, at(5, 2), at(5, 2), 1),
            ("20200101", "missing", True, at(5, 1), at(6, 2), 1),
        ]
    ) == {"LOAD1.csv": THERE, "20200101": IS_MISSING}


def test_changes_seen_before_a_later_full_load_are_replaced_by_it() -> None:
    assert states_of(
        [
            ("20200101", "cdc", True, at(1, 1), at(1, 2), 1),
            ("20200101", "missing", True, at(1, 1), at(2, 2), 1),
            ("LOAD1.csv", "load", False, at(1, 1), at(1, 2), 1),
            ("LOAD1.csv", "load", False, at(2, 1), at(2, 2), 2),
        ]
    ) == {"LOAD1.csv": THERE, "20200101": (True, False, True)}


def test_what_is_missing_when_a_full_load_begins_again_is_skipped() -> None:
    assert states_of(
        [
            ("LOAD00000001.csv", "load", False, at(1, 1), at(1, 2), 1),
            ("LOAD00000002.csv", "load", False, at(1, 1), at(1, 2), 1),
            ("LOAD00000003.csv", "load", False, at(1, 1), at(1, 2), 1),
            ("20200101", "cdc", True, at(1, 1), at(1, 2), 1),
            ("LOAD00000002.csv", "missing", False, at(1, 1), at(2, 2), 1),
            ("LOAD00000003.csv", "missing", False, at(1, 1), at(1, 12), 1),
            ("20200101", "missing", True, at(1, 1), at(2, 2), 1),
            ("LOAD00000001.csv", "load", False, at(2, 1), at(2, 2), 1),
            ("LOAD00000003.csv", "load", False, at(2, 1), at(2, 2), 1),
            ("20200102", "cdc", True, at(2, 2), at(2, 2), 1),
            ("20200102", "missing", True, at(2, 2), at(3, 2), 1),
        ]
    ) == {
        "LOAD00000001.csv": THERE,
        "LOAD00000002.csv": (True, True, True),
        "LOAD00000003.csv": THERE,
        "20200101": (True, True, True),
        "20200102": IS_MISSING,
    }


def test_what_goes_missing_after_a_full_load_began_again_is_not_skipped() -> None:
    assert states_of(
        [
            ("LOAD00000001.csv", "load", False, at(1, 1), at(1, 2), 1),
            ("LOAD00000002.csv", "load", False, at(1, 1), at(1, 2), 1),
            ("LOAD00000001.csv", "load", False, at(2, 1), at(2, 2), 1),
            ("LOAD00000002.csv", "missing", False, at(1, 1), at(3, 2), 1),
        ]
    ) == {"LOAD00000001.csv": THERE, "LOAD00000002.csv": IS_MISSING}


def test_changes_that_were_written_after_a_full_load_are_not_skipped_with_it() -> None:
    assert states_of(
        [
            ("20200102", "cdc", True, at(2, 1), at(2, 2), 1),
            ("20200102", "missing", True, at(2, 1), at(3, 2), 1),
            ("LOAD00000001.csv", "load", False, at(1, 5), at(3, 2), 1),
        ]
    ) == {"20200102": IS_MISSING, "LOAD00000001.csv": THERE}


def test_of_a_full_load_of_which_a_file_is_as_it_was_nothing_is_skipped() -> None:
    assert states_of(
        [
            ("LOAD00000001.csv", "load", False, at(1, 1), at(1, 2), 1),
            ("LOAD00000002.csv", "load", False, at(1, 1), at(1, 2), 1),
            ("LOAD00000003.csv", "load", False, at(1, 1), at(1, 2), 1),
            ("LOAD00000002.csv", "missing", False, at(1, 1), at(2, 2), 1),
            ("LOAD00000001.csv", "load", False, at(2, 1), at(2, 2), 1),
        ]
    ) == {"LOAD00000001.csv": THERE, "LOAD00000002.csv": IS_MISSING, "LOAD00000003.csv": THERE}


# ------------------------------------------------------------ listing and folders


def test_a_folder_that_is_not_there_is_an_empty_table(people: FakeTable) -> None:
    ran = people.run("2020-11-13")
    assert (ran.plan.action, ran.plan.files, ran.plan.generation) == ("build", (), 1)
    assert f"there are no files under {ROOT} yet. The snapshot is empty. " in ran.said
    assert people.run("2020-11-14").said == ""
    people.write_load((1, "Ann"))
    assert people.run("2020-11-15").plan.action == "merge"


def test_a_table_without_files_fails_if_none_may_be_missing() -> None:
    people = FakeTable(on_missing_files="fail")
    error = people.fail("2020-11-13")
    assert error.startswith(f"hr.people: there are no files under {ROOT} yet. {NO_TABLE_PUBLISHED}")
    people.write_load((1, "Ann"))
    people.run("2020-11-13")


@pytest.mark.parametrize("folder", [ROOT, TRANSACTIONS])
def test_a_folder_that_cannot_be_listed_fails_the_table(folder: str) -> None:
    people = FakeTable(**({} if folder == ROOT else {"transaction_path": TRANSACTIONS}))
    people.write_load((1, "Ann"))
    people.listing_problem = "no such bucket"
    error = people.fail("2020-11-13")
    assert f"hr.people: {folder} cannot be listed: no such bucket. {NO_TABLE_PUBLISHED}" in error
    assert RUN_COMMAND in error
    people.listing_problem = None
    assert people.run("2020-11-13").said == ""


def test_another_time_zone_fails_the_table_until_the_earlier_one_is_declared(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    path = people.write_changes("20201113-103000000", ("U", 1, "first"))
    people.run("2020-11-13")
    people.shift = timedelta(hours=-1)
    people.write_changes("20201113-110000000", ("U", 1, "second"))
    for full_refresh in (False, True):
        error = people.fail("2020-11-14", full_refresh)
        assert "file_timezone differs" in error
        assert f"{path} was 2020-11-13 10:30:00 UTC and would be 2020-11-13 09:30:00 UTC" in error
    people.shift = timedelta()
    people.run("2020-11-14")
    assert people.rows == [(1, "second")]


def test_an_index_that_was_lost_behind_a_reload_fails_the_table(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    people.write_load((2, "Bo"))
    people.run("2020-11-14")
    assert people.rows == [(2, "Bo")]
    people.events.clear()
    people.write_changes("20201115-100000000", ("U", 2, "Bob"))
    error = people.fail("2020-11-15")
    assert (
        "dms_files has load generation 1, and version 2 was built from load generation 2" in error
    )
    assert error.endswith("--full-refresh [E210]")
    people.run("2020-11-15", full_refresh=True)
    assert people.rows == [(2, "Bob")]


def test_an_index_that_was_lost_before_a_reload_fails_the_table(people: FakeTable) -> None:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.run("2020-11-13")
    people.events.clear()
    people.write_load((2, "Bo"))
    error = people.fail("2020-11-14")
    assert "dms_files does not have the full load of version 1" in error
    assert f"{people.path}{FIRST} has been uploaded again since" in error
    assert error.endswith("--full-refresh [E210]")
    people.run("2020-11-14", full_refresh=True)
    assert people.rows == [(2, "Bo")]


def test_with_a_wrong_root_a_table_fails_before_it_takes_files_of_the_right_one(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    right, wrong = people.path, "s3://dms/dsm/people/"
    file = people.write_changes("20201114-100000000", ("U", 1, "Anna"))
    people.index("2020-11-14")
    people.path = wrong
    error = people.fail("2020-11-14")
    assert f"there are no files under {wrong}, and those that are to be taken are not" in error
    assert f"(1): {file}. Nothing of this table was published. If path or DMS_ROOT" in error
    assert error.endswith("[E203]")
    people.path = right
    people.run("2020-11-14")
    assert people.rows == [(1, "Anna")]


def test_changes_of_all_tables_are_taken_where_the_folder_of_the_table_is_empty() -> None:
    people = FakeTable(transaction_path=TRANSACTIONS)
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    people.path = "s3://dms/renamed/people/"
    people.write(TRANSACTIONS + "CDC_TXN-20201114100000000.csv", (("U", 1, "Anna"),))
    assert f"there are no files under {people.path}" in people.run("2020-11-14").said
    assert people.rows == [(1, "Anna")]


@pytest.mark.parametrize("on_missing_files", ["warn", "fail"])
def test_a_folder_without_files_is_reported_until_there_are_some_if_there_were_elsewhere(
    on_missing_files: str,
) -> None:
    people = FakeTable(on_missing_files=on_missing_files)
    path = people.write_load((1, "Ann"))
    people.run("2020-11-13")
    people.path = "s3://dms/elsewhere/people/"
    for run_date in ("2020-11-14", "2020-11-15"):
        ran = people.try_run(run_date)
        said = ran.error if on_missing_files == "fail" else ran.said
        assert f"there are no files under {people.path}, and those that were taken" in said
        assert "DMS_ROOT" in said
        assert bool(ran.error) is (on_missing_files == "fail")
    people.move(path, people.path + FIRST)
    assert people.run("2020-11-16").said == ""
    assert people.rows == [(1, "Ann")]
    # Its files were there, and are missing: that is reported in other words, and once.
    people.remove(people.path + FIRST)
    if on_missing_files == "warn":
        assert f"{MISSING} (1): {people.path}{FIRST}. " in people.run("2020-11-17").said
        assert people.run("2020-11-18").said == ""


def test_the_folder_of_all_tables_may_be_empty() -> None:
    people = FakeTable(transaction_path=TRANSACTIONS)
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    people.path = "s3://dms/elsewhere/people/"
    people.write_load((1, "Ann"))
    assert people.run("2020-11-14").said == ""


def test_an_object_that_is_no_file_is_reported_once(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    strangers = [people.write(ROOT + name, ()) for name in ("notes.txt", "_SUCCESS")]
    ran = people.run("2020-11-14")
    assert f"are not read (2): {', '.join(sorted(strangers))}. " in ran.said
    assert names(ran.plan) == ["LOAD00000001"]
    assert people.run("2020-11-15").said == ""
    late = people.write(ROOT + "late.txt", ())
    assert f"are not read (1): {late}. " in people.run("2020-11-16").said


def test_an_object_is_reported_until_a_run_has_published(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    people.write(ROOT + "notes.txt", ())
    write_day(people, 14, broken=True)
    for _ in range(2):
        assert "notes.txt" in people.try_run("2020-11-14").said
    write_day(people, 14)
    people.run("2020-11-14")
    assert people.run("2020-11-15").said == ""


# -------------------------------------------------------- rollback and reapply


def published_on(people: FakeTable, *days: int) -> None:
    """A full load, and changes of some days, each published by a run of its own."""
    people.write_load((1, "Ann"), (2, "Bo"))
    people.run("2020-11-13")
    for day in days:
        write_day(people, day, ("I", day, "new"))
        people.run(f"2020-11-{day}")


def test_what_was_rolled_back_does_not_come_again(people: FakeTable) -> None:
    published_on(people, 14)
    people.roll_back(1)
    for run_date in ("2020-11-14", "2020-11-15", "2020-11-16"):
        ran = people.run(run_date)
        assert (ran.plan.action, ran.said, ran.asked_history) == ("none", "", False)
    write_day(people, 17, ("I", 17, "new"))
    ran = people.run("2020-11-17")
    assert (names(ran.plan), ran.asked_history) == ([change_name(17)], False)
    assert people.rows == [(1, "Ann"), (2, "Bo"), (17, "new")]


def test_another_upload_of_what_was_rolled_back_is_taken(people: FakeTable) -> None:
    published_on(people, 14)
    people.roll_back(1)
    write_day(people, 14, ("I", 14, "good"))
    assert names(people.run("2020-11-14").plan) == [change_name(14)]
    assert people.rows[-1] == (14, "good")


def test_a_file_whose_later_upload_was_rolled_back_keeps_its_changes(people: FakeTable) -> None:
    published_on(people, 14)
    write_day(people, 14, ("I", 14, "bad"))
    people.run("2020-11-15")
    people.roll_back(2)
    assert people.run("2020-11-15").plan.action == "none"
    assert people.rows[-1] == (14, "new")
    # Its first upload is a part of the state, and is not there any more.
    error = people.fail("2020-11-16", full_refresh=True)
    for part in (change_name(14), "rolled back", "reapply", "rollback_to", NO_TABLE_PUBLISHED):
        assert part in error


def test_a_file_of_which_every_upload_was_rolled_back_is_left_out(people: FakeTable) -> None:
    published_on(people, 14)
    write_day(people, 14, ("I", 14, "bad"))
    people.run("2020-11-15")
    people.roll_back(1)
    plan = people.run("2020-11-16", full_refresh=True).plan
    assert names(plan) == ["LOAD00000001"]


def test_an_upload_that_no_run_took_does_not_come_for_one_that_was_rolled_back(
    people: FakeTable,
) -> None:
    published_on(people, 15)
    write_day(people, 14, ("I", 14, "first"))
    people.index("2020-11-16")
    write_day(people, 14, ("I", 14, "bad"))
    people.run("2020-11-16")
    people.roll_back(2)
    ran = people.run("2020-11-16")
    assert (ran.plan.action, ran.asked_history) == ("none", True)


def test_reapply_by_metadata_lets_the_next_run_go_on(people: FakeTable) -> None:
    published_on(people, 14, 15)
    people.roll_back(2)
    people.reapply(3)
    write_day(people, 16, ("I", 16, "new"))
    assert names(people.run("2020-11-16").plan) == [change_name(16)]
    assert [key for key, _ in people.rows] == [1, 2, 14, 15, 16]


def test_what_is_included_again_is_taken_by_the_next_run_however_old(people: FakeTable) -> None:
    published_on(people, 14, 15)
    people.roll_back(2)
    for day in (16, 17, 18):
        write_day(people, day, ("I", day, "new"))
        people.run(f"2020-11-{day}")
    people.include_again(3)
    ran = people.run("2020-11-19")
    assert (names(ran.plan), ran.asked_history) == ([change_name(15)], True)
    # The same date again, and those after it, take nothing more.
    assert people.run("2020-11-19").plan.action == "none"
    ran = people.run("2020-11-20")
    assert (ran.plan.action, ran.asked_history) == ("none", False)
    write_day(people, 21, ("I", 21, "new"))
    assert names(people.run("2020-11-21").plan) == [change_name(21)]
    assert [key for key, _ in people.rows] == [1, 2, 14, 15, 16, 17, 18, 21]


def test_of_what_is_included_again_a_later_upload_counts(people: FakeTable) -> None:
    published_on(people, 14, 15)
    people.roll_back(2)
    write_day(people, 16, ("I", 16, "new"))
    people.run("2020-11-16")
    people.include_again(3)
    write_day(people, 15, ("I", 15, "later"))
    plan = people.run("2020-11-17").plan
    assert names(plan) == [change_name(15)]
    assert (15, "later") in people.rows


def test_what_is_included_again_and_missing_is_lost(people: FakeTable) -> None:
    published_on(people, 14, 15)
    people.roll_back(2)
    for day in (16, 17):
        write_day(people, day, ("I", day, "new"))
        people.run(f"2020-11-{day}")
    people.include_again(3)
    path = f"{ROOT}{change_name(15)}.parquet"
    people.remove(path)
    assert f"{LOST} (1): {path}. " in people.fail("2020-11-18")


def test_what_is_included_again_and_replaced_by_a_reload_is_not_taken(people: FakeTable) -> None:
    published_on(people, 14, 15)
    people.roll_back(2)
    people.write_load((1, "reloaded"))
    people.run("2020-11-16")
    people.include_again(3)
    ran = people.run("2020-11-17")
    assert (ran.plan.action, ran.asked_history, ran.said) == ("none", False, "")
    assert people.rows == [(1, "reloaded")]


def test_a_reload_that_was_rolled_back_is_not_built_from_its_changes_alone(
    people: FakeTable,
) -> None:
    published_on(people, 14)
    people.write_load((7, "Reloaded"))
    people.run("2020-11-15")
    people.roll_back(2)
    path = write_day(people, 16, ("I", 8, "16"))
    ran = people.try_run("2020-11-16")
    assert ran.said == ""
    error = ran.error
    assert f"change files have come (1): {path}" in error
    assert "load generation 2) is excluded, because it was rolled back" in error
    assert "dbt run-operation reapply --args '{select: hr.people, dry_run: false}'" in error
    assert people.rows == [(1, "Ann"), (2, "Bo"), (14, "new")]


def test_nor_is_it_by_a_full_refresh_where_it_is_missing(people: FakeTable) -> None:
    published_on(people)
    people.write_load((7, "Reloaded"))
    people.run("2020-11-14")
    people.roll_back(1)
    write_day(people, 15, ("I", 8, "15"))
    people.index("2020-11-15")
    people.remove(ROOT + FIRST)
    error = people.fail("2020-11-15", full_refresh=True)
    assert "is excluded, because it was rolled back" in error


@pytest.mark.parametrize("is_seen_with_the_reload", [True, False])
def test_changes_on_a_reload_that_was_rolled_back_are_not_applied_on_top_of_the_next_one(
    people: FakeTable, is_seen_with_the_reload: bool
) -> None:
    people.write_load((1, "A"))
    people.run("2020-11-13")
    people.write_load((1, "Ann"))
    people.run("2020-11-14")
    people.roll_back(1)
    people.run("2020-11-15")
    write_day(people, 16, ("U", 1, "before"), ("I", 2, "before"))
    if not is_seen_with_the_reload:
        people.fail("2020-11-16")
    people.write_load((1, "reloaded"))
    people.run("2020-11-17")
    assert people.rows == [(1, "reloaded")]


def test_a_reload_under_another_name_after_a_rollback(people: FakeTable) -> None:
    people.write_load((1, "A"))
    people.run("2020-11-13")
    people.write_load((1, "Ann"))
    people.run("2020-11-14")
    people.roll_back(1)
    people.remove(ROOT + FIRST)
    people.write_load((1, "reloaded"), name=f"again/{FIRST}")
    people.run("2020-11-17")
    assert people.rows == [(1, "reloaded")]


@pytest.mark.parametrize("is_reload", [True, False])
def test_a_file_written_again_is_not_the_whole_of_a_load_that_was_rolled_back(
    people: FakeTable, is_reload: bool
) -> None:
    if is_reload:
        people.write_load((1, "A"))
        people.write_load((2, "B"), name=SECOND)
    people.run("2020-11-13")
    before = people.rows
    people.write_load((1, "Ann"))
    people.write_load((2, "Bo"), name=SECOND)
    people.run("2020-11-14")
    people.roll_back(1)
    people.run("2020-11-15")
    people.write_load((2, "Bob"), name=SECOND)
    error = people.fail("2020-11-16")
    assert f"{UNCHANGED} (1): {ROOT}{FIRST}. " in error
    assert "reapply" not in error
    assert people.rows == before
    people.touch(ROOT + FIRST)
    people.run("2020-11-16")
    assert people.rows == [(1, "Ann"), (2, "Bob")]


def test_more_files_of_a_load_that_was_rolled_back_wait_for_reapply(people: FakeTable) -> None:
    people.run("2020-11-13")
    paths = [people.write_load((1, "Ann")), people.write_load((2, "Bo"), name=SECOND)]
    people.run("2020-11-14")
    people.roll_back(1)
    people.run("2020-11-15")
    people.write_load((3, "Cy"), name=THIRD)
    error = people.fail("2020-11-16")
    assert f"{UNCHANGED} (2): {', '.join(paths)}. " in error
    assert "dbt run-operation reapply" in error
    people.reapply(2)
    people.run("2020-11-16")
    assert people.rows == [(1, "Ann"), (2, "Bo"), (3, "Cy")]


def test_changes_of_a_load_that_was_rolled_back_wait_for_it(people: FakeTable) -> None:
    people.run("2020-11-13")
    load = people.write_load((1, "Ann"))
    people.run("2020-11-14")
    people.roll_back(1)
    write_day(people, 15, ("I", 2, "15"))
    error = people.fail("2020-11-15")
    assert f"changes have come without these files of their full load (1): {load}" in error


def test_what_was_rolled_back_and_is_there_still_does_not_hide_a_reload(
    people: FakeTable,
) -> None:
    people.write_load((1, "A"), (2, "B"))
    people.run("2020-11-13")
    excluded = people.write_load((3, "C"), name=SECOND)
    people.run("2020-11-14")
    people.roll_back(1)
    people.remove(ROOT + FIRST)
    people.write_load((1, "reloaded"), name="SEGMENT1_LOAD00000001.parquet")
    assert f"{UNCHANGED} (1): {excluded}. " in people.fail("2020-11-16")
    people.remove(excluded)
    people.run("2020-11-16")
    assert people.rows == [(1, "reloaded")]


def test_what_was_rolled_back_in_another_folder_does_not_hinder_a_reload(
    people: FakeTable,
) -> None:
    for run_date, name in (("2020-11-13", "A"), ("2020-11-14", "Ann")):
        people.write_load((1, name))
        people.run(run_date)
    people.roll_back(1)
    people.path = "s3://dms/moved/people/"
    for run_date, name in (("2020-11-15", "B"), ("2020-11-16", "Bo")):
        people.write_load((1, name))
        people.run(run_date)
        assert people.rows == [(1, name)]


def test_each_reapply_takes_back_one_of_the_rollbacks_of_a_change_and_a_reload(
    people: FakeTable,
) -> None:
    people.write_load((1, "13"), (2, "13"))
    people.run("2020-11-13")
    write_day(people, 14)
    people.run("2020-11-14")
    people.write_load((1, "15"))
    people.run("2020-11-15")
    people.roll_back(2)
    people.roll_back(1)
    people.run("2020-11-16")
    people.include_again(2)
    people.run("2020-11-17")
    assert people.rows == [(1, "14"), (2, "13")]
    people.include_again(3)
    people.run("2020-11-18")
    assert people.rows == [(1, "15")]


def test_changes_of_all_tables_that_a_rewritten_load_replaces_are_warned_of() -> None:
    people = FakeTable(transaction_path=TRANSACTIONS)
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    path = people.write(TRANSACTIONS + "CDC_TXN-20201114100000000.csv", (("U", 1, "14"),))
    people.write_load((2, "Bo"), name=SECOND, broken=True)
    people.fail("2020-11-14")
    for key, name in ((1, FIRST), (2, SECOND)):
        people.write_load((key, "again"), name=name)
    assert f"{PARTLY} (1): {path}. " in people.run("2020-11-14").said
    assert people.rows == [(1, "again"), (2, "again")]


def test_copies_of_versions_lead_to_what_they_are_copies_of(people: FakeTable) -> None:
    published_on(people, 14, 15)
    people.roll_back(2)
    people.reapply(3)
    people.roll_back(2)
    people.write_load((1, "again"), (2, "again"))
    ran = people.run("2020-11-16")
    assert (ran.plan.action, ran.asked_history, ran.error) == ("build", True, "")
    assert "replaces change files" not in ran.said


def test_the_lineage_of_a_version_leads_over_copies_and_dates_that_were_filled_in(
    people: FakeTable,
) -> None:
    published_on(people, 14)
    people.write_load((2, "Bo"), name=SECOND)
    people.run("2020-11-15")
    people.write_load((1, "again"))
    people.index("2020-11-16")
    run = Run(date(2020, 11, 16), people.now)
    given = people.table_facts(run.run_date)
    assert given.current is not None
    one, two, three = (people.past(version) for version in people.versions)
    history = {
        1: one,
        2: two,
        3: three,
        # A date that was filled in shows no new state, and copies have no files of their own.
        4: replace(three, version=4, current_version=3, files=()),
        5: replace(three, version=5, current_version=5, restored_version=4, files=()),
    }
    current = replace(given.current, version=5, files=frozenset())
    facts = replace(given, current=current, base=current, history=history)
    plan = plan_files(people.events, facts, run)
    # All of the load was applied, so that it may begin with its first file again.
    assert (plan.error, names(plan)) == (None, ["LOAD00000001"])


# --------------------------------------------------------------------- reading facts

VERSION = {
    "version": 2, "run_date": "2020-11-14", "newest_date": "2020-11-16", "generation": 1,
    "last_file_seq": 7, "base_version": 1, "rows_after": 3,
    "indexed_from": "20201113T060000000000Z", "indexed_through": "20201114T060000000001Z",
    "files": [["a", "1"], ["b", "2#2"]], "load_files": [["e", "5"]],
}  # fmt: skip
ENTRY = {
    "label": "hr.people", "path": ROOT, "transaction_path": None, "cdc_start_date": "2020-11-14",
    "on_missing_files": "warn", "full_refresh": False, "run_command": RUN_COMMAND,
    "rebuild_command": REBUILD_COMMAND,
    "current": VERSION, "base": {**VERSION, "base_version": None},
    "excluded": [["d", "4"]], "included": [],
}  # fmt: skip


def test_the_facts_of_a_table_are_read_from_json() -> None:
    facts = parse_table(json.loads(json.dumps(ENTRY)), {})
    current = Version(
        version=2,
        run_date=date(2020, 11, 14),
        newest_date=date(2020, 11, 16),
        generation=1,
        last_file_seq=7,
        base_version=1,
        rows_after=3,
        indexed_from=datetime(2020, 11, 13, 6, tzinfo=UTC),
        indexed_through=datetime(2020, 11, 14, 6, 0, 0, 1, tzinfo=UTC),
        files=frozenset({("a", "1"), ("b", "2#2")}),
        load_files=frozenset({("e", "5")}),
    )
    assert (facts.current, facts.base) == (current, replace(current, base_version=None))
    assert facts.cdc_start_date == date(2020, 11, 14)
    assert (facts.excluded, facts.included) == (frozenset({("d", "4")}), frozenset())


@pytest.mark.parametrize(
    "name",
    ["current", "base", "excluded", "included", "cdc_start_date", "transaction_path"],
)
@pytest.mark.parametrize("is_absent", [True, False])
def test_what_may_be_none_may_be_absent(name: str, is_absent: bool) -> None:
    entry = {key: value for key, value in ENTRY.items() if key != name}
    facts = parse_table(entry if is_absent else {**entry, name: None}, {})
    assert not getattr(facts, name)


@pytest.mark.parametrize("name", ["label", "path", "on_missing_files", "full_refresh"])
def test_what_must_be_there_is_asked_for(name: str) -> None:
    with pytest.raises(KeyError, match=name):
        parse_table({key: value for key, value in ENTRY.items() if key != name}, {})


@pytest.mark.parametrize(
    ("name", "value"),
    [("run_date", "yesterday"), ("indexed_from", "2020-11-13"), ("newest_date", "20201332")],
)
def test_a_moment_that_is_none_is_refused(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_table({**ENTRY, "current": {**VERSION, name: value}}, {})


@pytest.mark.parametrize("moment", [datetime(2020, 11, 13, 6, 0, 0, 7, tzinfo=UTC)])
def test_a_moment_is_the_name_of_a_run(moment: datetime) -> None:
    name = Run(date(2020, 11, 13), moment).name
    facts = parse_table({**ENTRY, "current": {**VERSION, "indexed_from": name}}, {})
    assert facts.current is not None
    assert facts.current.indexed_from == moment


# ------------------------------------------------------------------------- messages

_COMMANDS = re.compile(
    r"dbt run --select \S+( --full-refresh)?( --vars '[^']*')?|dbt run-operation \S+ --args '[^']*'"
    r"|dms-snapshots discover <root> --check"
)
_OLD_WORDS = re.compile(
    r"\b(withheld|readmitted|laid|anew|told|nobody|mend(ed)?|vanished|retimed|unlisted|by itself)\b"
)


def each_message() -> list[str]:
    """Every message that a plan can have, by playing what leads to it."""
    said: list[str] = []

    def play(scene: Callable[[FakeTable], list[str]], **facts: Any) -> None:
        for on_missing_files in ("warn", "fail"):
            table = FakeTable(on_missing_files=on_missing_files, **facts)
            said.extend(scene(table))

    def last(table: FakeTable, run_date: str, **how: Any) -> list[str]:
        ran = table.try_run(run_date, **how)
        return [*(f"hr.people: {what}. {advice}" for what, advice in ran.plan.warnings), ran.error]

    def loaded(table: FakeTable) -> None:
        published_on(table, 14)

    def missing(table: FakeTable) -> list[str]:
        loaded(table)
        table.remove(f"{ROOT}{change_name(14)}.parquet")
        one = last(table, "2020-11-15")
        table.files.clear()
        return one + last(table, "2020-11-15") + last(table, "2020-11-15", full_refresh=True)

    def skipped(table: FakeTable) -> list[str]:
        table.write_load((1, "broken"), broken=True)
        table.write_load((2, "Bo"), name=SECOND)
        table.try_run("2020-11-13")
        table.remove(ROOT + SECOND)
        table.write_load((1, "Ann"))
        return last(table, "2020-11-13")

    def partial(table: FakeTable) -> list[str]:
        table.run("2020-11-13") if table.facts["on_missing_files"] == "warn" else None
        table.write_load((1, "Ann"))
        table.write_load((2, "Bo"), name=SECOND)
        write_day(table, 14)
        table.run("2020-11-14")
        table.write_load((2, "Bob"), name=SECOND)
        some = last(table, "2020-11-15")
        table.remove(ROOT + FIRST)
        some += last(table, "2020-11-15")
        table.write_load((1, "Ann"))
        write_day(table, 14, ("U", 1, "again"))
        some += last(table, "2020-11-15")
        write_day(table, 14, ("U", 1, "once more"))
        return some + last(table, "2020-11-16")

    def excluded(table: FakeTable) -> list[str]:
        loaded(table)
        table.write_load((1, "Ann"))
        table.run("2020-11-15")
        table.roll_back(2)
        write_day(table, 16)
        some = last(table, "2020-11-16")
        table.write_load((3, "Cy"), name=THIRD)
        return some + last(table, "2020-11-16")

    def replaced_upload(table: FakeTable) -> list[str]:
        loaded(table)
        write_day(table, 14, ("I", 14, "bad"))
        table.run("2020-11-15")
        table.roll_back(2)
        return last(table, "2020-11-16", full_refresh=True)

    def listing(table: FakeTable) -> list[str]:
        loaded(table)
        table.write(ROOT + "notes.txt", ())
        some = last(table, "2020-11-15")
        table.shift = timedelta(hours=1)
        some += last(table, "2020-11-16")
        table.listing_problem = "no such bucket"
        some += last(table, "2020-11-16")
        table.shift, table.listing_problem = timedelta(), None
        table.path = "s3://dms/elsewhere/"
        return some + last(table, "2020-11-16")

    def copied(table: FakeTable) -> list[str]:
        loaded(table)
        table.touch(ROOT + FIRST)
        return last(table, "2020-11-15")

    def before_load(table: FakeTable) -> list[str]:
        table.write_load((1, "Ann"))
        write_day(table, 13, at=written(13, 10, 1))
        return last(table, "2020-11-13")

    def partly(table: FakeTable) -> list[str]:
        table.write_load((1, "Ann"))
        write_day(table, 13)
        table.run("2020-11-13")
        table.write_load((2, "Bo"), name=SECOND, broken=True)
        table.fail("2020-11-14")
        table.write_load((1, "Ann"))
        table.write_load((2, "Bo"), name=SECOND)
        return last(table, "2020-11-14")

    def empty(table: FakeTable) -> list[str]:
        return last(table, "2020-11-13")

    def waiting(table: FakeTable) -> list[str]:
        if table.facts["on_missing_files"] == "fail":
            return []
        table.run("2020-11-13")
        table.write_load((1, "Ann"))
        table.run("2020-11-14")
        table.roll_back(1)
        write_day(table, 15)
        some = last(table, "2020-11-15")
        table.write_load((2, "Bo"), name=SECOND)
        return some + last(table, "2020-11-15")

    def lost_index(table: FakeTable) -> list[str]:
        loaded(table)
        table.write_load((2, "Bo"))
        table.run("2020-11-15")
        table.events.clear()
        return last(table, "2020-11-16")

    def formats(table: FakeTable) -> list[str]:
        table.facts["on_missing_files"] = "warn"
        loaded(table)
        table.write(ROOT + "LOAD00000001.csv", ())
        table.write(f"{ROOT}{change_name(14)}.csv", ())
        some = last(table, "2020-11-15")
        table.facts["file_format"] = "parquet"
        some += last(table, "2020-11-15")
        later = table.write(f"{ROOT}{change_name(16)}.csv", ())
        some += last(table, "2020-11-16")
        table.facts["file_format"] = "auto"
        some += last(table, "2020-11-16")
        table.remove(ROOT + "LOAD00000001.csv", f"{ROOT}{change_name(14)}.csv")
        some += last(table, "2020-11-16")
        table.facts["file_format"] = "parquet"
        some += last(table, "2020-11-16", full_refresh=True)
        table.remove(later)
        table.allows_missing = True
        return some + last(table, "2020-11-16", full_refresh=True)

    for scene in (
        missing, skipped, partial, excluded, replaced_upload, listing, copied, before_load, partly,
        empty, waiting, lost_index, formats,
    ):  # fmt: skip
        play(scene)
    return sorted({one for one in said if one and not one.startswith(("not as", "broken"))})


MESSAGES = each_message()


def test_all_messages_are_among_those_that_are_looked_at() -> None:
    texts = "\n".join(MESSAGES)
    for part in (
        MISSING, LOST, SKIPPED, CAME_AGAIN, UPLOADED_AGAIN, BEFORE_LOAD, UNCHANGED, PARTLY,
        "None is left", "cannot be listed", "file_timezone", "rows of dms_files", "are not read",
        "there are no files", "not below it", "its full load is newer", "not its first one",
        "is excluded, because it was rolled back", "without these files of their full load",
        "uploads that were rolled back", "include those rolled back again", "have one name",
        "the newest file has another one", "files of another one are not read", "has rows of files",
        "files to be read are no longer there",
    ):  # fmt: skip
        assert part in texts, part


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_is_short_and_has_a_way_out(message: str) -> None:
    assert message.startswith("hr.people: ")
    assert not _OLD_WORDS.search(message)
    unnumbered = re.sub(r" \[E\d{3}\]$", "", message)
    text = re.sub(r"s3://\S+", "path", _COMMANDS.sub("command", unnumbered))
    # Of a list one entry counts.
    text = re.sub(r"(path (?:and|or) path)(?: path and path)+", r"\1", text)
    assert len(text.split()) <= 45
    way_out = ("command", "DMS", "upload it")
    assert any(part in text for part in way_out)


# --------------------------------------------------------------- random streams


@pytest.mark.parametrize("seed", range(40))
def test_what_runs_publish_is_what_a_plain_replay_gives(seed: int) -> None:
    """Files that come in time or late, again or broken, and full loads, over dates."""
    dice = random.Random(seed)
    people = FakeTable()
    # Of each change file that DMS has written: its place, rows and the full load before it.
    written_files: dict[str, tuple[int, tuple[Row, ...]]] = {}
    load_number = 0
    loaded: dict[str, tuple[Row, ...]] = {}

    def rows_of(keys: int) -> tuple[Row, ...]:
        ops = [dice.choice("IUUD") for _ in range(keys)]
        return tuple((op, dice.randint(1, 6), f"{dice.random():.4f}") for op in ops)

    def reload() -> None:
        nonlocal load_number
        load_number += 1
        for number in (1, 2):
            rows = tuple((key, f"{dice.random():.4f}") for key in range(number, 7, 2))
            path = people.write_load(*rows, name=f"LOAD0000000{number}.parquet")
            loaded[path] = rows

    reload()
    day = 10
    for _ in range(9):
        day += dice.choice([0, 1, 1, 2])
        for _ in range(dice.randint(0, 4)):
            name = change_name(dice.randint(day - 3, day + 1), dice.randint(10, 23))
            path = f"{ROOT}{name}.parquet"
            rows = rows_of(3)
            people.write_changes(name, *rows)
            is_known = any(event.path == path for event in people.events)
            number = written_files[path][0] if is_known else load_number
            written_files[path] = (number, rows)
        if people.versions and dice.random() < 0.25:
            reload()
        if dice.random() < 0.3:
            people.index(f"2020-11-{min(day + dice.randint(0, 1), 30)}")
        ran = people.run(f"2020-11-{day}", full_refresh=dice.random() < 0.15)
        assert ran.plan.generation == load_number
        state = {row[0]: row for rows in loaded.values() for row in rows}
        for path, (number, rows) in sorted(written_files.items()):
            if number != load_number or people.is_waiting(path, f"2020-11-{day}"):
                continue
            for op, key, name in rows:
                state.pop(key, None)
                if op != "D":
                    state[key] = (key, name)
        assert people.dates[f"2020-11-{day}"] == sorted(state.values()), (seed, day)
        assert people.run(f"2020-11-{day}").plan.action == "none"


@pytest.mark.parametrize("seed", range(20))
def test_rollbacks_between_runs_leave_out_what_they_undo_and_nothing_else(seed: int) -> None:
    dice = random.Random(seed)
    people = FakeTable()
    people.write_load((0, "loaded"))
    people.run("2020-11-10")
    undone: dict[int, int] = {}  # version -> day
    there: set[int] = set()
    for day in range(11, 29, 2):
        write_day(people, day, ("I", day, "new"))
        people.run(f"2020-11-{day}")
        there.add(day)
        what, newest = dice.random(), people.versions[-1]
        if what < 0.4 and newest.base_version:
            people.roll_back(newest.base_version)
            undone[newest.version] = day
            there.discard(day)
        elif what < 0.7 and undone:
            number = dice.choice(sorted(undone))
            people.include_again(number)
            there.add(undone.pop(number))
            people.run(f"2020-11-{day + 1}")
        assert [key for key, _ in people.rows] == sorted({0, *there}), (seed, day)


def test_a_hundred_thousand_known_files_cost_little() -> None:
    start, indexed_at = datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 6, 1, tzinfo=UTC)
    moments = [start + timedelta(seconds=number) for number in range(100_000)]
    events = [
        ObjectEvent(f"{ROOT}{at:%Y%m%d-%H%M%S}.parquet", "cdc", at, 1, "e", at, 1, place, None,
                    indexed_at)
        for place, at in enumerate(moments)
    ]  # fmt: skip
    current = Version(3, date(2020, 6, 1), date(2020, 6, 1), 1, 7, 2, 5, indexed_at, indexed_at,
                   frozenset())  # fmt: skip
    facts = TableFacts(
        "hr.people", ROOT, None, None, "warn", False, RUN_COMMAND, REBUILD_COMMAND,
        current, current, frozenset(), frozenset(), {},
    )  # fmt: skip
    run = Run(date(2020, 6, 2), datetime(2020, 6, 2, tzinfo=UTC))
    began = process_time()
    assert plan_files(events, facts, run).action == "none"
    assert process_time() - began < 1
