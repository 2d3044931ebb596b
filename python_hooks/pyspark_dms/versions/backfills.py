"""Which dates a backfill makes, and on which versions they are built."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from pyspark_dms.errors import DmsError, sentences
from pyspark_dms.versions.lineage import counting, live_generations, versions_of_date
from pyspark_dms.versions.manifest import BACKFILL, Manifest
from pyspark_dms.versions.states import NOTHING_CHANGED, Shown, Table, TableState

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# What the version of a date has of the version that it is built on.
_OF_BASE = ("fingerprint", "declarations", "staged", "load_files")
LEAVE_OUT = "Leave this date out of from_date and to_date"
BRING_BACK = (
    "Bring the files of its version back from a copy of the lake. Another way: "
    "docs/how-to/operations.md, Dates are missing"
)


@dataclass(frozen=True)
class DateToMake:
    """A date that has no snapshot.

    Attributes:
        date: the date.
        before: the newest date before it that has one; None at the beginning.
        built_on: the version of that date, else that of the first date, of which only the load
            generations and the declaration count.
        loaded_through: of full load files, which have no time, those count that were staged up to
            this run date; None for all.
        applied: the versions whose changes the date before has.
    """

    date: str
    before: str | None
    built_on: Manifest
    loaded_through: str | None
    applied: tuple[int, ...]


def check_range(from_date: str, to_date: str) -> None:
    """Check the dates that a person gives.

    Raises:
        DmsError: one is no date, or the first is after the last.
    """
    for name, value in (("from_date", from_date), ("to_date", to_date)):
        if not is_date(value):
            raise DmsError(
                "E412",
                sentences(f"{name} is {value}; allowed is a date as YYYY-MM-DD", NOTHING_CHANGED),
            )
    if from_date > to_date:
        raise DmsError(
            "E412", sentences(f"from_date {from_date} is after to_date {to_date}", NOTHING_CHANGED)
        )


def is_date(text: str) -> bool:
    """Whether a text is a day of the calendar as YYYY-MM-DD."""
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def missing_dates(table: Table, state: TableState, from_date: str, to_date: str) -> tuple[str, ...]:
    """The dates of a range, both ends included, that have no snapshot, or whose was given up.

    Raises:
        DmsError: the table has no snapshots of dates, or the range ends after the newest one.
    """
    if not table.history:
        raise DmsError(
            "E418",
            sentences(
                f"{table.label}: history is false, so there are no snapshots of dates",
                NOTHING_CHANGED,
                "Leave it out of select",
            ),
        )
    there = state.shown.dates
    # Vacuum takes away dates whose version was given up, and these may be all.
    newest = max(there, default=state.shown.current.run_date)
    if to_date > newest:
        raise DmsError(
            "E412",
            sentences(
                f"{table.label}: to_date {to_date} is after the newest published date, {newest}",
                NOTHING_CHANGED,
                "Later dates are made by dbt run",
            ),
        )
    first = date.fromisoformat(from_date)
    days = (date.fromisoformat(to_date) - first).days + 1
    dates = [f"{first + timedelta(days=number)}" for number in range(days)]
    counted = counting(state.steps, (there[one] for one in dates if one in there))
    return tuple(one for one in dates if there.get(one) not in counted)


def date_to_make(state: TableState, wanted: str) -> DateToMake:
    """What a missing date is built on: the newest date before it.

    A full refresh has staged the full load again, in the first folder of the current state.
    """
    shown = state.shown
    oldest = (one for one in sorted(shown.dates) if shown.dates[one] in state.steps)
    earlier = (one for one in sorted(shown.dates, reverse=True) if one < wanted)
    before = next((one for one in earlier if shown.dates[one] in state.steps), None)
    built_on = shown.dates[next(oldest) if before is None else before]
    staged = shown.current.staged
    return DateToMake(
        date=wanted,
        before=before,
        built_on=state.versions[built_on],
        loaded_through=max(before, staged[0].run_date) if before and staged else before,
        applied=versions_of_date(state.steps, built_on) if before else (),
    )


def check_counting(table: Table, state: TableState, wanted: str, advice: str = LEAVE_OUT) -> None:
    """Check that a missing date has another to be built on.

    Args:
        table: the table.
        state: where it stands.
        wanted: the date.
        advice: what a person can do if not.

    Raises:
        DmsError: the versions of all others were given up, or there are no others.
    """
    if any(one in state.steps for one in state.shown.dates.values()):
        return
    if advice == LEAVE_OUT:
        advice = f"Publish the table again, then give the command again: {table.rebuild_command}"
    raise DmsError(
        "E423",
        sentences(
            f"{table.label}: the snapshot of {wanted} cannot be made: no other published date has "
            "a version to start from",
            NOTHING_CHANGED,
            advice,
        ),
    )


def check_generations(
    table: Table, state: TableState, making: DateToMake, advice: str = LEAVE_OUT
) -> bool:
    """Check that later changes can be applied on top of what a date is built on.

    Args:
        table: the table.
        state: where it stands.
        making: the date.
        advice: what a person can do if not.

    Returns:
        Whether files may lack all the same, because a newer full load was published since: the
        index knows which.

    Raises:
        DmsError: the index was made again since, and counts load generations from 1 again.
    """
    built_on, current = making.built_on, state.shown.current
    has_folders = bool(built_on.shards or current.shards)
    if not has_folders and built_on.generation > current.generation:
        raise DmsError(
            "E423",
            sentences(
                f"{table.label}: the snapshot of {making.date} cannot be made: it would be built "
                f"on version {built_on.version}, which is of load generation "
                f"{built_on.generation}, and dms_files was made again since then "
                f"(now: load generation {current.generation})",
                NOTHING_CHANGED,
                advice,
            ),
        )
    return not {*live_generations(built_on)} <= {*live_generations(current)}


def backfilled_fields(shown: Shown, built_on: Manifest) -> dict[str, Any]:
    """What the version of a missing date says, beside what the merge of the date has counted.

    It leaves the current state as it is.

    Args:
        shown: what readers see before it.
        built_on: the version it is built on; staging was read as that was declared.
    """
    newest, base = shown.newest.to_json(), built_on.to_json()
    return {
        "action": BACKFILL,
        "current_version": shown.current.version,
        "feed_dates": newest["feed_dates"],
        **{name: base[name] for name in _OF_BASE},
    }
