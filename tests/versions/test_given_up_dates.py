"""A date that shows a version which a person has given up since: it goes, and can be made again."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.versions.logged import LABEL, ask, commit, give_up, plan, record, state
from tests.versions.made import day, manifest
from tests.versions.test_vacuum_jobs import needed, planned, publish, roots

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
    give_up(tmp_path, 2)
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


def test_without_history_vacuum_says_nothing_of_dates(lake: Path) -> None:
    table: dict[str, Any] = {
        "history": False, "days": None, "histories": [], "roots": roots(lake),
    }  # fmt: skip
    found = plan(lake, "vacuum", table=table)
    assert (found.get("error"), found["would"], found["did"]) == (None, "", "")


def test_where_no_date_counts_a_backfill_says_how_to_make_the_table_again(tmp_path: Path) -> None:
    copy = replace(manifest(3, date=14, dates={14: 2}), action="vacuum", restored_version=2)
    commit(tmp_path, manifest(1, date=13), manifest(2, on=1, date=14, dates={14: 2}), copy)
    record(tmp_path, 1, 2, 3)
    give_up(tmp_path, 2)
    said = (
        "hr.people: the snapshot of 2020-11-14 cannot be made: no other published date has a "
        "version to start from. Nothing was changed. Publish the table again, then give the "
        "command again: dbt run --full-refresh. [E423]"
    )
    asked: dict[str, Any] = {"from_date": day(14), "to_date": day(14)}
    assert plan(tmp_path, "backfill", **asked)["error"] == said
    # Vacuum takes the date away; then there is none.
    commit(tmp_path, replace(copy, version=4, current_version=4, restored_version=3, dates=()))
    record(tmp_path, 4)
    assert plan(tmp_path, "backfill", **asked)["error"] == said
    late = plan(tmp_path, "backfill", from_date=day(14), to_date=day(15))["error"]
    assert "to_date 2020-11-15 is after the newest published date, 2020-11-14" in late


def test_repair_of_the_only_date_asks_for_its_files(tmp_path: Path) -> None:
    commit(tmp_path, manifest(1, date=13))
    record(tmp_path, 1)
    error = plan(tmp_path, "backfill", dates=[day(13)])["error"]
    assert "no other published date has a version to start from. Nothing was changed." in error
    assert "Bring the files of its version back from a copy of the lake." in error


# Version 3 was built on version 2, and version 4 on version 3.
CHAIN = (
    manifest(1, date=13, applied="load"),
    manifest(2, on=1, date=14, applied="b", dates={13: 1, 14: 2}),
    manifest(3, on=2, date=15, applied="c", dates={13: 1, 14: 2, 15: 3}),
    manifest(4, on=3, date=16, applied="d", dates={13: 1, 14: 2, 15: 3, 16: 4}),
)


@pytest.mark.parametrize(
    ("count", "operation", "arguments"),
    [
        (3, "rollback", {}),
        (3, "rollback_to", {"to": "1"}),
        (4, "rollback_to", {"to": "1"}),
        (4, "history", {}),
    ],
)
def test_what_was_built_on_it_is_named_with_what_gives_it_up_too(
    tmp_path: Path, count: int, operation: str, arguments: dict[str, Any]
) -> None:
    commit(tmp_path, *CHAIN[:count])
    record(tmp_path, *range(1, count + 1))
    give_up(tmp_path, 2)
    if operation == "history":
        said = {"name": "h", "dates": [], "folders": [], "published": []}
        error = ask(tmp_path, "history", label=LABEL, **said)[LABEL]["error"]
    else:
        error = plan(tmp_path, operation, **arguments)["error"]
    folder = tmp_path / "version_log" / LABEL
    above = [3, 4][: count - 2]
    assert f"number 2 was given up ({folder}/99999997-v2.lost)" in error
    assert "Bring 99999997-v2.json back, or give up " in error
    for number in above:
        name = f"{folder}/{99_999_999 - number}-v{number}"
        assert f"mv {name}.json {name}.lost" in error
    # What it says is a way out: the version before counts, and is published again.
    give_up(tmp_path, *above)
    assert plan(tmp_path, "rollback")["finishes"]


def test_of_many_that_were_built_on_it_some_are_named(tmp_path: Path) -> None:
    publish(tmp_path, *(manifest(one, on=one - 1 or None, date=one) for one in range(1, 10)))
    give_up(tmp_path, 2)
    error = plan(tmp_path, "rollback_to", to="1")["error"]
    assert "or give up 7 numbers from 3 to 9 too, which were built on it: mv " in error
    assert (error.count(" && "), error[-17:]) == (4, ", and so on [E425]"[-17:])


def test_a_history_needs_no_version_that_was_given_up_before_a_full_refresh(tmp_path: Path) -> None:
    refreshed = manifest(4, date=16)
    publish(tmp_path, *CHAIN[:3], refreshed, manifest(5, on=4, date=17))
    record(tmp_path, 3, dates=[day(16)])
    give_up(tmp_path, 3)
    said = {
        "name": "h", "published": [], "dates": ["9999-12-31", day(13)],
        "folders": [f"lake/h/1/run/{kind}" for kind in ("open", "closed")],
    }  # fmt: skip
    found = ask(tmp_path, "history", label=LABEL, **said)[LABEL]
    assert "error" not in found
