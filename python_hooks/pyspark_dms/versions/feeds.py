"""Which dates the change feed has with a version, and what the changes of a date start from."""

from __future__ import annotations

from pyspark_dms.versions.manifest import Manifest, ShownDate, shown


def feed_base(newest: Manifest | None, run_date: str, base: int | None) -> int | None:
    """The version that the changes of a date start from; None at the very first.

    It is what the version of the date is built on or, if that is nothing because all is made again,
    what the newest date before it shows.
    """
    before = [one for one in _known_dates(newest) if one.run_date < run_date]
    if base is not None or not before:
        return base
    return max(before, key=lambda one: one.run_date).version


def feed_dates(
    newest: Manifest | None, run_date: str, version: int, *, is_asked_for: bool
) -> tuple[ShownDate, ...] | None:
    """The dates of the feed with a version that is made of changes; None without a feed.

    They are those of the newest version before it, and its own. A version that only adds an earlier
    date changes nothing: what it says is in the changes of the next date.

    Args:
        newest: the newest version before it; None at the first.
        run_date: its run date.
        version: its number.
        is_asked_for: whether the table is declared to have a feed.
    """
    fed = newest.feed_dates if newest else None
    if fed is None and not is_asked_for:
        return None
    dates = {one.run_date: one.version for one in _known_dates(newest) if one.run_date != run_date}
    return shown(dates | {run_date: version} if is_asked_for else dates)


def _known_dates(newest: Manifest | None) -> tuple[ShownDate, ...]:
    """Dates from before the feed was asked for are known where there is a history."""
    if newest is None:
        return ()
    return newest.dates if newest.feed_dates is None else newest.feed_dates
