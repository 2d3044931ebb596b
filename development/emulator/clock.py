"""The clock that names files: the real one, or one that a test or a sample sets by hand.

Every datetime of the DMS emulator is UTC and carries no zone, as the values in the files do.
"""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The real time in UTC, without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)


class ManualClock:
    """A clock that stands still until it is set: ``clock.now = datetime(2020, 11, 13, 6)``."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now
