"""Numbers in texts."""


def counted(number: int, noun: str) -> str:
    """A number and what it counts: ``1 row``, ``2,000 rows``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
