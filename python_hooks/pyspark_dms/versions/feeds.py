"""What the changes of a date in the change feed start from."""

from __future__ import annotations

from pyspark_dms.versions.manifest import Manifest, ShownDate


def feed_base(newest: Manifest | None, run_date: str, base: int | None) -> int | None:
    """The version that the changes of a date start from; None at the very first.

    It is what the version of the date is built on or, if that is nothing because all is made again,
    what the newest date before it shows.
    """
    before = [one for one in known_dates(newest) if one.run_date < run_date]
    if base is not None or not before:
        return base
    return max(before, key=lambda one: one.run_date).version


def known_dates(newest: Manifest | None) -> tuple[ShownDate, ...]:
    """Dates from before the feed was asked for are known where there is a history."""
    if newest is None:
        return ()
    return newest.dates if newest.feed_dates is None else newest.feed_dates
