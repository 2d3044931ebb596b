"""Going to an earlier state, and which files runs take after that."""

from dataclasses import replace
from typing import Any

import pytest

from pyspark_dms.errors import DmsError
from pyspark_dms.versions.manifest import Manifest, Partition, ShownDate
from pyspark_dms.versions.rollbacks import (
    Restore,
    check_folders,
    needed_feed_folders,
    needed_partitions,
    restore,
    restore_report,
    vacuumed,
)
from pyspark_dms.versions.states import Command, Recorded, TableState, table_state
from tests.versions.made import PEOPLE, by_number, day, files, manifest, names

NOW = Command("20201231T060000000000Z", "2020-12-31 06:00:00.000000")
# Three dates; the second has another upload of a file of the first.
DATES = (
    manifest(1, date=13, applied="load a"),
    manifest(2, on=1, date=14, applied="a.2 b", dates={13: 1, 14: 2}, load_files=files("load")),
    manifest(3, on=2, date=15, applied="c", dates={13: 1, 14: 2, 15: 3}),
)


def state(*versions: Manifest, recorded: dict[int, Recorded] | None = None) -> TableState:
    whole = {one.version: Recorded() for one in versions}
    return table_state(by_number(*versions), len(versions), {**whole, **(recorded or {})})


def gone_to(target: int, *versions: Manifest, action: str = "rollback", **how: Any) -> Restore:
    return restore(PEOPLE, state(*versions, **how), target, action, NOW)


def test_an_earlier_state_is_taken_again_as_the_next_version() -> None:
    made = gone_to(2, *DATES).manifest
    assert made == replace(
        DATES[1],
        version=4,
        action="rollback",
        current_version=4,
        restored_version=2,
        excluded_files=files("c"),
        run=NOW.run,
        started_at=NOW.started_at,
        finished_at=None,
    )
    # What later runs are built on is as it was: its base, its files, its folders.
    assert (made.base_version, made.files) == (1, DATES[1].files)


@pytest.mark.parametrize(
    ("why", "versions", "target", "undone", "excluded", "included"),
    [
        ("what is undone is excluded", DATES, 1, (2, 3), "a.2 b c", ""),
        (
            "what was excluded stays so",
            (*DATES, manifest(4, on=3, date=16, applied="d", excluded="z")),
            3, (4,), "d z", "",
        ),
        (
            "what the state has is not excluded: a date was run again with one more file",
            (DATES[0], DATES[1], manifest(3, on=1, date=14, applied="a.2 b x")),
            2, (3,), "x", "",
        ),
        (
            "nor a file that was written again as it was",
            (*DATES, manifest(4, on=3, date=16, applied="b d")),
            3, (4,), "d", "",
        ),
        (
            "a full refresh is undone with what it replaced",
            (*DATES, manifest(4, date=16, applied="load a.2 b c d")),
            2, (4,), "c d", "",
        ),
        (
            "also with changes that only an earlier full load had",
            (*DATES, manifest(4, on=3, date=16, applied="load.2", generation=2),
             manifest(5, date=16, applied="load.2", generation=2)),
            2, (5,), "c load.2", "",
        ),
        (
            "going on to a version that was undone includes its files again",
            (*DATES, manifest(4, of=1, date=13, applied="load a", excluded="a.2 b c")),
            2, (), "c", "",
        ),
        (
            "from one branch to another",
            (*DATES, manifest(4, of=1, date=13, applied="load a", excluded="a.2 b c"),
             manifest(5, on=4, date=16, applied="d", excluded="a.2 b c")),
            3, (5,), "d", "",
        ),
        (
            "what was included again since, and waits, is excluded as it was then",
            (*DATES[:2], manifest(3, of=1, date=13, applied="load a", excluded="a.2 b"),
             manifest(4, on=3, date=15, applied="c", excluded="a.2 b"),
             manifest(5, on=3, of=4, date=15, applied="c", included="a.2 b", action="reapply")),
            3, (4,), "a.2 b c", "",
        ),
        (
            "what was included again before still waits",
            (*DATES[:2], manifest(3, of=1, date=13, applied="load a", excluded="a.2 b"),
             manifest(4, on=3, date=15, applied="c", excluded="a.2 b"),
             manifest(5, on=3, of=4, date=15, applied="c", included="a.2 b", action="reapply"),
             manifest(6, on=5, date=16, applied="d", included="a.2 b")),
            5, (6,), "d", "a.2 b",
        ),
        (
            "what was included again, and a run has taken, is undone with the run",
            (*DATES[:2], manifest(3, of=1, date=13, applied="load a", excluded="a.2 b"),
             manifest(4, on=3, date=15, applied="c", excluded="a.2 b"),
             manifest(5, on=3, of=4, date=15, applied="c", included="a.2 b", action="reapply"),
             manifest(6, on=3, date=15, applied="a.2 b c", included="a.2 b")),
            5, (6,), "a.2 b", "",
        ),
        (
            "going on to that run, the same date takes it again",
            (*DATES[:2], manifest(3, of=1, date=13, applied="load a", excluded="a.2 b"),
             manifest(4, on=3, date=15, applied="c", excluded="a.2 b"),
             manifest(5, on=3, of=4, date=15, applied="c", included="a.2 b", action="reapply"),
             manifest(6, on=3, date=15, applied="a.2 b c", included="a.2 b"),
             manifest(7, on=3, of=5, date=15, applied="c", excluded="a.2 b")),
            6, (4,), "", "a.2 b",
        ),
    ],
)  # fmt: skip
def test_which_files_runs_take_after_a_rollback(
    why: str,
    versions: tuple[Manifest, ...],
    target: int,
    undone: tuple[int, ...],
    excluded: str,
    included: str,
) -> None:
    going = gone_to(target, *versions)
    found = (names(going.manifest.excluded_files), names(going.manifest.included_files))
    assert (going.undone, *found) == (undone, excluded, included), why


def test_a_reapply_leaves_all_as_it_was_before_the_rollback() -> None:
    waiting = manifest(5, on=3, of=4, date=15, applied="c", included="b", action="reapply")
    versions = (
        *DATES[:2],
        manifest(3, of=1, applied="load a", excluded="a.2 b"),
        manifest(4, on=3, date=15, applied="c", excluded="a.2 b"),
        replace(waiting, excluded_files=files("a.2")),
        manifest(6, on=3, of=4, date=15, applied="c", excluded="a.2 b"),
    )
    made = gone_to(5, *versions, action="reapply").manifest
    assert (names(made.excluded_files), names(made.included_files)) == ("a.2", "b")


def test_files_of_which_the_state_has_an_earlier_upload_are_named() -> None:
    assert gone_to(1, *DATES).replaced == ("a",)
    assert gone_to(2, *DATES).replaced == ()


def test_dates_come_and_go() -> None:
    recorded = {1: Recorded((day(16),)), 3: Recorded((day(17),))}
    going = gone_to(1, *DATES, recorded=recorded)
    assert going.gone == (day(14), day(15), day(17))
    assert going.again == (day(16),)
    assert going.manifest.dates == (ShownDate(day(13), 1), ShownDate(day(16), 1))
    without = restore(
        replace(PEOPLE, history=False), state(*DATES, recorded=recorded), 1, "rollback", NOW
    )
    assert (without.gone, without.again) == ((), ())


def test_a_date_that_was_filled_in_goes_alone() -> None:
    filled = manifest(4, on=1, date=12, dates={12: 4, 13: 1, 14: 2, 15: 3}, current_version=3,
                      action="backfill")  # fmt: skip
    # The state stays, whatever copies of it unchanged dates show.
    kept = manifest(5, on=2, of=4, date=15, applied="c", action="vacuum",
                    dates={12: 4, 13: 1, 14: 2, 15: 3, 16: 3})  # fmt: skip
    recorded = {5: Recorded((day(17),))}
    going = gone_to(3, *DATES, filled, kept, recorded=recorded)
    assert going.gone == (day(12),)
    shown = {date.run_date: date.version for date in going.manifest.dates}
    assert shown == {day(13): 1, day(14): 2, day(15): 3, day(16): 3, day(17): 5}


def test_a_version_of_another_layout_is_not_gone_to() -> None:
    versions = (replace(DATES[0], layout="months"), *DATES[1:])
    with pytest.raises(DmsError) as raised:
        gone_to(1, *versions)
    assert str(raised.value) == (
        "hr.people: version 1 was published as months, the table is now dates. Nothing was "
        "changed. Go to a version of the same layout: dbt run-operation versions. [E414]"
    )


def test_a_vacuum_makes_a_copy_that_changes_nothing() -> None:
    table = state(*DATES[:2], manifest(3, on=2, date=15, excluded="x", included="y"))
    made = vacuumed(table, NOW)
    assert (made.action, made.version, made.restored_version) == ("vacuum", 4, 3)
    assert (names(made.excluded_files), names(made.included_files)) == ("x", "y")
    assert {one.run_date: one.version for one in made.dates} == dict(table.shown.dates)


# ---------------------------------------------------------------------------- folders


def test_only_what_is_not_shown_already_has_to_be_there() -> None:
    empty = Partition("2020-11-01", "lake/empty", 0, ())
    versions = (DATES[0], replace(DATES[1], partitions=(*DATES[1].partitions, empty)), DATES[2],
                manifest(4, of=1, dates={13: 1}))  # fmt: skip
    table = state(*versions)
    going = restore(PEOPLE, table, 3, "reapply", NOW)
    found = [one.location for one in needed_partitions(PEOPLE, table, going)]
    assert found == ["lake/people/3", "lake/people/2"]
    of_newest = needed_partitions(replace(PEOPLE, history=False), table, going)
    assert [one.location for one in of_newest] == ["lake/people/3"]


def test_changes_that_the_feed_shows_again_have_to_be_there() -> None:
    fed = [
        replace(one, feed_location=f"lake/feed/{one.version}", feed_dates=one.dates)
        for one in DATES
    ]
    back = replace(fed[0], version=4, current_version=4, restored_version=1)
    table = state(fed[0], fed[1], replace(fed[2], feed_location=None), back)
    going = restore(PEOPLE, table, 3, "reapply", NOW)
    assert needed_feed_folders(table, going) == ("lake/feed/2",)


def test_folders_that_are_gone_are_named() -> None:
    check_folders(PEOPLE, 2, [])
    with pytest.raises(DmsError) as raised:
        check_folders(PEOPLE, 2, ["lake/1", "lake/2"])
    assert str(raised.value) == (
        "hr.people: version 2 cannot be restored; its files were vacuumed, or deleted by hand, for "
        "instance below\n  lake/1\n  lake/2.\nNothing was changed.\nChoose another version (dbt "
        "run-operation versions), or build the table again with dbt run --full-refresh.\n[E415]"
    )


# ----------------------------------------------------------------------------- report


def reported(target: int, *versions: Manifest, dry_run: bool = False, **how: Any) -> list[str]:
    table = state(*versions, **how)
    going = restore(PEOPLE, table, target, "rollback", NOW)
    return restore_report(PEOPLE, table, going, dry_run=dry_run)


def test_a_rollback_says_what_it_has_done() -> None:
    recorded = {1: Recorded((day(16),))}
    assert reported(1, *DATES, recorded=recorded) == [
        "hr.people: went from version 3 to the state of version 1 (2020-11-13, 1 row), "
        "as version 4",
        "dates that readers no longer see: 2020-11-14, 2020-11-15",
        "dates that readers see again: 2020-11-16",
        "files of versions 2 and 3 that are excluded, so that no run takes them until reapply: 3",
        "the state has an earlier upload of a, which is no longer there. Runs of later dates go "
        "on, but --full-refresh fails (E205) until it is uploaded again",
    ]


def test_a_dry_run_says_what_it_would_do() -> None:
    recorded = {2: Recorded((day(16),))}
    assert reported(2, *DATES, dry_run=True, recorded=recorded) == [
        "hr.people: would go from version 3 to the state of version 2 (2020-11-14, 2 rows)",
        "dates that readers would no longer see: 2020-11-15",
        "dates that readers would see again: 2020-11-16",
        "files of version 3 that would be excluded, so that no run takes them until reapply: 1",
    ]


def test_a_rollback_that_excludes_nothing_says_so() -> None:
    lines = reported(3, *DATES, manifest(4, on=2, date=15, applied="c", action="replay"))
    assert lines[-1] == "no files are excluded: version 3 has those of version 4 too"
    again = manifest(4, on=2, of=3, date=15, applied="c", included="x", action="reapply")
    assert reported(3, *DATES, again)[-1] == (
        "files that reapply had included again, and that are excluded, so that no run takes them "
        "until reapply: 1"
    )


def test_of_many_replaced_uploads_three_are_named() -> None:
    versions = (
        manifest(1, applied="a b c d e"),
        manifest(2, on=1, date=14, applied="a.2 b.2 c.2 d.2 e.2"),
    )
    assert "an earlier upload of a, b, c and 2 more, which" in reported(1, *versions)[-1]
