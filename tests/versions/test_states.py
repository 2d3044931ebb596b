"""What readers see with a version, and from which versions a run or an operation starts."""

from dataclasses import replace
from typing import Any

import pytest

from pyspark_dms.errors import DmsError
from pyspark_dms.versions.manifest import Manifest
from pyspark_dms.versions.states import (
    Recorded,
    Table,
    check_layout,
    check_published,
    replayed_dates,
    table_state,
    versions_at,
)
from tests.versions.commands import newest_date, run_versions
from tests.versions.made import by_number, day, manifest

# The 14th and the 16th have no changes; the 12th is filled in later.
VERSIONS = by_number(
    manifest(1, date=13),
    manifest(2, on=1, date=15, dates={13: 1, 14: 1, 15: 2}),
    manifest(
        3, on=1, date=12, dates={12: 3, 13: 1, 14: 1, 15: 2}, current_version=2, action="backfill"
    ),
)
RECORDED = {
    1: Recorded((day(14),), "from 14", "through 14"),
    2: Recorded((day(16),), None, "through 16"),
    3: Recorded(),
}


def days(dates: dict[str, int]) -> dict[int, int]:
    return {int(date[-2:]): version for date, version in dates.items()}


@pytest.mark.parametrize(
    ("version", "current", "dates"),
    [
        (1, 1, {13: 1, 14: 1}),
        (2, 2, {13: 1, 14: 1, 15: 2, 16: 2}),
        # The state stays, and so do dates that show it unchanged.
        (3, 2, {12: 3, 13: 1, 14: 1, 15: 2, 16: 2}),
    ],
)
def test_readers_see_the_dates_of_a_version_and_unchanged_ones_since(
    version: int, current: int, dates: dict[int, int]
) -> None:
    shown = versions_at(VERSIONS, version, RECORDED)
    assert (shown.newest.version, shown.current.version) == (version, current)
    assert days(dict(shown.dates)) == dates
    assert newest_date(shown) == day(max(dates))


def test_what_a_manifest_says_of_a_date_counts_before_what_was_recorded() -> None:
    versions = by_number(manifest(1), manifest(2, on=1, date=15, dates={13: 1, 14: 1, 15: 2}))
    recorded = {1: Recorded((day(14),)), 2: Recorded((day(14), day(16)))}
    shown = versions_at(versions, 2, recorded)
    assert days(dict(shown.dates)) == {13: 1, 14: 1, 15: 2, 16: 2}


def test_a_table_without_history_shows_its_own_date() -> None:
    shown = versions_at(by_number(manifest(1, dates={})), 1, {})
    assert newest_date(shown) == day(13)


def test_unchanged_dates_have_looked_at_more_of_the_index() -> None:
    versions = by_number(manifest(1, indexed_from="a", indexed_through="b"))
    for recorded, seen in [
        (Recorded((day(14),)), ("a", "b")),
        (Recorded((day(14),), "c", "d"), ("c", "d")),
        (Recorded((day(14),), None, "d"), ("a", "d")),
    ]:
        current = versions_at(versions, 1, {1: recorded}).current
        assert (current.indexed_from, current.indexed_through) == seen


@pytest.mark.parametrize(
    ("newest", "run_date", "full_refresh", "numbers"),
    [
        (None, 13, False, (None, None, None)),
        (1, 14, False, (1, 1, 1)),
        (1, 13, False, (1, 1, None)),
        (2, 16, False, (2, 2, 2)),
        # The same date again starts where it started before.
        (2, 15, False, (2, 2, 1)),
        (3, 15, False, (3, 2, 1)),
        (3, 16, False, (3, 2, 2)),
        (3, 16, True, (3, 2, None)),
    ],
)
def test_a_run_is_built_on_the_state_before_its_date(
    newest: int | None, run_date: int, full_refresh: bool, numbers: tuple[int | None, ...]
) -> None:
    found = run_versions(VERSIONS, newest, day(run_date), full_refresh=full_refresh)
    manifests = (found.newest, found.current, found.base)
    assert tuple(one.version if one else None for one in manifests) == numbers


def test_a_version_that_no_command_has_recorded_is_half_published() -> None:
    state = table_state(VERSIONS, 3, RECORDED)
    assert (state.is_published, state.published_before, state.next_version) == (True, 2, 4)
    died = table_state(VERSIONS, 3, {1: RECORDED[1]})
    assert (died.is_published, died.published_before) == (False, 1)
    assert table_state(VERSIONS, 1, {}).published_before is None


# ------------------------------------------- unchanged dates that a run records meanwhile


@pytest.mark.parametrize(
    ("made", "added"),
    [
        ({"of": 3, "action": "vacuum"}, [17]),
        ({"of": 3, "action": "reapply"}, [17]),
        ({"action": "replay"}, [17]),
        # It takes back the date that was filled in, and not the state.
        ({"of": 2, "action": "rollback"}, [17]),
        # What undoes the state undoes the date.
        ({"of": 1, "action": "rollback"}, []),
        ({"action": "merge"}, []),
        # The state is still that of version 2, of which the date was recorded.
        ({"current_version": 2, "action": "backfill"}, []),
    ],
)
def test_an_unchanged_date_that_comes_meanwhile_shows_a_version_of_the_same_state(
    made: dict[str, Any], added: list[int]
) -> None:
    dates = days(dict(table_state(VERSIONS, 3, RECORDED).shown.dates))
    new = manifest(4, on=1, date=15, **{"dates": dates, **made})
    meanwhile = Recorded((day(16), day(17)), "from 17", "through 17")
    recorded = RECORDED | {2: meanwhile}
    state = table_state(VERSIONS | by_number(new), 4, recorded)
    assert state.to_record.dates == tuple(map(day, added))
    assert not state.is_published
    seen = state.shown.dates.get(day(17))
    assert seen == (4 if added else 2 if made["action"] == "backfill" else None)
    if added:
        assert state.to_record == replace(meanwhile, dates=(day(17),))
        assert state.shown.current.indexed_through == "through 17"
    # Once that is recorded, nothing is left to do.
    after = table_state(VERSIONS | by_number(new), 4, recorded | {4: state.to_record})
    assert (after.shown, after.to_record, after.is_published) == (state.shown, Recorded(), True)


def test_nothing_is_added_where_no_date_came_meanwhile() -> None:
    dates = days(dict(table_state(VERSIONS, 3, RECORDED).shown.dates))
    new = manifest(4, on=1, of=3, date=15, action="vacuum", dates=dates)
    assert table_state(VERSIONS | by_number(new), 4, RECORDED).to_record == Recorded()


# ------------------------------------------------------------------------------ replay


@pytest.mark.parametrize(
    ("newest", "more", "dates"),
    [
        (1, [], {13: 2, 14: 2}),
        (2, [], {13: 1, 14: 1, 15: 3, 16: 3}),
        # The date that was filled in has a state of its own.
        (3, [], {12: 3, 13: 1, 14: 1, 15: 4, 16: 4}),
        # Copies show the state that is built again, and so do dates that show it.
        (
            4,
            [manifest(4, of=3, on=1, date=15, dates={12: 3, 13: 1, 14: 1, 15: 2, 16: 2})],
            {12: 3, 13: 1, 14: 1, 15: 5, 16: 5},
        ),
        (4, [manifest(4, of=1, dates={13: 1, 14: 1})], {13: 5, 14: 5}),
    ],
)
def test_a_replay_is_shown_wherever_the_state_was(
    newest: int, more: list[Manifest], dates: dict[int, int]
) -> None:
    state = table_state(VERSIONS | by_number(*more), newest, RECORDED)
    assert days(replayed_dates(state)) == dates


# ------------------------------------------------------------------------------ errors


def test_a_table_that_was_never_published_is_named() -> None:
    assert check_published("hr.people", 3) == 3
    with pytest.raises(DmsError) as raised:
        check_published("hr.people", None)
    assert str(raised.value) == (
        "hr.people: nothing was ever published, so there is nothing to do. Nothing was changed. "
        "Publish with dbt run. [E420]"
    )


def test_another_layout_than_the_published_one_is_named() -> None:
    table = Table("hr.people", "dates", True, False, "dbt run --full-refresh")
    check_layout(table, VERSIONS[1])
    with pytest.raises(DmsError) as raised:
        check_layout(replace(table, layout="current state only"), VERSIONS[1])
    assert str(raised.value) == (
        "hr.people: the declaration says: current state only; it was published as: dates. "
        "Nothing was changed. Declare it as before, or repartition it: dbt run --full-refresh. "
        "[E402]"
    )


def test_after_the_newest_version_was_given_up_the_one_before_is_published_again() -> None:
    state = table_state(VERSIONS, 2, RECORDED, published=3)
    assert not state.is_published
    # What readers see is not known.
    assert state.published_before is None
    # Once it is recorded again.
    assert table_state(VERSIONS, 2, RECORDED, published=2).is_published
