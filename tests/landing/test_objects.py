"""What an object of the landing area is now: new, missing, restored, and its place among others."""

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from time import process_time
from typing import Any

import pytest

from pyspark_dms.landing.events import (
    ListedFolder,
    ListedObject,
    ObjectEvent,
    Run,
    content_tag,
    end_of,
)
from pyspark_dms.landing.file_names import classify
from pyspark_dms.landing.full_loads import begins_a_load, load_place
from pyspark_dms.landing.objects import decide
from tests.landing.fake_table import ROOT, TRANSACTIONS, FakeTable

DAY = "2020-11-14"
FIRST, SECOND = "LOAD00000001.parquet", "LOAD00000002.parquet"
CHANGES = "20201114-100000000"


@pytest.fixture
def people() -> FakeTable:
    return FakeTable()


def as_tuples(events: list[ObjectEvent]) -> list[tuple[str, str, int | None, int | None]]:
    """Name, kind, load generation and place of events."""
    return [
        (event.path.removeprefix(ROOT), event.kind, event.generation, event.file_seq)
        for event in events
    ]


def moment(name: str) -> int:
    """The place that the name of a change file gives it."""
    order = classify(f"{name}.parquet").name_order
    assert order is not None
    return order


# ----------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("path", "begins"),
    [
        ("a/LOAD00000001.parquet", True),
        ("a/LOAD1.csv", True),
        ("a/load00000001.csv.gz", True),
        ("a/SEGMENT1_LOAD00000001.parquet", True),
        ("a/LOAD00000002.parquet", False),
        ("a/LOAD00000010.parquet", False),
        ("a/LOAD00000011.parquet", False),
        ("a/LOAD0000001A.parquet", False),
        ("LOAD00000001.parquet/20201114-100000000.parquet", False),
        ("a/20201114-100000000.parquet", False),
    ],
)
def test_a_full_load_begins_with_the_counter_1(path: str, begins: bool) -> None:
    assert begins_a_load(path) is begins


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("a/LOAD00000001.parquet", "a/"),
        ("a/LOAD0000000A.csv.gz", "a/"),
        ("a/load00000001.csv", "a/"),
        ("a/north/LOAD00000001.parquet", "a/north/"),
        ("a/SEGMENT1_LOAD00000001.parquet", "a/SEGMENT1_"),
        ("a/20201114-100000000.parquet", "a/20201114-100000000.parquet"),
    ],
)
def test_each_folder_and_segment_has_a_first_file_of_its_own(path: str, place: str) -> None:
    assert load_place(path) == place


@pytest.mark.parametrize(("etag", "tag"), [("a", "a"), ("a#2", "a"), ("a#13", "a"), (None, None)])
def test_the_tag_of_the_store_is_found_in_that_of_an_event(
    etag: str | None, tag: str | None
) -> None:
    assert content_tag(etag) == tag


def test_the_names_of_runs_sort_by_time() -> None:
    start = datetime(2020, 11, 13, 6, tzinfo=UTC)
    names = [
        Run(date(2020, 11, 13), start + timedelta(microseconds=step)).name
        for step in (0, 1, 999_999, 1_000_000, 86_400_000_000)
    ]
    assert names[0] == "20201113T060000000000Z"
    assert names == sorted(set(names))


def test_a_day_ends_in_utc() -> None:
    assert end_of(date(2020, 12, 31)) == datetime(2021, 1, 1, tzinfo=UTC)


# --------------------------------------------------------------------- what is new


def test_what_a_name_says_becomes_an_event(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.write_changes(CHANGES, ("U", 1, "Anna"))
    people.write(ROOT + "notes.txt", ())
    events = people.index(DAY)
    assert as_tuples(events) == [
        (f"{CHANGES}.parquet", "cdc", 1, moment(CHANGES)),
        (FIRST, "load", 1, 1),
        ("notes.txt", "unknown", None, None),
    ]
    assert {event.indexed_at for event in events} == {people.now}
    assert {event.size for event in events} == {10}
    assert events[0].file_time == datetime(2020, 11, 14, 10, tzinfo=UTC)
    assert people.index(DAY) == []


@pytest.mark.parametrize(
    ("name", "run_date", "is_taken"),
    [
        ("20201114-000000000", DAY, True),
        ("20201114-235959999999", DAY, True),
        ("20201115-000000000", DAY, False),
        ("20201115-000000000", "2020-11-15", True),
        ("20201113-100000000", DAY, True),
    ],
)
def test_change_files_after_the_date_of_the_run_wait(
    people: FakeTable, name: str, run_date: str, is_taken: bool
) -> None:
    people.write_changes(name)
    assert len(people.index(run_date)) == int(is_taken)
    assert len(people.index("2020-11-16")) == int(not is_taken)


def test_a_full_load_is_new_whatever_the_date(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    assert as_tuples(people.index("2000-01-01")) == [(FIRST, "load", 1, 1)]


@pytest.mark.parametrize("kind", ["cdc", "unknown", "load"])
def test_other_content_is_a_new_upload(people: FakeTable, kind: str) -> None:
    name = {"cdc": f"{CHANGES}.parquet", "unknown": "notes.txt", "load": FIRST}[kind]
    people.write(ROOT + name, ((1, "a"),))
    (before,) = people.index(DAY)
    people.write(ROOT + name, ((1, "b"),))
    (event,) = people.index(DAY)
    assert (event.kind, event.etag) == (kind, people.files[ROOT + name].etag)
    assert event.generation == before.generation


def test_content_that_comes_to_its_path_again_is_counted(people: FakeTable) -> None:
    path = people.write_changes(CHANGES, ("U", 1, "a"))
    tags = []
    for content in "abacab":
        people.write_changes(CHANGES, ("U", 1, content))
        tags += [event.etag for event in people.index(DAY)]
    a, b, c = (tag for tag in tags if tag and "#" not in tag)
    assert tags == [a, b, f"{a}#2", c, f"{a}#3", f"{b}#2"]
    assert people.last_event(path).file_seq == moment(CHANGES)


@pytest.mark.parametrize(
    ("name", "is_news"), [(f"{CHANGES}.parquet", False), ("notes.txt", False), (FIRST, True)]
)
def test_only_a_full_load_counts_when_it_is_written_again_as_it_was(
    people: FakeTable, name: str, is_news: bool
) -> None:
    path = people.write(ROOT + name, ((1, "Ann"),))
    people.index(DAY)
    people.touch(path)
    events = people.index(DAY)
    assert bool(events) is is_news
    if is_news:
        assert events[0].etag == f"{people.files[path].etag}#2"
    assert people.index(DAY) == []


def test_an_object_without_a_tag_is_taken_for_new_each_time() -> None:
    listed = ListedObject(ROOT + FIRST, "load", None, None, 1, 1, None, None)
    folder = ListedFolder(ROOT, None, 1, None)
    run = Run(date(2020, 11, 14), datetime(2020, 11, 14, tzinfo=UTC))
    known = decide([], [listed], [folder], [], [], run)
    assert [event.etag for event in known] == [None]
    changed = replace(listed, modified_at=datetime(2020, 11, 14, tzinfo=UTC))
    assert len(decide(known, [changed], [folder], [], [], run)) == 1


def test_below_path_a_file_of_all_tables_is_no_file(people: FakeTable) -> None:
    people.write(ROOT + "CDC_TXN-20201114100000000.csv", ())
    assert people.index(DAY)[0].kind == "unknown"


def test_a_folder_of_transactions_below_path_gives_its_files_once() -> None:
    people = FakeTable(transaction_path=ROOT + "transactions/")
    people.write(ROOT + "transactions/CDC_TXN-20201115100000000.csv", ())
    assert [event.kind for event in people.index("2020-11-14")] == ["unknown"]
    assert [event.kind for event in people.index("2020-11-15")] == ["cdc"]
    assert people.index("2020-11-15") == []


# ------------------------------------------------------------------ places in the order


def test_full_load_files_count_in_hexadecimal(people: FakeTable) -> None:
    for name in ("LOAD00000010", "LOAD00000009", "LOAD0000000A"):
        people.write_load((1, name), name=f"{name}.parquet")
    assert as_tuples(people.index(DAY)) == [
        ("LOAD00000009.parquet", "load", 1, 1),
        ("LOAD0000000A.parquet", "load", 1, 2),
        ("LOAD00000010.parquet", "load", 1, 3),
    ]


def test_more_files_of_a_full_load_go_on_where_the_others_end(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.index(DAY)
    people.write_load((2, "Bo"), name=SECOND)
    people.write_load((3, "Cy"), name="LOAD00000003.parquet")
    assert [event.file_seq for event in people.index(DAY)] == [2, 3]


def test_the_counter_of_a_full_load_file_counts_before_its_folder(people: FakeTable) -> None:
    for name in (SECOND, f"north/{FIRST}", "LOAD10.parquet", "LOAD9.parquet"):
        people.write_load((1, name), name=name)
    in_order = sorted(people.index(DAY), key=lambda event: event.file_seq or 0)
    assert [event.path.removeprefix(ROOT) for event in in_order] == [
        f"north/{FIRST}", SECOND, "LOAD9.parquet", "LOAD10.parquet",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("20201114-100000499999", "20201114-1000005"),
        ("20201114-1000009999", "20201114-100001"),
        ("20201114-100000", "20201114-100000000001"),
        ("20201113-235959", "20201114-000000"),
    ],
)
def test_the_fraction_of_a_name_may_have_any_width(
    people: FakeTable, earlier: str, later: str
) -> None:
    people.write_changes(later)
    people.write_changes(earlier)
    places = {event.path: event.file_seq or 0 for event in people.index(DAY)}
    assert places[f"{ROOT}{earlier}.parquet"] < places[f"{ROOT}{later}.parquet"]


def test_of_one_name_in_several_folders_the_first_seen_comes_first(people: FakeTable) -> None:
    for folder in ("c", "b"):
        people.write_changes(f"{folder}/{CHANGES}", ("I", 1, folder))
    people.index(DAY)
    people.write_changes(f"a/{CHANGES}", ("I", 1, "a"))
    people.index(DAY)
    people.write_changes(f"b/{CHANGES}", ("I", 1, "b again"))
    people.index(DAY)
    places = {event.path.removeprefix(ROOT)[0]: event.file_seq for event in people.events}
    assert places == {"b": moment(CHANGES), "c": moment(CHANGES) + 1, "a": moment(CHANGES) + 2}


def test_a_place_that_another_name_has_taken_is_not_given_again(people: FakeTable) -> None:
    for name in (f"a/{CHANGES}", f"b/{CHANGES}", f"{CHANGES}000001"):
        people.write_changes(name)
    people.index(DAY)
    people.write_changes(f"c/{CHANGES}000001")
    people.index(DAY)
    places = [event.file_seq for event in people.events]
    assert len(set(places)) == len(places) == 4


def test_a_late_file_has_the_place_of_its_name(people: FakeTable) -> None:
    people.write_changes("20201114-120000000")
    people.index(DAY)
    people.write_changes("20201114-110000000")
    (event,) = people.index(DAY)
    assert event.file_seq == moment("20201114-110000000")


# --------------------------------------------------------------- missing and restored


@pytest.mark.parametrize("name", [FIRST, f"{CHANGES}.parquet"])
def test_a_file_that_is_missing_and_is_put_back_is_recorded_once_each(
    people: FakeTable, name: str
) -> None:
    path = people.write(ROOT + name, ((1, "Ann"),))
    (there,) = people.index(DAY)
    removed = people.remove(path)
    (missing,) = people.index(DAY)
    assert replace(missing, kind=there.kind, indexed_at=there.indexed_at) == there
    assert people.index(DAY) == []
    people.put_back(removed)
    (restored,) = people.index(DAY)
    assert (restored.kind, restored.etag) == ("restored", there.etag)
    assert (restored.generation, restored.file_seq) == (there.generation, there.file_seq)
    assert people.index(DAY) == []
    people.remove(path)
    assert [event.kind for event in people.index(DAY)] == ["missing"]


def test_other_content_in_the_place_of_a_missing_file_is_an_upload(people: FakeTable) -> None:
    path = people.write_changes(CHANGES, ("U", 1, "a"))
    people.index(DAY)
    people.remove(path)
    people.index(DAY)
    people.write_changes(CHANGES, ("U", 1, "b"))
    assert as_tuples(people.index(DAY)) == [(f"{CHANGES}.parquet", "cdc", 1, moment(CHANGES))]


def test_an_object_that_was_never_a_file_may_go(people: FakeTable) -> None:
    path = people.write(ROOT + "notes.txt", ())
    people.index(DAY)
    people.remove(path)
    assert people.index(DAY) == []


def test_what_is_not_listed_is_not_missing(people: FakeTable) -> None:
    paths = [people.write_changes(f"202011{day}-100000000") for day in (10, 12, 14)]
    people.index(DAY)
    people.remove(*paths)
    people.listed_after = paths[1]
    assert as_tuples(people.index(DAY)) == [
        ("20201114-100000000.parquet", "missing", 1, moment("20201114-100000000"))
    ]
    people.listed_after = None
    assert len(people.index(DAY)) == 2


def test_what_is_below_no_folder_of_the_table_is_not_missing(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.index(DAY)
    people.path = "s3://dms/elsewhere/people/"
    people.write_load((1, "Ann"), name=SECOND)
    assert [event.kind for event in people.index(DAY)] == ["load"]


def test_files_of_two_folders_are_missed_in_each(people: FakeTable) -> None:
    people = FakeTable(transaction_path=TRANSACTIONS)
    paths = [
        people.write_load((1, "Ann")),
        people.write(TRANSACTIONS + "CDC_TXN-20201114100000000.csv", ()),
    ]
    assert [event.kind for event in people.index(DAY)] == ["load", "cdc"]
    for path in paths:
        people.remove(path)
        assert [(event.path, event.kind) for event in people.index(DAY)] == [(path, "missing")]


# ------------------------------------------------------------------------------ folders


def test_of_a_listing_that_broke_off_nothing_else_is_recorded() -> None:
    people = FakeTable(transaction_path=TRANSACTIONS)
    people.write_load((1, "Ann"))
    people.listing_problem = "no such bucket"
    (event,) = people.index(DAY)
    assert (event.path, event.kind) == (TRANSACTIONS, "listing_failed")
    assert event.problem == "no such bucket"
    assert len(people.index(DAY)) == 1
    people.listing_problem = None
    assert [event.kind for event in people.index(DAY)] == ["load"]


def test_each_folder_that_cannot_be_listed_is_recorded() -> None:
    folders = [ListedFolder(f"{ROOT}{name}/", None, 0, f"problem {name}") for name in "ab"]
    run = Run(date(2020, 11, 14), datetime(2020, 11, 14, tzinfo=UTC))
    events = decide([], [], folders, [], [], run)
    assert [event.problem for event in events] == ["problem a", "problem b"]


def test_change_files_of_another_time_zone_are_recorded_once_and_nothing_else(
    people: FakeTable,
) -> None:
    people.write_load((1, "Ann"))
    for hour in (10, 11):
        people.write_changes(f"20201114-{hour}3000000")
    people.index(DAY)
    people.shift = timedelta(hours=-1)
    people.write_changes("20201114-120000000")
    people.write_load((2, "Bo"), name=SECOND)
    for _ in range(2):
        (event,) = people.index(DAY)
        assert (event.path, event.kind) == (ROOT, "time_zone_changed")
        assert event.problem == (
            f"{ROOT}20201114-103000000.parquet was 2020-11-14 10:30:00 UTC"
            " and would be 2020-11-14 09:30:00 UTC"
        )
    people.shift = timedelta()
    assert [event.kind for event in people.index(DAY)] == ["cdc", "load"]


def test_a_missing_file_of_another_time_zone_is_no_problem(people: FakeTable) -> None:
    path = people.write_changes(CHANGES)
    people.index(DAY)
    people.remove(path)
    people.shift = timedelta(hours=-1)
    people.write_changes("20201114-120000000")
    assert [event.kind for event in people.index(DAY)] == ["missing", "cdc"]


def listed_twice(etag: str, first: bool = True) -> ListedObject:
    """A change file of an hour that comes twice, read as one of both times."""
    times = [datetime(2020, 11, 1, hour, 45, tzinfo=UTC) for hour in (5, 6)]
    if not first:
        times.reverse()
    order = int(times[0].timestamp()) * 10**9
    path = ROOT + "20201101-014500000.parquet"
    return ListedObject(path, "cdc", times[0], times[1], order, 1, etag, times[0])


def test_of_an_hour_that_comes_twice_a_later_upload_is_of_the_known_time() -> None:
    folder = ListedFolder(ROOT, None, 1, None)
    run = Run(date(2020, 11, 3), datetime(2020, 11, 3, tzinfo=UTC))
    known = decide([], [listed_twice("a")], [folder], [], [], run)
    assert decide(known, [listed_twice("a", first=False)], [folder], [], [], run) == []
    (event,) = decide(known, [listed_twice("b", first=False)], [folder], [], [], run)
    assert (event.kind, event.file_time) == ("cdc", known[0].file_time)
    assert event.file_seq == known[0].file_seq


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        ({}, ["empty"]),
        ({"object_count": None}, []),
        ({"listed_after": ROOT}, []),
        ({"object_count": 3}, []),
    ],
)
def test_an_empty_folder_is_recorded_if_files_are_known_elsewhere(
    people: FakeTable, change: dict[str, Any], kinds: list[str]
) -> None:
    people.write_load((1, "Ann"))
    people.index(DAY)
    folder = ListedFolder("s3://dms/elsewhere/", None, 0, None)
    run = Run(date(2020, 11, 14), people.now + timedelta(minutes=1))
    events = decide(people.events, [], [replace(folder, **change)], [], [], run)
    assert [event.kind for event in events] == kinds
    # Known are those that are there, in folders that nobody lists now.
    run = replace(run, started_at=run.started_at + timedelta(minutes=1))
    own = replace(folder, path=ROOT, **change)
    events = decide(people.events, [], [own], [], [], run)
    assert "empty" not in [event.kind for event in events]


def test_an_empty_folder_of_a_table_that_never_had_files_is_no_news(people: FakeTable) -> None:
    assert people.index(DAY) == []


# ------------------------------------------------------------------- load generations

Scene = Callable[[FakeTable], Any]


def load_first(people: FakeTable, *more: str) -> None:
    """A full load of one or more files, and changes after it, that were published."""
    people.write_load((1, "Ann"))
    for key, name in enumerate(more, start=2):
        people.write_load((key, "Bo"), name=name)
    people.write_changes("20201113-100000000", ("U", 1, "13"))
    people.run("2020-11-13")


def generations(people: FakeTable) -> dict[str, int | None]:
    """The load generation of the last event of each file."""
    found = {event.path.removeprefix(ROOT): event.generation for event in people.events}
    return {name.partition(".")[0]: generation for name, generation in found.items()}


def test_a_full_load_that_is_written_again_is_the_next_one(people: FakeTable) -> None:
    load_first(people, SECOND)
    people.write_load((1, "again"))
    assert as_tuples(people.index(DAY)) == [(FIRST, "load", 2, 1)]
    people.write_load((2, "again"), name=SECOND)
    assert as_tuples(people.index(DAY)) == [(SECOND, "load", 2, 2)]


def test_a_full_load_that_no_version_has_applied_is_written_again_as_the_same_one(
    people: FakeTable,
) -> None:
    people.write_load((1, "broken"), broken=True)
    people.write_load((2, "Bo"), name=SECOND)
    people.fail("2020-11-13")
    people.write_load((1, "Ann"))
    assert as_tuples(people.index(DAY)) == [(FIRST, "load", 1, 3)]


def test_more_files_of_a_full_load_do_not_begin_another(people: FakeTable) -> None:
    load_first(people)
    people.write_load((2, "Bo"), name=SECOND)
    assert generations(people)["LOAD00000001"] == 1
    assert [event.generation for event in people.index(DAY)] == [1]


def test_changes_before_a_reload_belong_to_what_it_replaces(people: FakeTable) -> None:
    load_first(people)
    people.write_changes("20201114-080000000")
    people.write_load((1, "reloaded"))
    people.write_changes("20201114-120000000")
    people.index(DAY)
    assert generations(people) == {
        "20201113-100000000": 1, "20201114-080000000": 1,
        "LOAD00000001": 2, "20201114-120000000": 2,
    }  # fmt: skip


def test_changes_before_a_reload_that_are_seen_later_belong_before_it(people: FakeTable) -> None:
    load_first(people)
    before = people.now
    people.write_load((1, "reloaded"))
    people.index(DAY)
    people.write_changes("20201114-080000000", at=before)
    people.write_changes("20201114-120000000")
    people.index(DAY)
    assert generations(people)["20201114-080000000"] == 1
    assert generations(people)["20201114-120000000"] == 2


def test_changes_before_the_first_full_load_belong_to_it(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.index(DAY)
    people.write_changes(CHANGES, at=datetime(2020, 11, 14, tzinfo=UTC))
    assert [event.generation for event in people.index(DAY)] == [1]


def test_changes_that_are_uploaded_again_behind_a_reload_stay_before_it(people: FakeTable) -> None:
    load_first(people)
    people.write_load((1, "reloaded"))
    people.index(DAY)
    people.write_changes("20201113-100000000", ("U", 1, "again"))
    assert [event.generation for event in people.index(DAY)] == [1]


@pytest.mark.parametrize("is_seen_together", [True, False])
def test_a_copy_of_changes_in_another_folder_stays_before_a_reload(
    people: FakeTable, is_seen_together: bool
) -> None:
    load_first(people)
    people.write_load((1, "reloaded"))
    if not is_seen_together:
        people.index(DAY)
    name = "20201113-100000000.parquet"
    people.move(ROOT + name, f"{ROOT}2020/{name}")
    people.index(DAY)
    assert people.last_event(f"{ROOT}2020/{name}").generation == 1


def test_changes_that_are_uploaded_again_beside_a_reload_elsewhere_stay_before_it(
    people: FakeTable,
) -> None:
    load_first(people)
    people.remove(ROOT + FIRST)
    people.write_load((1, "reloaded"), name=f"new/{FIRST}")
    people.write_changes("20201113-100000000", ("U", 1, "again"))
    people.index(DAY)
    assert generations(people) == {"LOAD00000001": 1, "new/LOAD00000001": 2,
                                   "20201113-100000000": 1}  # fmt: skip


def test_a_copy_of_changes_before_an_earlier_reload_does_not_go_with_the_last_one(
    people: FakeTable,
) -> None:
    load_first(people)
    people.write_load((1, "reloaded"))
    people.run("2020-11-14")
    names = (FIRST, "20201113-100000000.parquet")
    for name in names:
        people.move(ROOT + name, f"{ROOT}inner/{name}")
    people.index("2020-11-15")
    assert [people.last_event(f"{ROOT}inner/{name}").generation for name in names] == [3, 1]


def test_a_copy_of_changes_goes_with_its_full_load_where_that_has_moved_too(
    people: FakeTable,
) -> None:
    load_first(people)
    names = (FIRST, "20201113-100000000.parquet")
    for name in names:
        people.move(ROOT + name, f"{ROOT}inner/{name}")
    people.index(DAY)
    assert [people.last_event(f"{ROOT}inner/{name}").generation for name in names] == [2, 2]


@pytest.mark.parametrize(
    ("removed", "name", "generation"),
    [
        ([FIRST, SECOND], "SEGMENT1_LOAD00000001.parquet", 2),
        ([FIRST, SECOND], "new/LOAD00000001.parquet", 2),
        # It waits for its first file.
        ([FIRST, SECOND], "new/LOAD00000002.parquet", 2),
        ([FIRST, SECOND], "SEGMENT1_LOAD00000002.parquet", 2),
        # More of the same.
        ([FIRST], "SEGMENT1_LOAD00000001.parquet", 1),
        ([], "SEGMENT1_LOAD00000001.parquet", 1),
        ([FIRST, SECOND], "LOAD00000003.parquet", 1),
        ([FIRST], "LOAD00000003.parquet", 1),
    ],
)
def test_a_full_load_of_another_name_is_a_reload_if_those_before_are_missing(
    people: FakeTable, removed: list[str], name: str, generation: int
) -> None:
    load_first(people, SECOND)
    people.remove(*(ROOT + one for one in removed))
    people.write_load((3, "Cy"), name=name)
    people.index(DAY)
    assert people.last_event(ROOT + name).generation == generation


def test_a_first_file_is_a_reload_where_those_that_came_without_it_are_missing(
    people: FakeTable,
) -> None:
    people.write_load((2, "Bo"), name=SECOND)
    people.run("2020-11-13")
    people.remove(ROOT + SECOND)
    people.write_load((1, "Ann"))
    people.index(DAY)
    assert people.last_event(ROOT + FIRST).generation == 2


def test_a_load_that_was_rolled_back_is_known_by_what_is_excluded(people: FakeTable) -> None:
    people.write_load((1, "Ann"))
    people.index(DAY)
    excluded = {(event.path, event.etag or "") for event in people.events}
    people.write_load((1, "again"))
    objects, folders = people.list_folders()
    run = Run(date(2020, 11, 14), people.now)
    for given, generation in ((excluded, 2), (set(), 1)):
        (event,) = decide(people.events, objects, folders, [], given, run)
        assert event.generation == generation


def test_what_was_missing_before_may_come_again_under_another_name(people: FakeTable) -> None:
    load_first(people)
    people.remove(ROOT + FIRST)
    people.index(DAY)
    people.write_load((1, "again"), name="again/LOAD00000001.parquet")
    assert [event.generation for event in people.index(DAY)] == [2]


@pytest.mark.parametrize("is_missing", [True, False])
def test_a_full_load_that_was_rolled_back_does_not_hide_a_reload(
    people: FakeTable, is_missing: bool
) -> None:
    load_first(people)
    people.write_load((2, "Bo"), name=SECOND)
    people.run("2020-11-14")
    people.roll_back(1)
    people.remove(*(ROOT + name for name in (FIRST, SECOND)[: 1 + is_missing]))
    people.write_load((1, "reloaded"), name="SEGMENT1_LOAD00000001.parquet")
    people.index("2020-11-15")
    assert people.last_event(f"{ROOT}SEGMENT1_LOAD00000001.parquet").generation == 2


def test_where_all_was_rolled_back_it_must_be_missing_before_another_load(
    people: FakeTable,
) -> None:
    people.run("2020-11-13")
    people.write_load((1, "Ann"))
    people.run("2020-11-14")
    people.roll_back(1)
    people.write_load((2, "Bo"), name="SEGMENT1_LOAD00000001.parquet")
    assert [event.generation for event in people.index("2020-11-15")] == [1]
    people.remove(ROOT + FIRST)
    people.write_load((3, "Cy"), name="SEGMENT2_LOAD00000001.parquet")
    people.index("2020-11-15")
    assert people.last_event(f"{ROOT}SEGMENT2_LOAD00000001.parquet").generation == 2


def test_a_file_of_a_rolled_back_load_that_comes_again_begins_another(people: FakeTable) -> None:
    load_first(people)
    people.write_load((2, "Bo"), name=SECOND)
    people.run("2020-11-14")
    people.roll_back(1)
    people.write_load((2, "Bob"), name=SECOND)
    assert [event.generation for event in people.index("2020-11-15")] == [2]


@pytest.mark.parametrize("first_comes", ["together", "before", "after"])
def test_a_reload_has_the_files_that_it_writes_as_they_were_while_all_were_away(
    people: FakeTable, first_comes: str
) -> None:
    load_first(people, SECOND)
    first, second = ROOT + FIRST, ROOT + SECOND
    old = people.remove(first, second)
    people.index(DAY)
    unchanged, other = [old[0]], ((2, "reloaded"),)
    if first_comes == "before":
        people.put_back(unchanged)
        assert as_tuples(people.index(DAY)) == [(FIRST, "restored", 1, 1)]
        people.write(second, other)
        # That it is a reload is known only now.
        assert as_tuples(people.index(DAY)) == [(FIRST, "load", 2, 1), (SECOND, "load", 2, 2)]
    elif first_comes == "after":
        people.write(second, other)
        assert as_tuples(people.index(DAY)) == [(SECOND, "load", 2, 1)]
        people.put_back(unchanged)
        assert as_tuples(people.index(DAY)) == [(FIRST, "load", 2, 2)]
    else:
        people.put_back(unchanged)
        people.write(second, other)
        assert as_tuples(people.index(DAY)) == [(FIRST, "load", 2, 1), (SECOND, "load", 2, 2)]
    assert people.last_event(first).etag == f"{old[0][1].etag}#2"
    assert people.index(DAY) == []


def test_a_full_load_that_is_put_back_with_its_time_is_no_part_of_a_reload(
    people: FakeTable,
) -> None:
    load_first(people, SECOND)
    removed = people.remove(ROOT + FIRST)
    people.write_load((2, "reloaded"), name=SECOND)
    people.index(DAY)
    people.put_back(removed, later=False)
    assert as_tuples(people.index(DAY)) == [(FIRST, "restored", 1, 1)]


def test_of_a_reload_only_what_was_written_with_it_is_a_part(people: FakeTable) -> None:
    load_first(people, SECOND)
    removed = people.remove(ROOT + FIRST, ROOT + SECOND)
    people.index(DAY)
    # Put back with its time, beside a file that is written again.
    people.put_back(removed[:1], later=False)
    people.write_load((2, "reloaded"), name=SECOND)
    assert as_tuples(people.index(DAY)) == [(FIRST, "restored", 1, 1), (SECOND, "load", 2, 1)]


def test_a_load_that_was_put_back_before_a_reload_began_is_no_part_of_it(
    people: FakeTable,
) -> None:
    load_first(people, SECOND)
    (removed,) = people.remove(ROOT + FIRST)
    people.index(DAY)
    people.now += timedelta(minutes=1)
    put_back_at = people.now
    people.write_load((2, "reloaded"), name=SECOND)
    people.index(DAY)
    people.files[ROOT + FIRST] = replace(removed[1], modified_at=put_back_at)
    assert as_tuples(people.index(DAY)) == [(FIRST, "restored", 1, 1)]


def test_an_unchanged_load_that_was_put_back_long_ago_is_no_part_of_a_later_load(
    people: FakeTable,
) -> None:
    load_first(people, SECOND)
    removed = people.remove(ROOT + FIRST)
    people.index(DAY)
    people.put_back(removed)
    people.index(DAY)
    # Nothing was missing before it, so nothing says that the first file was written with it.
    people.write_load((2, "reloaded"), name=SECOND)
    assert as_tuples(people.index(DAY)) == [(SECOND, "load", 2, 1)]


def test_a_restored_load_that_is_written_again_as_it_was_is_a_reload(people: FakeTable) -> None:
    load_first(people)
    removed = people.remove(ROOT + FIRST)
    people.index(DAY)
    people.put_back(removed)
    people.index(DAY)
    people.touch(ROOT + FIRST)
    assert as_tuples(people.index(DAY)) == [(FIRST, "load", 2, 1)]


def test_changes_that_come_again_as_they_were_are_recorded_with_a_new_load(
    people: FakeTable,
) -> None:
    load_first(people)
    path = ROOT + "20201113-100000000.parquet"
    people.touch(path)
    assert people.index(DAY) == []
    people.write_load((1, "again"))
    (event,) = people.index(DAY)
    assert (event.kind, event.generation, event.problem) == ("load", 2, path)


def test_a_full_load_in_place_of_none_is_the_first_one(people: FakeTable) -> None:
    people.write_changes("20201113-100000000", ("I", 1, "13"))
    people.run("2020-11-13")
    people.write_load((1, "Ann"))
    assert as_tuples(people.index(DAY)) == [(FIRST, "load", 1, 1)]


def test_unknown_objects_have_no_generation(people: FakeTable) -> None:
    people.write(ROOT + "notes.txt", ())
    people.index(DAY)
    people.write_load((1, "Ann"))
    assert as_tuples(people.index(DAY)) == [(FIRST, "load", 1, 1)]
    people.write(ROOT + "more.txt", ())
    assert as_tuples(people.index(DAY)) == [("more.txt", "unknown", None, None)]


# ------------------------------------------------------------------ random listings


def play(people: FakeTable, dice: random.Random) -> None:
    """Do something to the files of a table."""
    names = [f"{ROOT}{f}LOAD0000000{n}.parquet" for f in ("", "n/", "SEGMENT1_") for n in (1, 2)]
    names += [
        f"{ROOT}{folder}202011{day}-{hour}0000000.parquet"
        for folder in ("", "a/") for day in (13, 14, 15) for hour in (10, 11)
    ]  # fmt: skip
    names += [f"{ROOT}notes.txt"]
    there = sorted(people.files)
    for _ in range(dice.randint(0, 4)):
        what, path = dice.random(), dice.choice(names)
        if what < 0.5:
            row = (1, dice.choice("abc"))
            people.write(path, (row if "LOAD" in path else ("U", *row),))
        elif there and what < 0.8:
            people.files.pop(dice.choice(there), None)
        elif there:
            path = dice.choice(there)
            if path in people.files:
                people.touch(path)


@pytest.mark.parametrize("seed", range(60))
def test_any_listings_leave_each_object_with_its_state_and_a_place_of_its_own(seed: int) -> None:
    dice = random.Random(seed)
    people = FakeTable()
    dates = sorted(dice.choices(["2020-11-13", "2020-11-14", "2020-11-15"], k=8))
    for run_date in dates:
        play(people, dice)
        before = list(people.events)
        events = people.index(run_date)
        assert len({event.path for event in events}) == len(events)
        assert not set(events) & set(before)
        assert people.index(run_date) == []
        check_states(people, run_date)
        check_places(people)
        if dice.random() < 0.5:
            people.try_run(run_date)


def check_states(people: FakeTable, run_date: str) -> None:
    """Each object that is there, or was, has its state."""
    for path, stored in people.files.items():
        if people.is_waiting(path, run_date) and path not in {e.path for e in people.events}:
            continue
        event = people.last_event(path)
        assert event.kind != "missing"
        assert content_tag(event.etag) == stored.etag
    for event in people.events:
        if event.path not in people.files and event.kind != "unknown":
            assert people.last_event(event.path).kind in ("missing", "unknown")


def check_places(people: FakeTable) -> None:
    """Of a generation no two files have one place, and names tell the order of changes."""
    places: dict[tuple[int | None, int | None], str] = {}
    tags = set()
    for event in people.events:
        if event.kind not in ("load", "cdc"):
            continue
        assert event.generation is not None
        assert places.setdefault((event.generation, event.file_seq), event.path) == event.path
        assert (event.path, event.etag) not in tags
        tags.add((event.path, event.etag))
    changes = {e.path: e.file_seq or 0 for e in people.events if e.kind == "cdc"}
    in_order = sorted(changes, key=lambda path: changes[path])
    assert [path[-26:] for path in in_order] == sorted(path[-26:] for path in changes)


@pytest.mark.parametrize("seed", range(12))
def test_the_order_of_a_listing_changes_nothing(seed: int) -> None:
    dice = random.Random(seed)
    people = FakeTable()
    for _ in range(3):
        play(people, dice)
        people.index("2020-11-14")
    play(people, dice)
    objects, folders = people.list_folders()
    run = Run(date(2020, 11, 15), people.now + timedelta(minutes=1))
    shuffled = dice.sample(objects, len(objects))
    one, other = (
        decide(people.events, listed, folders, [], [], run) for listed in (objects, shuffled)
    )
    assert one == other
    assert [event.path for event in one] == sorted(event.path for event in one)


def test_a_hundred_thousand_known_files_cost_little() -> None:
    start, indexed_at = datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 6, 1, tzinfo=UTC)
    events, objects = [], []
    for number in range(100_000):
        at = start + timedelta(seconds=number)
        path, etag = f"{ROOT}{at:%Y%m%d-%H%M%S}000.parquet", f"{number}"
        order = int(at.timestamp()) * 10**9
        events.append(ObjectEvent(path, "cdc", at, 1, etag, at, 1, order, None, indexed_at))
        objects.append(ListedObject(path, "cdc", at, None, order, 1, etag, at))
    folders = [ListedFolder(ROOT, None, len(objects), None)]
    run = Run(date(2020, 7, 1), datetime(2020, 7, 1, tzinfo=UTC))
    began = process_time()
    assert decide(events, objects, folders, [], [], run) == []
    assert process_time() - began < 1
    assert len(decide(events[1:], objects[:-1], folders, [], [], run)) == 2
