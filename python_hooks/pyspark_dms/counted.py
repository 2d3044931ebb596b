"""Numbers in texts."""

from collections.abc import Sequence


def numbered(noun: str, numbers: Sequence[int]) -> str:
    """Things by their numbers: ``version 2``, ``versions 2, 3 and 5``."""
    *others, last = map(str, numbers)
    return f"{noun}s {', '.join(others)} and {last}" if others else f"{noun} {last}"


def counted(number: int, noun: str) -> str:
    """A number and what it counts: ``1 row``, ``2,000 rows``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
