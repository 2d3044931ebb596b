"""What a history has to do, and which of its rows vacuum keeps."""

from typing import Any

import pytest

from pyspark_dms.errors import DmsError
from pyspark_dms.versions.histories import (
    ClosedRows,
    HistoryPlan,
    Reload,
    check_finished,
    open_folders,
    plan_history,
)
from pyspark_dms.versions.manifest import Manifest
from pyspark_dms.versions.states import Recorded
from tests.versions.made import by_number, day, manifest
from tests.versions.test_lineage import Asked

FIRST = manifest(1, date=13, applied="load")
SECOND = manifest(2, on=1, date=14, applied="a")
THIRD = manifest(3, on=2, date=15, applied="b")


def closed(version: int, date: int) -> ClosedRows:
    return ClosedRows(day(date), version, f"{version}/closed", f"{version}/open")


def planned(
    versions: tuple[Manifest, ...],
    rows: list[ClosedRows],
    recorded: dict[int, Recorded] | None = None,
    open_now: str | None = None,
) -> HistoryPlan:
    return plan_history(by_number(*versions), len(versions), recorded or {}, rows, open_now)


def runs(plan: HistoryPlan) -> list[tuple[int, str | None]]:
    return [(run.manifest.version, run.starts_at and run.starts_at[8:10]) for run in plan.runs]


@pytest.mark.parametrize(
    ("why", "versions", "rows", "is_due", "base", "taken", "stale"),
    [
        (
            "a first history takes all runs",
            (FIRST, SECOND, THIRD), [], True, None, [(1, None), (2, "14"), (3, "15")], [],
        ),
        (
            "the next one goes on from what is there",
            (FIRST, SECOND, THIRD), [closed(2, 14), closed(1, 13)], True, 2, [(3, "15")], [],
        ),
        (
            "nothing was published since",
            (FIRST, SECOND), [closed(2, 14)], False, None, [], [],
        ),
        (
            "a copy of what is there brings nothing",
            (FIRST, SECOND, manifest(3, on=1, of=2, date=14)), [closed(2, 14)],
            False, 2, [], [],
        ),
        (
            "nor does a date that was filled in",
            (FIRST, SECOND, manifest(3, on=1, date=12, current_version=2)), [closed(2, 14)],
            False, 2, [], [],
        ),
        (
            "a date that was run again is taken again",
            (FIRST, SECOND, manifest(3, on=1, date=14)), [closed(2, 14), closed(1, 13)],
            True, 1, [(3, "14")], [14],
        ),
        (
            "what was rolled back goes",
            (FIRST, SECOND, manifest(3, of=1, date=13)), [closed(2, 14), closed(1, 13)],
            True, 1, [], [14],
        ),
        (
            "what was reapplied comes again",
            (FIRST, SECOND, manifest(3, of=1), manifest(4, on=1, of=2, date=14)),
            [closed(1, 13)], True, 1, [(2, "14")], [],
        ),
        (
            "another declaration brings no changes",
            (FIRST, SECOND, manifest(3, on=2, date=15, action="alter"),
             manifest(4, on=3, date=16)),
            [closed(2, 14)], True, 2, [(4, "16")], [],
        ),
        (
            "a full refresh of a later date is taken on top of what it replaced",
            (FIRST, SECOND, manifest(3, date=15)), [closed(2, 14), closed(1, 13)],
            True, 2, [(3, "15")], [],
        ),
        (
            "one of the same date takes the place of it",
            (FIRST, SECOND, manifest(3, date=14)), [closed(2, 14), closed(1, 13)],
            True, 1, [(3, "14")], [14],
        ),
        (
            "and one of the first date begins again",
            (FIRST, manifest(2, date=13)), [closed(1, 13)], True, None, [(2, None)], [13],
        ),
        (
            "two full refreshes are taken on top of what the first replaced",
            (FIRST, manifest(2, date=13), manifest(3, date=15)), [closed(1, 13)],
            True, 1, [(3, "14")], [],
        ),
    ],
)  # fmt: skip
def test_a_history_goes_on_from_the_newest_rows_that_still_count(
    why: str,
    versions: tuple[Manifest, ...],
    rows: list[ClosedRows],
    is_due: bool,
    base: int | None,
    taken: list[tuple[int, str | None]],
    stale: list[int],
) -> None:
    plan = planned(versions, rows, open_now=f"{base}/open")
    found = plan.base.rows.version if plan.base else None
    assert (plan.is_due, found, runs(plan)) == (is_due, base, taken), why
    assert plan.stale == tuple(map(day, stale))


def test_a_table_that_was_never_published_has_no_history() -> None:
    assert plan_history({}, None, {}, [], None) == HistoryPlan(is_due=False)


def test_open_rows_that_a_dead_command_has_shown_are_taken_back() -> None:
    versions = (FIRST, SECOND, manifest(3, of=1))
    assert planned(versions, [closed(1, 13)], open_now="1/open").is_due is False
    assert planned(versions, [closed(1, 13)], open_now="2/open").is_due


def test_a_run_begins_after_all_dates_that_readers_saw_before_it() -> None:
    versions = (FIRST, manifest(2, on=1, date=18))
    recorded = {1: Recorded((day(14), day(15)))}
    assert runs(planned(versions, [], recorded)) == [(1, None), (2, "16")]
    # They may have seen a copy.
    copied = (FIRST, manifest(2, of=1), manifest(3, on=2, date=18))
    recorded = {1: Recorded((day(14),)), 2: Recorded((day(16),))}
    assert runs(planned(copied, [], recorded)) == [(1, None), (3, "17")]


def test_dates_that_were_seen_while_a_run_was_undone_do_not_count() -> None:
    # The 16th was shown unchanged before the 15th was reapplied.
    versions = (FIRST, SECOND, THIRD, manifest(4, on=1, of=2, date=14),
                manifest(5, on=2, of=3, date=15, action="reapply"))  # fmt: skip
    plan = planned(versions, [closed(2, 14)], {4: Recorded((day(16),))})
    assert runs(plan) == [(3, "15")]


@pytest.mark.parametrize(
    ("why", "replaced", "recorded", "last_date"),
    [
        ("the dates that readers saw before it", [FIRST, SECOND], {2: Recorded((day(15),))}, 15),
        ("up to the first run that it has again", [FIRST, SECOND, manifest(3, on=2, date=16)], {},
         14),
        ("another declaration is none", [FIRST, SECOND,
         manifest(3, on=2, date=16, action="alter")], {}, 16),
        ("and it has none of an earlier full load", [FIRST, SECOND,
         manifest(3, on=2, date=16, generation=2)], {}, 16),
    ],
)  # fmt: skip
def test_changes_of_a_full_refresh_count_from_after(
    why: str, replaced: list[Manifest], recorded: dict[int, Recorded], last_date: int
) -> None:
    refresh = manifest(len(replaced) + 1, date=18)
    plan = planned((*replaced, refresh), [closed(2, 14)], recorded)
    assert plan.base is not None
    assert (plan.base.manifest, plan.base.last_date) == (None, day(last_date)), why
    assert runs(plan) == [(refresh.version, f"{last_date + 1}")]


# ------------------------------------------------------------------------- full loads


def last_run(before: dict[str, Any], after: dict[str, Any]) -> Any:
    versions = (manifest(1, **before), manifest(2, on=1, date=14, **after))
    return planned(versions, []).runs[-1]


@pytest.mark.parametrize(
    ("why", "before", "after", "oldest", "reloads"),
    [
        ("the same full load", {}, {}, 1, ()),
        ("a newer one replaces all rows", {}, {"generation": 2}, 1, (Reload(2, (2,), None),)),
        (
            "of several folders only those that began again",
            {"shards": {"eu": 1, "us": 7}}, {"shards": {"eu": 2, "us": 7, "asia": 9}},
            1, (Reload(2, (2,), "eu"),),
        ),
        (
            "a table that gets several folders begins again in none",
            {"generation": 3}, {"shards": {"eu": 5, "us": 7}}, 1, (),
        ),
    ],
)  # fmt: skip
def test_a_newer_full_load_replaces_rows(
    why: str, before: dict[str, Any], after: dict[str, Any], oldest: int, reloads: Any
) -> None:
    run = last_run(before, after)
    assert (run.oldest_generation, run.reloads) == (oldest, reloads), why


def test_a_run_takes_no_changes_from_before_the_full_load_of_the_run_before() -> None:
    assert last_run({"generation": 4}, {"generation": 5}).oldest_generation == 4


def test_a_first_history_replaces_nothing_and_a_full_refresh_all() -> None:
    assert planned((FIRST,), []).runs[0].reloads == ()
    refresh = manifest(2, date=15, generation=2)
    assert planned((FIRST, refresh), [closed(1, 13)]).runs[0].reloads == (Reload(2, (2,), None),)


# ----------------------------------------------------------------------------- vacuum


def test_the_open_rows_that_a_history_would_go_on_from_are_kept() -> None:
    versions = by_number(
        FIRST,
        SECOND,
        manifest(3, of=1),
        manifest(4, on=3, date=15),
        manifest(5, date=16),
        manifest(6, on=1, date=12, current_version=5),
    )
    rows = [closed(4, 15), closed(2, 14), closed(1, 13)]
    for kept, folders in [
        ([1], ("1/open",)),
        ([2, 3], ("2/open", "1/open")),
        ([4, 5, 6], ("4/open",)),
        ([], ()),
    ]:
        assert open_folders(versions, rows, kept) == folders
    assert open_folders(versions, [], [1, 5]) == ()


def test_open_rows_of_before_two_full_refreshes_are_kept() -> None:
    # A history of the 15th goes on from them: see above.
    versions = by_number(FIRST, manifest(2, date=13), manifest(3, date=15))
    assert open_folders(versions, [closed(1, 13)], [3]) == ("1/open",)
    assert open_folders(versions, [closed(1, 13)], [2]) == ()


def test_no_further_than_to_the_rows_is_read() -> None:
    asked = Asked(by_number(FIRST, SECOND, THIRD, manifest(4, on=3, date=16)))
    plan_history(asked, 4, {1: Recorded((day(13),))}, [closed(3, 15)], None)
    assert asked.asked == {4, 3}


# ------------------------------------------------------------------------- published


def test_a_version_that_is_not_published_whole_is_waited_for() -> None:
    check_finished("hr.people", "people_history", None, {}, [])
    check_finished("hr.people", "people_history", 2, {2: Recorded()}, [])
    check_finished("hr.people", "people_history", 2, {}, [2])
    with pytest.raises(DmsError) as raised:
        check_finished("hr.people", "people_history", 2, {1: Recorded()}, [1])
    assert str(raised.value) == (
        "hr.people: version 2 was committed, and the command that made it has not published all "
        "of it. Nothing of people_history was changed. If that command is not at work any more, "
        "run dbt run, which finishes it. Then dbt snapshot. [E408]"
    )
