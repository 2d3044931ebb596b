"""Stray files: a name of DMS in a second format, and files that are gone before a run took them."""

import random
from datetime import UTC, datetime

import pytest

from pyspark_dms.landing.strays import (
    NOT_READ,
    READ,
    REFUSED,
    by_stem,
    format_of,
    is_other_format,
    judge_format,
    stem,
    way_out,
    why_not_missed,
)
from tests.landing.fake_table import ROOT, TRANSACTIONS, FakeTable

LOAD_CSV, LOAD_PARQUET = f"{ROOT}LOAD00000001.csv", f"{ROOT}LOAD00000001.parquet"
CHANGES = f"{ROOT}20201114-100000000"
EARLY, LATE = datetime(2020, 11, 13, 10, tzinfo=UTC), datetime(2020, 11, 14, 10, tzinfo=UTC)
ONE_NAME = "two files have one name: "
UNNEEDED = "files to be read are no longer there"
NOT_OF_FORMAT = "files of another one are not read"


# ------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("path", "format_", "own"),
    [
        ("a/LOAD00000001.parquet", "parquet", "a/load00000001"),
        ("a/LOAD00000001.CSV.gz", "csv", "a/load00000001"),
        ("A/20201114-100000000.csv", "csv", "A/20201114-100000000"),
        ("LOAD1.csv", "csv", "/load1"),
        ("a/data.json", None, "a/data.json"),
    ],
)
def test_a_name_without_its_ending_is_a_stem(path: str, format_: str | None, own: str) -> None:
    assert (format_of(path), stem(path)) == (format_, own)


def test_twins_are_the_files_of_one_folder_and_name() -> None:
    paths = [
        "a/LOAD00000001.parquet", "a/load00000001.csv", "a/LOAD00000001.csv.gz",
        "b/LOAD00000001.csv", "A/LOAD00000001.csv", "a/LOAD00000002.csv",
    ]  # fmt: skip
    assert by_stem(paths)[stem(paths[0])] == paths[:3]
    assert by_stem(paths)[stem(paths[5])] == [paths[5]]


@pytest.mark.parametrize(
    ("path", "declared", "is_other"),
    [
        (LOAD_CSV, "auto", False),
        (LOAD_CSV, "parquet", True),
        (LOAD_CSV, "csv", False),
        (LOAD_PARQUET, "csv", True),
        (f"{CHANGES}.csv.gz", "parquet", True),
        (f"{ROOT}data.csv", "parquet", False),
        (f"{TRANSACTIONS}CDC_TXN-20201114100000000.csv", "parquet", False),
    ],
)
def test_a_file_is_of_another_format_by_its_name(path: str, declared: str, is_other: bool) -> None:
    assert is_other_format(path, declared) is is_other


@pytest.mark.parametrize(
    ("path", "declared", "others", "newest_declared", "judged"),
    [
        # of any format
        (LOAD_CSV, "auto", [], None, (READ, None)),
        (LOAD_CSV, "auto", [LOAD_PARQUET], LATE, (REFUSED, LOAD_PARQUET)),
        (LOAD_PARQUET, "auto", [LOAD_CSV], LATE, (REFUSED, LOAD_CSV)),
        # of the declared format
        (LOAD_CSV, "csv", [LOAD_PARQUET], EARLY, (READ, None)),
        (LOAD_CSV, "csv", [f"{LOAD_CSV}.gz"], EARLY, (REFUSED, f"{LOAD_CSV}.gz")),
        # of another one
        (LOAD_CSV, "parquet", [LOAD_PARQUET], EARLY, (NOT_READ, None)),
        (LOAD_CSV, "parquet", [], LATE, (NOT_READ, None)),
        (LOAD_CSV, "parquet", [], EARLY, (REFUSED, None)),
        (LOAD_CSV, "parquet", [], None, (REFUSED, None)),
    ],
)
def test_the_format_of_a_new_file_is_judged(
    path: str,
    declared: str,
    others: list[str],
    newest_declared: datetime | None,
    judged: tuple[str, str | None],
) -> None:
    moment = datetime(2020, 11, 14, 9, tzinfo=UTC)
    assert judge_format(path, moment, declared, others, newest_declared) == judged


@pytest.mark.parametrize(
    ("path", "other", "declared", "advice"),
    [
        (LOAD_CSV, LOAD_PARQUET, "auto", ["stray file", "older one", "format: parquet"]),
        (f"{CHANGES}.csv", f"{CHANGES}.parquet", "auto", ["stray file", "format: parquet"]),
        (f"{CHANGES}.csv", None, "parquet", ["format: auto", "delete it"]),
    ],
)
def test_a_refused_file_has_a_way_out(
    path: str, other: str | None, declared: str, advice: list[str]
) -> None:
    what, said = way_out(path, other, declared)
    assert path in what
    assert (other or "format is parquet") in what
    assert [part in said for part in advice] == [True] * len(advice)


def test_two_compressions_of_a_name_are_not_told_apart_by_their_format() -> None:
    assert "declare" not in way_out(LOAD_CSV, f"{LOAD_CSV}.gz", "auto")[1]


NOTHING = {
    "is_allowed": False, "is_applied": False, "was_allowed": False, "has_twin": False,
    "has_copy": False, "is_other_format": False,
}  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "is_missed"),
    [
        ([], True),
        (["is_allowed"], False),
        (["was_allowed"], False),
        (["has_twin"], False),
        (["has_copy"], False),
        (["is_other_format"], False),
        # What readers have is missed whatever else there is, but for what a person says now.
        (["is_applied", "was_allowed", "has_twin", "is_other_format"], True),
        (["is_applied", "has_copy"], False),
        (["is_applied", "is_allowed"], False),
    ],
)
def test_a_missing_file_is_missed_unless_it_plainly_was_not_of_dms(
    facts: list[str], is_missed: bool
) -> None:
    assert (why_not_missed(**{**NOTHING, **dict.fromkeys(facts, True)}) is None) is is_missed


# --------------------------------------------------------------- two files of one name


@pytest.fixture(params=[True, False], ids=["key", "no key"])
def people(request: pytest.FixtureRequest) -> FakeTable:
    """A table whose full load and first changes are published."""
    people = FakeTable(has_key=request.param)
    people.write_load((1, "Ann"), (2, "Bo"))
    people.run("2020-11-13")
    people.write(f"{CHANGES}.parquet", (("I", 3, "Cy"),))
    people.run("2020-11-14")
    return people


WHOLE = [(1, "Ann"), (2, "Bo"), (3, "Cy")]
STRAYS = [LOAD_CSV, f"{LOAD_PARQUET}.gz", f"{CHANGES}.csv", f"{CHANGES}.csv.gz"]


@pytest.mark.parametrize("path", STRAYS)
def test_a_second_file_of_a_name_fails_until_it_is_deleted(people: FakeTable, path: str) -> None:
    people.write(path, (("I", 4, "old"),))
    later = people.write(f"{ROOT}20201115-100000000.parquet", (("U", 1, "15"),))
    for _ in range(2):
        error = people.fail("2020-11-15")
        assert ONE_NAME in error
        assert path in error
        assert error.endswith(" [E215]")
    # Nothing else was indexed, so nothing is missed.
    people.remove(path)
    ran = people.run("2020-11-15")
    assert ([file.path for file in ran.plan.files], ran.said) == ([later], "")
    assert people.rows == [(1, "15"), *WHOLE[1:]]
    assert people.run("2020-11-16").said == ""


@pytest.mark.parametrize("has_key", [True, False])
def test_a_first_run_does_not_take_two_files_of_a_name(has_key: bool) -> None:
    people = FakeTable(has_key=has_key)
    people.write(LOAD_CSV, ((1, "Ann"), (2, "old"), (3, "deleted")))
    people.write_load((1, "Ann"), (2, "Bo"))
    assert f"{ONE_NAME}{LOAD_CSV} and {LOAD_PARQUET}. " in people.fail("2020-11-13")
    people.remove(LOAD_CSV)
    people.run("2020-11-13")
    assert people.rows == [(1, "Ann"), (2, "Bo")]


def test_each_second_file_is_named(people: FakeTable) -> None:
    for path in (LOAD_CSV, f"{CHANGES}.csv"):
        people.write(path, ())
    error = people.fail("2020-11-15")
    pairs = f"{CHANGES}.csv and {CHANGES}.parquet; {LOAD_CSV} and {LOAD_PARQUET}. "
    assert f"{ONE_NAME}{pairs}" in error
    assert "or, if an applied one was deleted: " in error


def test_of_very_many_second_files_the_first_are_named_and_the_others_counted() -> None:
    people = FakeTable()
    for number in range(30):
        for ending in ("csv", "parquet"):
            people.write(f"{ROOT}20201115-1000000{number:02}.{ending}", (("I", number, "x"),))
    error = people.fail("2020-11-15")
    assert error.count(".csv and ") == 20
    assert "20201115-100000019.parquet; and 10 more. " in error


@pytest.mark.parametrize("path", [LOAD_CSV, f"{CHANGES}.csv"])
def test_a_declared_format_leaves_the_second_file_alone(people: FakeTable, path: str) -> None:
    people.write(path, (("I", 4, "old"),))
    people.fail("2020-11-15")
    people.facts["file_format"] = "parquet"
    said = people.run("2020-11-15").said
    assert f"format is parquet, so {NOT_OF_FORMAT} (1): {path}. " in said
    assert "declare format: auto" in said
    assert people.rows == WHOLE
    people.remove(path)
    assert people.run("2020-11-16").said == ""


def test_csv_as_the_declared_format_leaves_parquet_alone() -> None:
    people = FakeTable(file_format="csv")
    people.write(LOAD_CSV, ((1, "Ann"),))
    people.write_load((1, "Ann"), (2, "stray"))
    assert f"({1}): {LOAD_PARQUET}. " in people.run("2020-11-13").said
    assert people.rows == [(1, "Ann")]


def test_files_left_alone_are_read_once_the_format_is_any_again(people: FakeTable) -> None:
    people.facts["file_format"] = "parquet"
    stray = people.write(f"{ROOT}20201113-120000000.csv", (("I", 4, "Di"),), at=EARLY)
    assert stray in people.run("2020-11-15").said
    people.facts["file_format"] = "auto"
    people.run("2020-11-16")
    assert people.rows == [*WHOLE, (4, "Di")]


def test_a_newer_file_of_another_format_than_declared_is_not_passed_over(
    people: FakeTable,
) -> None:
    people.facts["file_format"] = "parquet"
    # The task goes on in CSV: DataFormat was changed.
    path = people.write(f"{ROOT}20201115-100000000.csv", (("I", 4, "Di"),))
    error = people.fail("2020-11-15")
    assert f"format is parquet, and the newest file has another one: {path}. " in error
    assert "declare format: auto" in error
    assert people.rows == WHOLE
    removed = people.remove(path)
    assert people.run("2020-11-15").said == ""
    people.put_back(removed)
    people.facts["file_format"] = "auto"
    people.run("2020-11-16")
    assert people.rows == [*WHOLE, (4, "Di")]


# ------------------------------------------------------- a task that changed its format


def csv_then_parquet(**facts: object) -> FakeTable:
    people = FakeTable(**facts)
    people.write(LOAD_CSV, ((1, "Ann"), (2, "Bo")))
    people.write(f"{CHANGES}.csv", (("I", 3, "Cy"),))
    people.run("2020-11-14")
    people.write(f"{ROOT}20201115-100000000.parquet", (("U", 1, "15"),))
    people.run("2020-11-15")
    return people


def test_changes_in_another_format_than_those_before_are_taken() -> None:
    people = csv_then_parquet()
    assert people.rows == [(1, "15"), (2, "Bo"), (3, "Cy")]
    assert people.run("2020-11-16").said == ""


def test_files_that_were_applied_are_not_missed_in_a_later_format() -> None:
    people = csv_then_parquet(on_missing_files="fail")
    people.facts["file_format"] = "parquet"
    for run_date in ("2020-11-16", "2020-11-17"):
        assert people.run(run_date).said == ""
    people.write(f"{ROOT}20201118-100000000.parquet", (("U", 1, "18"),))
    assert len(people.run("2020-11-18").plan.files) == 1
    assert people.rows == [(1, "18"), (2, "Bo"), (3, "Cy")]


@pytest.mark.parametrize("full_refresh", [True, False])
def test_rows_of_files_of_another_format_do_not_go_without_a_word(full_refresh: bool) -> None:
    people = csv_then_parquet()
    people.facts["file_format"] = "csv"
    # The date is run again, as its declaration has changed, or all is built again.
    people.write(f"{ROOT}20201115-090000000.csv", (("U", 2, "15"),), at=EARLY)
    error = people.fail("2020-11-15", full_refresh=full_refresh)
    assert "format is csv, and version 2 has rows of files of another one (1)" in error
    assert error.endswith(" [E215]")
    people.facts["file_format"] = "auto"
    people.run("2020-11-15", full_refresh=full_refresh)
    assert people.rows == [(1, "15"), (2, "15"), (3, "Cy")]


@pytest.mark.parametrize("way", ["delete the older one", "declare the format"])
def test_a_reload_in_another_format_replaces_the_rows_once_a_person_says_so(way: str) -> None:
    people = FakeTable()
    people.write(LOAD_CSV, ((1, "Ann"), (2, "deleted later")))
    people.run("2020-11-13")
    people.write(f"{CHANGES}.csv", (("U", 1, "before"),))
    people.run("2020-11-14")
    people.write_load((1, "reloaded"))
    people.write(f"{ROOT}20201115-100000000.parquet", (("I", 4, "after"),))
    assert f"{ONE_NAME}{LOAD_CSV} and {LOAD_PARQUET}. " in people.fail("2020-11-15")
    people.write(f"{ROOT}20201115-110000000.parquet", (("I", 5, "after"),))
    assert "the older one" in people.fail("2020-11-15")
    if way == "declare the format":
        people.facts["file_format"] = "parquet"
    else:
        people.remove(LOAD_CSV)
    people.run("2020-11-15")
    assert people.rows == [(1, "reloaded"), (4, "after"), (5, "after")]
    assert people.run("2020-11-16").plan.action == "none"


def test_a_touched_file_of_another_format_begins_no_full_load() -> None:
    people = csv_then_parquet(file_format="auto")
    people.facts["file_format"] = "parquet"
    people.write(LOAD_CSV, ((9, "edited"),), at=EARLY)
    assert LOAD_CSV in people.run("2020-11-16").said
    people.write(f"{ROOT}20201117-100000000.parquet", (("U", 1, "17"),))
    plan = people.run("2020-11-17").plan
    assert (plan.action, plan.generation) == ("merge", 1)
    assert people.rows == [(1, "17"), (2, "Bo"), (3, "Cy")]


# --------------------------------------------------------- files that are gone again


def test_a_stray_file_that_came_before_its_twin_may_go(people: FakeTable) -> None:
    stray = people.write(f"{ROOT}20201115-100000000.csv", None)
    assert "broken" in people.fail("2020-11-15")
    people.remove(stray)
    people.write(f"{ROOT}20201115-100000000.parquet", (("U", 1, "15"),))
    said = people.run("2020-11-15").said
    assert f"{UNNEEDED} (1): {stray}. They are ignored, because another file has their name" in said
    assert people.rows == [(1, "15"), *WHOLE[1:]]
    assert people.run("2020-11-16").said == ""


@pytest.mark.parametrize("on_missing_files", ["warn", "fail"])
def test_a_stray_file_that_is_gone_is_not_reported_as_one_that_was_applied(
    on_missing_files: str,
) -> None:
    people = FakeTable(on_missing_files=on_missing_files)
    people.write_load((1, "Ann"))
    applied = people.write(f"{CHANGES}.parquet", (("U", 1, "14"),))
    people.run("2020-11-14")
    stray = people.write(f"{ROOT}20201115-100000000.csv", None)
    people.fail("2020-11-15")
    people.remove(stray)
    people.write(f"{ROOT}20201115-100000000.parquet", (("U", 1, "15"),))
    assert "files that were applied" not in people.run("2020-11-15").said
    assert people.run("2020-11-16").said == ""
    # Nor does it hide that another one is missing.
    people.remove(applied)
    ran = people.try_run("2020-11-17")
    assert f"files that were applied are missing (1): {applied}. " in (ran.error or ran.said)


@pytest.mark.parametrize("on_missing_files", ["warn", "fail"])
def test_a_file_that_is_allowed_to_be_missing_is_not_reported_as_one_that_was_applied(
    on_missing_files: str,
) -> None:
    people = FakeTable(on_missing_files=on_missing_files)
    people.write_load((1, "Ann"))
    people.run("2020-11-14")
    stray = people.write(f"{ROOT}20201115-100000000.parquet", None)
    people.fail("2020-11-15")
    people.remove(stray)
    people.allows_missing = True
    assert "files that were applied" not in people.run("2020-11-15").said
    people.allows_missing = False
    for run_date in ("2020-11-16", "2020-11-17", "2020-11-18"):
        assert people.run(run_date).said == ""


def test_a_stray_file_that_is_put_back_beside_its_twin_fails_the_table(people: FakeTable) -> None:
    stray = people.write(f"{ROOT}20201115-100000000.csv", (("U", 1, "stray"),))
    people.index("2020-11-15")
    removed = people.remove(stray)
    people.write(f"{ROOT}20201115-100000000.parquet", (("U", 1, "15"),))
    people.run("2020-11-15")
    people.put_back(removed)
    assert ONE_NAME in people.fail("2020-11-16")
    people.remove(stray)
    people.run("2020-11-16")
    assert people.rows == [(1, "15"), *WHOLE[1:]]


def test_a_file_that_was_moved_before_it_was_taken_is_not_missed() -> None:
    people = FakeTable()
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    path = people.write(f"{CHANGES}.parquet", (("U", 1, "14"),))
    people.index("2020-11-14")
    people.move(path, f"{ROOT}2020/11/14/20201114-100000000.parquet")
    assert "another file has their name and content" in people.run("2020-11-14").said
    assert people.rows == [(1, "14")]


def test_an_unreadable_file_of_another_format_may_go_once_the_format_is_declared(
    people: FakeTable,
) -> None:
    stray = people.write(f"{ROOT}20201115-100000000.csv", None)
    people.fail("2020-11-15")
    people.facts["file_format"] = "parquet"
    assert f"{NOT_OF_FORMAT} (1): {stray}. " in people.run("2020-11-15").said
    people.remove(stray)
    people.run("2020-11-16")
    assert people.run("2020-11-17").said == ""
    assert people.rows == WHOLE


def test_a_missing_file_is_ignored_for_good_once_a_person_has_said_so(people: FakeTable) -> None:
    stray = people.write(f"{ROOT}20201115-100000000.parquet", None)
    people.fail("2020-11-15")
    people.remove(stray)
    error = people.fail("2020-11-15")
    assert "--vars '{allow_missing_files: [hr.people]}' [E204]" in error
    people.allows_missing = True
    said = people.run("2020-11-15").said
    assert f"{UNNEEDED} (1): {stray}. They are ignored, as allow_missing_files says" in said
    people.allows_missing = False
    for run_date in ("2020-11-15", "2020-11-16"):
        assert people.run(run_date).said == ""
    people.write(f"{ROOT}20201117-100000000.parquet", (("U", 1, "17"),))
    people.run("2020-11-17")
    people.run("2020-11-17", full_refresh=True)
    assert people.rows == [(1, "17"), *WHOLE[1:]]
    # What comes under that name later is taken.
    people.write(stray, (("U", 2, "15"),))
    people.run("2020-11-18")
    assert people.rows == [(1, "17"), (2, "15"), (3, "Cy")]


def test_what_was_applied_is_missed_by_a_full_refresh_though_others_were_ignored(
    people: FakeTable,
) -> None:
    people.remove(f"{CHANGES}.parquet")
    people.allows_missing = True
    people.run("2020-11-15")
    people.allows_missing = False
    assert f"(1): {CHANGES}.parquet. " in people.fail("2020-11-15", full_refresh=True)
    # Said for that very run, its rows go.
    people.allows_missing = True
    people.run("2020-11-15", full_refresh=True)
    assert people.rows == WHOLE[:2]
    people.allows_missing = False
    people.run("2020-11-16", full_refresh=True)


def test_archived_files_are_not_reported_again_when_others_are_ignored(people: FakeTable) -> None:
    people.remove(f"{CHANGES}.parquet")
    assert "files that were applied are missing" in people.run("2020-11-15").said
    people.run("2020-11-16")
    people.allows_missing = True
    assert people.run("2020-11-17").said == ""


def test_a_full_load_that_is_gone_as_a_whole_cannot_be_ignored() -> None:
    people = FakeTable()
    people.write_load((1, "Ann"))
    people.run("2020-11-13")
    people.write_load((1, "reloaded"), broken=True)
    people.fail("2020-11-14")
    people.remove(LOAD_PARQUET)
    people.allows_missing = True
    error = people.fail("2020-11-14")
    assert error.endswith("[E204]")
    assert "allow_missing_files" not in error
    people.write_load((1, "reloaded"))
    people.run("2020-11-14")
    assert people.rows == [(1, "reloaded")]


# ------------------------------------------------------- uploads that no version took


def test_an_upload_between_two_others_that_no_version_took_is_ignored(people: FakeTable) -> None:
    people.write(f"{CHANGES}.parquet", (("I", 3, "second"),))
    people.index("2020-11-15")
    people.write(f"{CHANGES}.parquet", (("I", 3, "third"),))
    people.run("2020-11-15")
    people.roll_back(2)
    ran = people.run("2020-11-16")
    assert (ran.plan.action, ran.said, people.rows) == ("none", "", WHOLE)
    people.write(f"{ROOT}20201117-100000000.parquet", (("U", 1, "17"),))
    people.run("2020-11-17")
    assert people.rows == [(1, "17"), *WHOLE[1:]]


@pytest.mark.parametrize("content", ["Cy", "corrected"])
def test_an_upload_takes_the_place_of_one_that_was_rolled_back(
    people: FakeTable, content: str
) -> None:
    people.write(f"{CHANGES}.parquet", (("I", 3, "bad"),))
    people.run("2020-11-15")
    people.roll_back(2)
    # The state was built from the first upload, and a full refresh would have to read it.
    error = people.fail("2020-11-16", full_refresh=True)
    for part in ("Upload these files again", "as they were or as they should be", "reapply"):
        assert part in error
    people.write(f"{CHANGES}.parquet", (("I", 3, content),))
    people.run("2020-11-16", full_refresh=True)
    assert people.rows == [*WHOLE[:2], (3, content)]


def test_an_upload_that_is_gone_leaves_the_changes_of_the_one_before(people: FakeTable) -> None:
    people.write(f"{CHANGES}.parquet", (("I", 3, "second"),))
    people.index("2020-11-15")
    people.remove(f"{CHANGES}.parquet")
    assert "files that were applied are missing (1)" in people.run("2020-11-15").said
    assert people.rows == WHOLE
    assert people.fail("2020-11-16", full_refresh=True).endswith("[E204]")


def test_of_two_uploads_that_no_version_took_the_last_is_missed(people: FakeTable) -> None:
    path = f"{ROOT}20201115-100000000.parquet"
    for content in ("first", "second"):
        people.write(path, (("U", 1, content),))
        people.index("2020-11-15")
    people.remove(path)
    assert people.fail("2020-11-15").endswith("[E204]")


# --------------------------------------------------------------------- without a key


def test_a_table_without_a_key_takes_no_copy_in_another_format_and_folder() -> None:
    people = FakeTable(has_key=False)
    people.write_load((1, "Ann"))
    people.write(f"{CHANGES}.parquet", (("I", 2, "Bo"),))
    people.run("2020-11-14")
    copy = people.write(f"{ROOT}2020/20201114-100000000.csv", (("I", 2, "Bo"),))
    error = people.fail("2020-11-15")
    assert error.endswith("[E214]")
    assert copy in error
    people.remove(copy)
    assert people.run("2020-11-15").plan.action == "none"
    assert people.run("2020-11-16").said == ""


# --------------------------------------------------------------------- random streams


@pytest.mark.parametrize("seed", range(40))
def test_stray_files_that_come_and_go_leave_the_rows_as_they_would_be_without_them(
    seed: int,
) -> None:
    """Two tables with the same files; somebody also writes into the folder of one, and deletes."""
    dice = random.Random(seed)
    facts = {
        "has_key": dice.random() < 0.5,
        "file_format": dice.choice(["auto", "parquet"]),
        "on_missing_files": dice.choice(["warn", "fail"]),
    }
    people, plain = FakeTable(**facts), FakeTable(**facts)
    for table in (people, plain):
        table.write_load((1, "Ann"), (2, "Bo"))
        table.run("2020-11-13")
    for number in range(14, 20):
        run_date = f"2020-11-{number}"
        path = f"{ROOT}202011{number}-{dice.randrange(10, 20)}0000000.parquet"
        if dice.random() < 0.7:
            rows = ((dice.choice("IUD"), dice.randrange(5), f"{number}"),)
            for table in (people, plain):
                table.write(path, rows)
        if dice.random() < 0.2:
            for table in (people, plain):
                table.write_load((1, f"{number}"), (3, f"{number}"))
        stray = dice.choice(
            [
                dice.choice([*people.files]).replace(".parquet", ".csv"),
                dice.choice([*people.files]) + ".gz",
                f"{ROOT}202011{number}-050000000.csv",
                f"{ROOT}202011{number}-060000000.parquet",
            ]
        )
        people.write(stray, None)
        people.try_run(run_date)
        people.remove(stray)
        ran = people.try_run(run_date)
        assert "files that were applied" not in ran.said
        if ran.error:
            assert ran.error.endswith(" [E204]")
            assert f"(1): {stray}. " in ran.error
            people.allows_missing = True
            people.run(run_date)
            people.allows_missing = False
        plain.run(run_date)
        assert people.rows == plain.rows
        assert people.versions[-1].generation == plain.versions[-1].generation
