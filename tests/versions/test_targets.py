"""Which version an operation goes to."""

import pytest

from pyspark_dms.errors import DmsError
from pyspark_dms.versions.manifest import Manifest
from pyspark_dms.versions.states import Recorded, TableState, table_state
from pyspark_dms.versions.targets import (
    is_at,
    named_version,
    reapply_target,
    rollback_target,
    version_before,
)
from tests.versions.made import PEOPLE, by_number, day, manifest

FIRST = manifest(1, date=13, applied="a")
SECOND = manifest(2, on=1, date=14, applied="b")
THIRD = manifest(3, on=2, date=15, applied="c")


def copy(version: int, of: Manifest, action: str = "rollback", **fields: object) -> Manifest:
    """A version that restores another one."""
    changed = {"version": version, "current_version": version, "restored_version": of.version}
    return Manifest(**{**vars(of), **changed, "action": action, **fields})


def state(*versions: Manifest, recorded: dict[int, Recorded] | None = None) -> TableState:
    whole = {one.version: Recorded() for one in versions}
    return table_state(by_number(*versions), len(versions), {**whole, **(recorded or {})})


REPLAY = manifest(4, on=2, date=15, applied="c", action="replay")
BACKFILL = manifest(4, on=1, date=12, current_version=3, action="backfill")
BACK = copy(4, SECOND)
OVER = manifest(5, on=4, date=16, applied="d", excluded="c")
AGAIN = copy(6, OVER, "reapply", excluded_files=(), included_files=THIRD.files)
TAKEN = manifest(7, on=4, date=16, applied="c d", included="c")


@pytest.mark.parametrize(
    ("why", "versions", "target"),
    [
        ("the first version has nothing before it", [FIRST], None),
        ("the last change is undone", [FIRST, SECOND, THIRD], 2),
        ("a second rollback goes one change further back", [FIRST, SECOND, THIRD, BACK], 1),
        ("and stops at the first", [FIRST, SECOND, copy(3, FIRST)], None),
        (
            "a copy that vacuum made has the change of what it is a copy of",
            [FIRST, SECOND, copy(3, SECOND, "vacuum")],
            1,
        ),
        ("a rollback of a reapply is the rollback again", [FIRST, SECOND, THIRD, BACK,
         copy(5, THIRD, "reapply")], 2),
        (
            "a date that was run again with another file is undone to its first run",
            [FIRST, SECOND, manifest(3, on=1, date=14, applied="b c")],
            2,
        ),
        (
            "a date that was run again with the same files has made one change twice",
            [FIRST, SECOND, manifest(3, on=1, date=14, applied="b")],
            1,
        ),
        (
            "also if a vacuum came between",
            [FIRST, SECOND, copy(3, SECOND, "vacuum"), manifest(4, on=1, date=14, applied="b")],
            1,
        ),
        (
            "the same files of another date are another change",
            [FIRST, SECOND, manifest(3, on=1, date=15, applied="b")],
            2,
        ),
        (
            "so are the same files on another state",
            [FIRST, SECOND, manifest(3, on=2, date=14, applied="b")],
            2,
        ),
        (
            "a full refresh of a date that was built is the same change",
            [FIRST, manifest(2, date=13, applied="a")],
            None,
        ),
        ("and one of a date that was merged is not", [FIRST, SECOND,
         manifest(3, date=14, applied="a b")], 2),
        ("a replay is a change", [FIRST, SECOND, THIRD, REPLAY], 3),
        ("a date that was filled in is a change", [FIRST, SECOND, THIRD, BACKFILL], 3),
        (
            "also under a vacuum",
            [FIRST, SECOND, THIRD, BACKFILL, copy(5, THIRD, "vacuum", restored_version=4)],
            3,
        ),
        (
            "the same files before and after a date was filled in are two changes",
            [FIRST, SECOND, manifest(3, on=1, date=12, current_version=2, action="backfill"),
             manifest(4, on=1, date=14, applied="b")],
            3,
        ),
        (
            "also if a vacuum came between",
            [FIRST, SECOND, manifest(3, on=1, date=12, current_version=2, action="backfill"),
             copy(4, SECOND, "vacuum", restored_version=3),
             manifest(5, on=1, date=14, applied="b")],
            4,
        ),
        (
            "files that were included again, and that no run has taken, are a change",
            [FIRST, SECOND, THIRD, BACK, OVER, AGAIN],
            5,
        ),
        (
            "also under a vacuum",
            [FIRST, SECOND, THIRD, BACK, OVER, AGAIN, copy(7, AGAIN, "vacuum")],
            5,
        ),
        (
            "files that a run has taken are undone with the run",
            [FIRST, SECOND, THIRD, BACK, OVER, AGAIN, TAKEN],
            6,
        ),
        (
            "and what was before them is undone next",
            [FIRST, SECOND, THIRD, BACK, OVER, AGAIN, TAKEN,
             copy(8, AGAIN, excluded_files=THIRD.files, included_files=())],
            4,
        ),
    ],
)  # fmt: skip
def test_what_a_rollback_goes_to(why: str, versions: list[Manifest], target: int | None) -> None:
    assert version_before(by_number(*versions), len(versions)) == target, why


def test_a_table_with_nothing_to_undo_is_named() -> None:
    assert rollback_target(PEOPLE, state(FIRST, SECOND)) == 1
    with pytest.raises(DmsError) as raised:
        rollback_target(PEOPLE, state(FIRST))
    assert str(raised.value) == (
        "hr.people: version 1 has no change before it to go back to. Nothing was changed. "
        "See what there is: dbt run-operation versions. [E413]"
    )


# ------------------------------------------------------------------ named by a person

DATED = (
    FIRST,
    manifest(2, on=1, date=15, dates={13: 1, 15: 2}),
    manifest(3, on=1, date=14, dates={13: 1, 14: 3, 15: 2}, current_version=2, action="backfill"),
    manifest(4, of=1, date=13, dates={13: 1}, action="rollback"),
    manifest(5, on=4, date=14, dates={13: 1, 14: 5}),
)
UNCHANGED = {2: Recorded((day(16), day(17))), 4: Recorded((day(18),)), 5: Recorded((day(16),))}


@pytest.mark.parametrize(
    ("newest", "to", "version"),
    [
        (5, 1, 1),
        (5, "3", 3),
        (5, day(13), 1),
        # What readers see now, and not what they saw.
        (5, day(14), 5),
        (5, day(16), 5),
        # What they do not see any more: the newest version of it.
        (5, day(15), 2),
        (5, day(17), 2),
        (5, day(18), 4),
        (2, day(16), 2),
    ],
)
def test_a_version_is_named_by_its_number_or_a_date(
    newest: int, to: int | str, version: int
) -> None:
    assert named_version(PEOPLE, state(*DATED[:newest], recorded=UNCHANGED), to) == version


@pytest.mark.parametrize(
    ("newest", "to", "said"),
    [
        (5, None, "to is missing, which is no version and no published date"),
        (5, 0, "to is 0, which is no version and no published date"),
        (5, 6, "to is 6, which is no version and no published date"),
        (5, day(12), f"to is {day(12)}, which is no version and no published date"),
        (5, "yesterday", "to is yesterday, which is no version and no published date"),
        (3, day(14), f"to is {day(14)}, a date that backfill has made, which no version goes back"),
    ],
)
def test_what_names_no_version_is_said_with_what_does(
    newest: int, to: int | str | None, said: str
) -> None:
    with pytest.raises(DmsError) as raised:
        named_version(PEOPLE, state(*DATED[:newest], recorded=UNCHANGED), to)
    text = str(raised.value)
    assert text.startswith(f"hr.people: {said}")
    first, count = ((13, 15, 16), 4) if newest == 3 else ((13, 14, 15), 6)
    assert text.endswith(
        f"Nothing was changed. Allowed are versions 1 to {newest} and {count} dates, for instance "
        f"{', '.join(map(day, first))}: dbt run-operation versions. [E413]"
    )


def test_where_few_dates_can_be_named_all_are() -> None:
    with pytest.raises(DmsError, match="versions 1 to 1 and 1 date, 2020-11-13: dbt run-op"):
        named_version(PEOPLE, state(DATED[0]), "yesterday")


def test_a_date_that_was_filled_in_over_one_that_was_undone_is_not_that_one() -> None:
    filled = manifest(4, on=1, date=15, dates={13: 1, 15: 4, 16: 3}, current_version=3,
                      action="backfill")  # fmt: skip
    later = manifest(3, on=1, date=16, dates={13: 1, 16: 3})
    table = state(FIRST, DATED[1], later, filled)
    with pytest.raises(DmsError, match="a date that backfill has made"):
        named_version(PEOPLE, table, day(15))


def test_a_copy_is_at_the_state_of_what_it_is_a_copy_of() -> None:
    table = state(FIRST, SECOND, THIRD, BACK)
    assert [number for number in (1, 2, 3, 4) if is_at(table, number)] == [2, 4]


# ---------------------------------------------------------------------------- reapply


@pytest.mark.parametrize(
    ("why", "versions", "target"),
    [
        ("a rollback is taken back", [FIRST, SECOND, THIRD, BACK], 3),
        ("so is one to a version", [FIRST, SECOND, THIRD, copy(4, FIRST, "rollback_to")], 3),
        ("also if a vacuum came since", [FIRST, SECOND, THIRD, BACK, copy(5, BACK, "vacuum")], 3),
        (
            "of two rollbacks first the second",
            [FIRST, SECOND, THIRD, BACK, copy(5, FIRST)],
            4,
        ),
        (
            "and then the first",
            [FIRST, SECOND, THIRD, BACK, copy(5, FIRST), copy(6, BACK, "reapply")],
            3,
        ),
        (
            "also if a vacuum came between the two",
            [FIRST, SECOND, THIRD, BACK, copy(5, BACK, "vacuum"), copy(6, FIRST),
             copy(7, BACK, "reapply", restored_version=5)],
            3,
        ),
        ("nothing was rolled back", [FIRST, SECOND], None),
        ("all was taken back", [FIRST, SECOND, THIRD, BACK, copy(5, THIRD, "reapply")], None),
        ("a run came since", [FIRST, SECOND, THIRD, BACK, OVER], None),
        (
            "a date was filled in since",
            [FIRST, SECOND, THIRD, BACK,
             manifest(5, on=1, date=12, current_version=4, action="backfill")],
            None,
        ),
    ],
)  # fmt: skip
def test_what_a_reapply_goes_to(why: str, versions: list[Manifest], target: int | None) -> None:
    assert reapply_target(state(*versions)) == target, why
