"""How a rule of planning says that it does not like something: it warns, or the table fails."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark_dms.errors import DmsError
from pyspark_dms.landing.facts import TableFacts

NOT_PUBLISHED = "Nothing of this table was published"
_NAMED_PATHS = 3

Warned = tuple[str, str]  # what is wrong, and what to do about it


class TableError(DmsError):
    """What fails the table: what is wrong, what was not done, what to do."""


def failed_or_warned(facts: TableFacts, what: str, way_out: str, advice: str) -> Warned:
    """Fail or warn, as ``on_missing_files`` says.

    Args:
        facts: the table.
        what: what is wrong.
        way_out: what to do if the table fails.
        advice: what was done, and what to do, if it does not.

    Raises:
        TableError: with ``on_missing_files: fail``.
    """
    if facts.on_missing_files == "fail":
        raise TableError(
            "E203", f"{what}. {NOT_PUBLISHED}, because on_missing_files is fail. {way_out}"
        )
    return what, advice


def warned_if_by_hand(what: str) -> Warned:
    """A warning of what is right if DMS has written a full load, and wrong if a person has."""
    return (
        what,
        "If DMS wrote that full load, nothing is to be done. If you wrote its files, reload the "
        "table in DMS: these changes are missing.",
    )


def named(paths: Iterable[str]) -> str:
    """How many files, and the first of them."""
    in_order = sorted(paths)
    rest = ", …" if len(in_order) > _NAMED_PATHS else ""
    return f"({len(in_order)}): {', '.join(in_order[:_NAMED_PATHS])}{rest}"
