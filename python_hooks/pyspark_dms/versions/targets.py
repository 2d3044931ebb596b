"""Which version `rollback`, `rollback_to` and `reapply` go to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark_dms.counted import counted
from pyspark_dms.errors import DmsError, sentences
from pyspark_dms.versions.lineage import (
    is_current,
    needed,
    origin_version,
    previous_version,
    without_copies,
)
from pyspark_dms.versions.manifest import REAPPLY, ROLLBACKS, VACUUM, Step
from pyspark_dms.versions.states import (
    ALL_VERSIONS,
    NOTHING_CHANGED,
    Recorded,
    Table,
    TableState,
)

_NAMED_DATES = 3


def rollback_target(table: Table, state: TableState) -> int:
    """The version that a rollback goes to.

    Raises:
        DmsError: there is no change to undo.
    """
    target = version_before(state.steps, state.newest)
    if target is None:
        raise DmsError(
            "E413",
            sentences(
                f"{table.label}: version {state.newest} has no change before it to go back to",
                NOTHING_CHANGED,
                f"See what there is: {ALL_VERSIONS}",
            ),
        )
    return target


def version_before(versions: Mapping[int, Step], newest: int) -> int | None:
    """What was shown before the last change of what readers see; None at the first.

    A copy has the last change of what it is a copy of. A date that was run again with the same
    files has made the same change twice. Files that were included again, and that no run has taken
    yet, are a change.
    """
    number = newest
    copies: list[int] = []
    while True:
        version = needed(versions, number, copies)
        copies.append(number)
        if version.restored_version is not None:
            if _is_waited_for(versions, version, versions[newest]):
                return version.restored_version
            number = version.restored_version
            continue
        before = previous_version(versions, number)
        if version.current_version != number or before is None:
            return before
        origin = without_copies(versions, before)
        if not _is_same_batch(versions, number, origin):
            return before
        number = origin


def _is_waited_for(versions: Mapping[int, Step], version: Step, newest: Step) -> bool:
    """Whether a version included files again that runs take now, and no run has taken."""
    before = version.restored_version
    # One that takes back a rollback restores what was before that.
    if version.action != REAPPLY or before != version.version - 1:
        return False
    again = {*version.included_files}.difference(versions[before].included_files)
    return not again.isdisjoint({*newest.included_files}.difference(newest.excluded_files))


def _is_same_batch(versions: Mapping[int, Step], number: int, other: int) -> bool:
    """Whether two versions put the same files of one run date on the same state."""
    if not is_current(versions, other):
        return False
    one, two = (
        (version.action, version.run_date, {*version.files}, _origin_of_base(versions, version))
        for version in (versions[number], versions[other])
    )
    return one == two and one[0] in ("build", "merge")


def _origin_of_base(versions: Mapping[int, Step], version: Step) -> int | None:
    if version.base_version is None:
        return None
    return origin_version(versions, version.base_version, (version.version,))


def named_version(table: Table, state: TableState, to: str | int | None) -> int:
    """The version that a person names by its number, or by a date as YYYY-MM-DD.

    A date is what readers see under it now or, of one that they no longer see, its newest version.

    Raises:
        DmsError: there is none.
    """
    wanted = "" if to is None else str(to)
    if wanted.isascii() and wanted.isdigit():
        if int(wanted) in state.steps:
            return int(wanted)
    elif (found := _version_of_date(state, wanted)) is not None:
        return found
    raise DmsError(
        "E413",
        sentences(
            f"{table.label}: to is {wanted or 'missing'}, " + _why_none(state, wanted),
            NOTHING_CHANGED,
            f"Allowed are versions 1 to {state.newest} and {_some(_named_dates(state))}: "
            f"{ALL_VERSIONS}",
        ),
    )


def _some(dates: Sequence[str]) -> str:
    """How many dates there are, and the first of them."""
    more = ", for instance" if len(dates) > _NAMED_DATES else ","
    return f"{counted(len(dates), 'date')}{more} {', '.join(dates[:_NAMED_DATES])}"


def _why_none(state: TableState, wanted: str) -> str:
    if wanted not in state.shown.dates:
        return "which is no version and no published date"
    if wanted in state.given_up_dates:
        return "a date whose version was given up"
    return "a date that backfill has made, which no version goes back to"


def _version_of_date(state: TableState, date: str) -> int | None:
    number = state.shown.dates.get(date)
    if number is not None:
        return number if is_current(state.steps, number) else None
    for number in reversed([*state.steps]):
        version = state.steps[number]
        unchanged = state.recorded.get(number, Recorded()).dates
        if version.current_version == number and (version.run_date == date or date in unchanged):
            return number
    return None


def _named_dates(state: TableState) -> list[str]:
    """All dates that `named_version` finds."""
    dates: set[str] = set()
    for number in state.steps:
        if is_current(state.steps, number):
            dates.add(state.steps[number].run_date)
            dates.update(state.recorded.get(number, Recorded()).dates)
    made = {date for date, one in state.shown.dates.items() if not is_current(state.steps, one)}
    return sorted(dates - made)


def is_at(state: TableState, target: int) -> bool:
    """Whether the current state is that of a version already."""
    versions = state.steps
    return origin_version(versions, target) == origin_version(versions, state.newest)


def reapply_target(state: TableState) -> int | None:
    """The version that `reapply` goes to; None if files have to be included again instead.

    It takes back the newest rollback, if nothing was published since. After two rollbacks the first
    reapply takes back the second, and the next one the first.
    """
    undoing = _without_vacuums(state.steps, state.newest)
    if undoing.action == REAPPLY and undoing.restored_version is not None:
        undoing = _without_vacuums(state.steps, undoing.restored_version)
    if undoing.action not in ROLLBACKS:
        return None
    return previous_version(state.steps, undoing.version)


def _without_vacuums(versions: Mapping[int, Step], number: int) -> Step:
    version = versions[number]
    while version.action == VACUUM and version.restored_version is not None:
        version = versions[version.restored_version]
    return version
