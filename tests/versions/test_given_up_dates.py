"""A date that shows a version which a person has given up since: it goes, and can be made again."""

from pathlib import Path

import pytest

from tests.versions.logged import LABEL, commit, plan, record, state
from tests.versions.made import day, manifest
from tests.versions.test_vacuum_jobs import needed, planned

SHOWING = (
    manifest(1, date=13),
    manifest(2, on=1, date=14, dates={13: 1, 14: 2}),
    manifest(3, on=1, date=15, dates={13: 1, 14: 2, 15: 3}),
)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """The newest version shows a date by version 2, which is given up."""
    commit(tmp_path, *SHOWING)
    record(tmp_path, 1, 2, 3)
    (path,) = (tmp_path / "version_log" / LABEL).glob("*-v2.json")
    path.rename(path.with_suffix(".lost"))
    return tmp_path


@pytest.mark.parametrize("days", [None, 1])
def test_vacuum_keeps_nothing_of_it(lake: Path, days: float | None) -> None:
    assert needed(planned(lake, days), "lake/people") == ["1", "3"]


def test_vacuum_takes_the_date_away_and_says_how_to_make_it_again(lake: Path) -> None:
    found = planned(lake, None)
    assert found["commit"]["dates"] == [
        {"run_date": day(13), "version": 1}, {"run_date": day(15), "version": 3},
    ]  # fmt: skip
    assert found["did"] == (
        "hr.people: readers no longer see 2020-11-14, whose version was given up. To make it "
        "again: dbt run-operation backfill"
    )
    assert found["would"] == found["did"].replace("no longer see", "would no longer see")


def test_vacuum_says_nothing_of_dates_where_none_was_given_up(tmp_path: Path) -> None:
    commit(tmp_path, *SHOWING)
    record(tmp_path, 1, 2, 3)
    found = planned(tmp_path, None)
    assert (found["would"], found["did"]) == ("", "")


def test_what_is_published_whole_leaves_the_date_out(lake: Path) -> None:
    found = state(lake, publishes=True)
    assert found["dates"] == {day(13): 1, day(15): 3}
    assert [*found["partitions"]] == ["1", "3"]
    assert found["given_up_dates"] == [day(14)]


def test_what_does_not_differ_stays_as_it_is(lake: Path) -> None:
    commit(lake, manifest(4, on=3, date=16, dates={13: 1, 14: 2, 15: 3, 16: 4}))
    found = state(lake, publishes=True, since_last=True)
    assert (found["dates"][day(14)], found["given_up_dates"]) == (2, [])


def test_backfill_makes_the_date_again(lake: Path) -> None:
    found = plan(lake, "backfill", from_date=day(13), to_date=day(15))
    assert found["dates"] == [day(14)]
    made = plan(lake, "backfill_date", date=day(14))
    assert (made["before"], made["built_on"]["version"]) == (day(13), 1)


def test_a_later_date_is_not_built_on_it(lake: Path) -> None:
    commit(lake, manifest(4, on=3, date=17, dates={13: 1, 14: 2, 17: 4}))
    record(lake, 4)
    made = plan(lake, "backfill_date", date=day(15))
    assert (made["before"], made["built_on"]["version"]) == (day(13), 1)


def test_a_rollback_goes_to_a_version_that_shows_it(lake: Path) -> None:
    commit(lake, manifest(4, date=16))
    record(lake, 4)
    # As far as it can be known; of these no folder is there.
    error = plan(lake, "rollback_to", to="3")["error"]
    assert "version 3 cannot be restored" in error


def test_rollback_to_the_date_says_why_it_cannot(lake: Path) -> None:
    error = plan(lake, "rollback_to", to=day(14))["error"]
    assert error.startswith("hr.people: to is 2020-11-14, a date whose version was given up.")
    assert error.endswith("[E413]")


def test_a_replay_leaves_the_date_alone(lake: Path) -> None:
    dates = {one["run_date"]: one["version"] for one in plan(lake, "replay")["manifest"]["dates"]}
    assert dates == {day(13): 1, day(14): 2, day(15): 4}
