"""Which dates a backfill makes, and on which versions they are built."""

from dataclasses import replace
from typing import Any

import pytest

from pyspark_dms.errors import DmsError
from pyspark_dms.versions.backfills import (
    DateToMake,
    check_generations,
    check_range,
    date_to_make,
    is_date,
    missing_dates,
)
from pyspark_dms.versions.manifest import Manifest, ShownDate, StagedFolder
from pyspark_dms.versions.states import Recorded, TableState, table_state
from tests.versions.commands import backfilled
from tests.versions.made import PEOPLE, by_number, day, manifest


def staged(date: int) -> StagedFolder:
    return StagedFolder(day(date), f"stg/{date}", f"report/{date}", None, f"{date}")


# The 16th is unchanged, the 15th was filled in.
VERSIONS = (
    manifest(1, date=13, staged=(staged(13),)),
    manifest(2, on=1, date=14, dates={13: 1, 14: 2}, staged=(staged(13), staged(14))),
    manifest(
        3, on=2, date=18, dates={13: 1, 14: 2, 16: 2, 18: 3},
        staged=(staged(13), staged(14), staged(18)),
    ),
    manifest(
        4, on=2, date=15, dates={13: 1, 14: 2, 15: 4, 16: 2, 18: 3}, current_version=3,
        action="backfill", staged=(staged(13), staged(14)),
    ),
)  # fmt: skip


def state(*versions: Manifest) -> TableState:
    return table_state(
        by_number(*versions), len(versions), {one.version: Recorded() for one in versions}
    )


@pytest.mark.parametrize(
    ("first", "last", "missing"),
    [
        (11, 18, [11, 12, 17]),
        (13, 16, []),
        (17, 17, [17]),
        (12, 13, [12]),
    ],
)
def test_dates_without_a_snapshot_are_missing(first: int, last: int, missing: list[int]) -> None:
    found = missing_dates(PEOPLE, state(*VERSIONS), day(first), day(last))
    assert found == tuple(map(day, missing))


def test_a_range_may_go_over_the_end_of_a_month() -> None:
    table = state(manifest(1, run_date="2020-12-02"))
    later = replace(table, shown=replace(table.shown, dates={"2020-12-02": 1}))
    assert missing_dates(PEOPLE, later, "2020-11-29", "2020-12-02") == (
        "2020-11-29", "2020-11-30", "2020-12-01",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("wanted", "before", "built_on", "applied"),
    [
        # Built on the date before it, whatever version that shows.
        (17, 16, 2, (2, 1)),
        # A date that was filled in is built on what it is built on.
        (15, 14, 2, (2, 1)),
        # Before the first date there is nothing.
        (12, None, 1, ()),
    ],
)
def test_a_date_is_built_on_the_date_before_it(
    wanted: int, before: int | None, built_on: int, applied: tuple[int, ...]
) -> None:
    making = date_to_make(state(*VERSIONS), day(wanted))
    assert making.before == (day(before) if before else None)
    assert making.built_on.version == built_on
    assert making.applied == applied
    assert making.loaded_through == making.before


def test_a_date_may_be_built_on_one_that_was_filled_in() -> None:
    without = replace(VERSIONS[3], dates=tuple(d for d in VERSIONS[3].dates if d.version != 2))
    making = date_to_make(state(*VERSIONS[:3], without), day(16))
    assert (making.before, making.built_on.version, making.applied) == (day(15), 4, (2, 1))


def test_after_a_full_refresh_all_of_the_full_load_counts() -> None:
    refreshed = manifest(5, date=18, dates={13: 1, 14: 2, 18: 5}, staged=(staged(18),))
    making = date_to_make(state(*VERSIONS, refreshed), day(17))
    assert (making.before, making.loaded_through) == (day(14), day(18))
    assert date_to_make(state(*VERSIONS, refreshed), day(12)).loaded_through is None


def test_a_date_that_was_filled_in_leaves_the_current_state() -> None:
    table = state(VERSIONS[0], VERSIONS[1], replace(VERSIONS[2], feed_dates=VERSIONS[2].dates))
    making = date_to_make(table, day(15))
    merged = manifest(4, on=2, date=15, fingerprint="new", staged=(staged(15),))
    made = backfilled(merged, table.shown, making.built_on)
    assert (made.action, made.current_version, made.base_version) == ("backfill", 3, 2)
    assert (made.fingerprint, made.staged) == ("1", VERSIONS[1].staged)
    assert made.feed_dates == VERSIONS[2].dates
    assert made.dates == (ShownDate(day(15), 4),)


# -------------------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("2020-11-13", True),
        ("2020-02-29", True),
        ("2021-02-29", False),
        ("2020-13-01", False),
        ("2020-11-1", False),
        ("20201113", False),
        ("2020-11-13 ", False),
        ("0000-01-01", False),
        ("", False),
    ],
)
def test_a_date_is_a_day_of_the_calendar(text: str, is_one: bool) -> None:
    assert is_date(text) == is_one


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        ("soon", day(13), "from_date is soon; allowed is a date as YYYY-MM-DD."),
        (day(13), "20201114", "to_date is 20201114; allowed is a date as YYYY-MM-DD."),
        (day(14), day(13), f"from_date {day(14)} is after to_date {day(13)}."),
    ],
)
def test_a_range_that_is_none_is_said(first: str, last: str, said: str) -> None:
    check_range(day(13), day(13))
    with pytest.raises(DmsError) as raised:
        check_range(first, last)
    assert str(raised.value) == f"{said} Nothing was changed. [E412]"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            PEOPLE,
            "to_date 2020-11-19 is after the newest published date, 2020-11-18. Nothing was "
            "changed. Later dates are made by dbt run. [E412]",
        ),
        (
            replace(PEOPLE, history=False),
            "history is false, so there are no snapshots of dates. Nothing was changed. Leave it "
            "out of select. [E418]",
        ),
    ],
)
def test_dates_that_cannot_be_filled_in_are_said(table: Any, said: str) -> None:
    with pytest.raises(DmsError) as raised:
        missing_dates(table, state(*VERSIONS), day(12), day(19))
    assert str(raised.value) == f"hr.people: {said}"


# ------------------------------------------------------------------------- full loads


def loaded(on: dict[str, Any], current: dict[str, Any]) -> tuple[TableState, DateToMake]:
    versions = (manifest(1, date=13, **on), manifest(2, on=1, date=15, dates={13: 1, 15: 2},
                                                     **current))  # fmt: skip
    return state(*versions), date_to_make(state(*versions), day(14))


@pytest.mark.parametrize(
    ("on", "current", "may_lack"),
    [
        ({"generation": 1}, {"generation": 1}, False),
        ({"generation": 1}, {"generation": 2}, True),
        ({"shards": {"eu": 1, "us": 7}}, {"shards": {"eu": 1, "us": 7, "asia": 9}}, False),
        ({"shards": {"eu": 1, "us": 7}}, {"shards": {"eu": 2, "us": 7}}, True),
        ({"generation": 3}, {"generation": 1, "shards": {"eu": 1}}, True),
    ],
)
def test_files_may_lack_after_a_newer_full_load(
    on: dict[str, Any], current: dict[str, Any], may_lack: bool
) -> None:
    assert check_generations(PEOPLE, *loaded(on, current)) == may_lack


def test_a_date_of_before_the_index_was_lost_is_not_made() -> None:
    with pytest.raises(DmsError) as raised:
        check_generations(PEOPLE, *loaded({"generation": 3}, {"generation": 1}))
    assert str(raised.value) == (
        "hr.people: the snapshot of 2020-11-14 cannot be made: it would be built on version 1, "
        "which is of load generation 3, and dms_files was made again since then (now: load "
        "generation 1). Nothing was changed. Leave this date out of from_date and to_date. [E423]"
    )
