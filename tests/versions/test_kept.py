"""Which versions and which folders vacuum keeps."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pyspark_dms.versions.kept import kept_folders, kept_versions
from pyspark_dms.versions.manifest import Manifest, StagedFolder
from pyspark_dms.versions.states import Recorded, TableState, table_state
from tests.versions.made import by_number, manifest
from tests.versions.test_lineage import Asked

# A chain without history, each finished at 06:10 of its day of December.
CHAIN = tuple(manifest(one, on=one - 1 or None, date=12 + one) for one in range(1, 8))


def state(*versions: Manifest) -> TableState:
    return table_state(
        by_number(*versions), len(versions), {one.version: Recorded() for one in versions}
    )


def december(day: int, hour: int = 0) -> datetime:
    return datetime(2020, 12, day, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("why", "since", "kept"),
    [
        ("without a retention all", None, (1, 2, 3, 4, 5, 6, 7)),
        ("what readers see, and what the same date would start from", december(8), (6, 7)),
        ("what readers saw until the next one was finished", december(6), (5, 6, 7)),
        ("one that was replaced a moment before, not", december(6, 7), (6, 7)),
        ("everything", december(1), (1, 2, 3, 4, 5, 6, 7)),
    ],
)
def test_versions_are_kept_as_long_as_readers_see_them(
    why: str, since: datetime | None, kept: tuple[int, ...]
) -> None:
    assert kept_versions(state(*CHAIN), since, change_feed=False) == kept, why


@pytest.mark.parametrize(
    ("why", "change_feed", "versions", "kept"),
    [
        (
            "the dates that readers see",
            False,
            (CHAIN[0], CHAIN[1], manifest(3, on=2, date=15, dates={13: 1, 14: 2, 15: 3}),
             manifest(4, on=2, date=15, dates={13: 1, 14: 2, 15: 4})),
            (1, 2, 4),
        ),
        (
            "the current version under a date that was filled in",
            False,
            (CHAIN[0], manifest(2, on=1, date=15, dates={13: 1, 15: 2}),
             manifest(3, on=1, date=14, dates={13: 1, 14: 3, 15: 2}, current_version=2)),
            (1, 2, 3),
        ),
        (
            "what the changes of the newest date are compared with",
            True,
            (CHAIN[0], CHAIN[1], manifest(3, date=15, feed_dates=CHAIN[0].dates)),
            (1, 3),
        ),
        ("and nothing where there is no feed", False,
         (CHAIN[0], CHAIN[1], manifest(3, date=15, feed_dates=CHAIN[0].dates)), (3,)),
    ],
)  # fmt: skip
def test_what_is_needed_now_is_kept_however_old_it_is(
    why: str, change_feed: bool, versions: tuple[Manifest, ...], kept: tuple[int, ...]
) -> None:
    assert kept_versions(state(*versions), december(30), change_feed=change_feed) == kept, why


def test_with_a_version_are_kept_the_dates_that_it_shows() -> None:
    versions = (
        CHAIN[0],
        CHAIN[1],
        manifest(3, on=2, date=15, dates={13: 1, 14: 2, 15: 3}),
        # A full refresh of another layout begins anew.
        manifest(4, date=16),
    )
    assert kept_versions(state(*versions), december(4), change_feed=False) == (1, 2, 3, 4)
    assert kept_versions(state(*versions), december(5), change_feed=False) == (4,)


def test_a_clock_that_is_hours_behind_loses_no_version() -> None:
    behind = replace(CHAIN[6], finished_at="2020-12-05 00:00:00")
    # Version 5 was seen until version 6 was finished, whatever the clock of version 7 says.
    assert 5 in kept_versions(state(*CHAIN[:6], behind), december(6), change_feed=False)


def test_versions_that_are_much_older_are_not_read() -> None:
    asked = Asked(by_number(*CHAIN))
    table = TableState(7, state(*CHAIN).shown, asked, {}, Recorded())
    kept_versions(table, december(7), change_feed=False)
    assert min(asked.asked) == 5


def test_a_version_that_is_not_finished_counts_from_its_start() -> None:
    versions = (*CHAIN[:6], replace(CHAIN[6], finished_at=None))
    since = december(7, 6) + timedelta(minutes=5)
    assert kept_versions(state(*versions), since, change_feed=False) == (6, 7)
    assert kept_versions(state(*versions), december(7, 6), change_feed=False) == (6, 7)


def test_folders_of_kept_versions_are_kept() -> None:
    first = StagedFolder("2020-11-13", "stg/1", "report/1", None, "1")
    second = StagedFolder("2020-11-14", "stg/2", "report/2", "rejects/2", "1")
    versions = by_number(
        replace(CHAIN[0], staged=(first,), feed_location="feed/1"),
        replace(CHAIN[1], staged=(first, second), feed_location="feed/2"),
        replace(
            CHAIN[2],
            staged=(first, second),
            feed_dates=(*CHAIN[0].dates, *CHAIN[1].dates, *CHAIN[2].dates),
        ),
    )
    kept = kept_folders(state(*versions.values()), [2, 3])
    assert kept.rows == ("lake/people/2", "lake/people/3")
    # Of every date that the feed has, and of none without changes.
    assert kept.feed == ("feed/1", "feed/2")
    assert kept.staged == ("stg/1", "stg/2")
    assert (kept.reports, kept.rejects) == (("report/1", "report/2"), ("rejects/2",))
