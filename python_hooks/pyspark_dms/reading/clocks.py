"""Compares the commit times of a file with the time at which it was written.

DMS writes a row after it was committed, or read by a full load. So times later than their file are
no UTC: most often the source gives its local time. A zone west of UTC is not seen like that; it
looks like a delay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_EPOCH = datetime.fromtimestamp(0, UTC)
# Clocks differ, and the last row is some seconds older than its file.
_TOLERANCE = timedelta(minutes=5)
# Every offset from UTC is made of these; beyond the last one a time is wrong otherwise.
_STEP = timedelta(minutes=15)
_LARGEST_OFFSET = timedelta(hours=14)
# Zones without a change of clocks whose offset has no whole hours.
_ZONES = {
    270: "Asia/Kabul",
    330: "Asia/Kolkata",
    345: "Asia/Kathmandu",
    390: "Asia/Yangon",
    570: "Australia/Darwin",
}


@dataclass(frozen=True)
class ClockFinding:
    """How far the commit times of a file are ahead of UTC.

    Attributes:
        kind: ``load`` or ``cdc``.
        minutes: how far, 0 if they are not.
        path: the file.
        said: a commit time that shows it, in UTC as it was read.
        written: when the file was there at the latest; in UTC.
        zone: a zone with that offset in which they may be; None if none is known, or if only the
            changes behind a full load show that it is at least so much.
    """

    kind: str
    minutes: int
    path: str
    said: str
    written: str
    zone: str | None


def minutes_ahead(said: datetime | None, written: datetime | None) -> int:
    """The smallest offset of a time zone by which a commit time is later than its file."""
    if said is None or written is None or not said - written > _TOLERANCE:
        return 0
    offset = math.ceil((said - written - _TOLERANCE) / _STEP) * _STEP
    return offset // timedelta(minutes=1) if offset <= _LARGEST_OFFSET else 0


def zone_of(minutes: int) -> str | None:
    """A zone that is always so far ahead of UTC; its name has the opposite sign."""
    if minutes % 60 == 0:
        return f"Etc/GMT-{minutes // 60}"
    return _ZONES.get(minutes)


def clock_finding(
    kind: str,
    path: str,
    first: datetime | None,
    last: datetime | None,
    written: datetime | None,
    first_change: datetime | None,
) -> ClockFinding | None:
    """What the commit times of a file say.

    Args:
        kind: ``load`` or ``cdc``.
        path: the file.
        first: the first of its commit times, in UTC as it was read; None without any.
        last: the last of them.
        written: of a change file the time in its name, of a full load that of the store.
        first_change: of a full load the time in the name of the first change file behind it.
    """
    if first is None or last is None:
        return None
    ahead = minutes_ahead(last, written)
    if ahead and written:
        return ClockFinding(kind, ahead, path, _text(last), _text(written), zone_of(ahead))
    ahead = minutes_ahead(first, first_change)
    if ahead and first_change:
        return ClockFinding(kind, ahead, path, _text(first), _text(first_change), None)
    return ClockFinding(kind, 0, path, _text(last), "", None)


def time_of_micros(micros: int | None) -> datetime | None:
    """A time in microseconds since 1970 UTC; None if it has no year from 1 to 9999."""
    try:
        return None if micros is None else _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return None


def time_of_place(place: int) -> datetime | None:
    """The time in the name of a change file, which its place says in nanoseconds."""
    return time_of_micros(place // 1000)


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
