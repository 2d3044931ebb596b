"""Which dates the change feed has with a version, and what a date is compared with."""

import pytest

from pyspark_dms.versions.feeds import feed_base, feed_dates
from pyspark_dms.versions.manifest import Manifest, ShownDate
from tests.versions.made import day, manifest


def shown(dates: dict[int, int] | None) -> tuple[ShownDate, ...] | None:
    return None if dates is None else tuple(ShownDate(day(d), v) for d, v in dates.items())


def newest(dates: dict[int, int], fed: dict[int, int] | None) -> Manifest:
    return manifest(5, dates=dates, feed_dates=shown(fed))


@pytest.mark.parametrize(
    ("why", "before", "is_asked_for", "dates"),
    [
        ("the first version", None, True, {15: 6}),
        ("a table without a feed", newest({13: 1}, None), False, None),
        ("the first version, without a feed", None, False, None),
        ("the dates before, and its own", newest({13: 1, 14: 2}, {13: 1}), True, {13: 1, 15: 6}),
        ("its own again", newest({13: 1, 15: 5}, {13: 1, 15: 5}), True, {13: 1, 15: 6}),
        ("a feed that is asked for later", newest({13: 1, 14: 2}, None), True,
         {13: 1, 14: 2, 15: 6}),
        ("a feed that is no longer asked for", newest({13: 1, 15: 5}, {13: 1, 15: 5}), False,
         {13: 1}),
    ],
)  # fmt: skip
def test_dates_of_the_feed(
    why: str, before: Manifest | None, is_asked_for: bool, dates: dict[int, int] | None
) -> None:
    assert feed_dates(before, day(15), 6, is_asked_for=is_asked_for) == shown(dates), why


@pytest.mark.parametrize(
    ("why", "before", "base", "found"),
    [
        ("the very first", None, None, None),
        ("what it is built on", newest({13: 1, 14: 2}, None), 4, 4),
        ("the newest date before it, if all is made again", newest({14: 2, 13: 3}, None), None, 2),
        ("of the feed, if there is one", newest({14: 2}, {13: 1}), None, 1),
        ("no date before it", newest({15: 2, 16: 3}, None), None, None),
    ],
)
def test_what_changes_start_from(
    why: str, before: Manifest | None, base: int | None, found: int | None
) -> None:
    assert feed_base(before, day(15), base) == found, why
