"""Including files again, where versions were published since their rollback."""

from dataclasses import replace

import pytest

from pyspark_dms.errors import DmsError
from pyspark_dms.versions.manifest import Manifest
from pyspark_dms.versions.reapplies import (
    check_included,
    excluded_versions,
    include_again,
    included_report,
)
from pyspark_dms.versions.states import Command, Recorded, TableState, table_state
from tests.versions.made import PEOPLE, by_number, day, manifest, names

NOW = Command("20201231T060000000000Z", "2020-12-31 06:00:00.000000")
# The 15th is undone, then the 14th; then other files come.
UNDONE = (
    manifest(1, date=13, applied="load"),
    manifest(2, on=1, date=14, applied="a"),
    manifest(3, on=2, date=15, applied="b x"),
    manifest(4, on=1, of=2, date=14, applied="a", excluded="b x", action="rollback"),
    manifest(5, of=1, date=13, applied="load", excluded="a b x", action="rollback"),
    manifest(6, on=5, date=16, applied="c", excluded="a b x", dates={13: 1, 16: 6}),
)


def state(*versions: Manifest, recorded: dict[int, Recorded] | None = None) -> TableState:
    whole = {one.version: Recorded() for one in versions}
    return table_state(by_number(*versions), len(versions), {**whole, **(recorded or {})})


def newest(excluded: str, **fields: object) -> Manifest:
    return manifest(7, on=6, date=17, applied="d", excluded=excluded, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("why", "versions", "found"),
    [
        ("the newest rollback comes first", UNDONE, (2,)),
        ("then the one before it", (*UNDONE, newest("b x")), (3,)),
        ("also if only some of its files are left", (*UNDONE, newest("x")), (3,)),
        ("nothing is left", (*UNDONE, newest("")), ()),
        ("only other files are left", (*UNDONE, newest("z")), ()),
        ("a newer full load needs none of them", (*UNDONE, newest("a b x", generation=2)), ()),
        (
            "but each folder of a table has its own full loads",
            (*UNDONE, newest("a b x", generation=2, shards={"eu": 2})),
            (2,),
        ),
        ("nothing was rolled back", UNDONE[:3], ()),
    ],
)
def test_the_undone_versions_of_which_files_are_excluded(
    why: str, versions: tuple[Manifest, ...], found: tuple[int, ...]
) -> None:
    assert excluded_versions(state(*versions)) == found, why


def test_one_rollback_may_have_undone_several_versions() -> None:
    versions = (
        *UNDONE[:3],
        manifest(4, of=1, date=13, applied="load", excluded="a b x", action="rollback_to"),
        manifest(5, on=4, date=16, applied="c", excluded="a b x"),
    )
    assert excluded_versions(state(*versions)) == (2, 3)


def test_files_are_included_again_and_the_state_stays() -> None:
    table = state(*UNDONE, recorded={6: Recorded((day(18),))})
    again = include_again(PEOPLE, table, NOW)
    assert (again.versions, names(again.files), again.run_date) == ((2,), "a", day(18))
    made = again.manifest
    assert (made.version, made.restored_version, made.action) == (7, 6, "reapply")
    assert (names(made.excluded_files), names(made.included_files)) == ("b x", "a")
    assert (made.partitions, made.base_version) == (UNDONE[5].partitions, 5)
    assert {one.run_date: one.version for one in made.dates} == dict(table.shown.dates)


def test_what_was_included_before_stays_included() -> None:
    again = include_again(PEOPLE, state(*UNDONE, newest("b x", included="a")), NOW)
    assert names(again.manifest.included_files) == "a b x"


def test_the_run_that_takes_files_again_is_not_before_their_own_date() -> None:
    late = (*UNDONE[:2], replace(UNDONE[2], run_date=day(20)), *UNDONE[3:], newest("b x"))
    assert include_again(PEOPLE, state(*late), NOW).run_date == day(20)


def test_a_table_with_nothing_to_include_is_named() -> None:
    with pytest.raises(DmsError) as raised:
        include_again(PEOPLE, state(*UNDONE[:3]), NOW)
    assert str(raised.value) == (
        "hr.people: no file is excluded that the full load of today would take, so there is "
        "nothing to reapply. Nothing was changed. Any version that the lake still has: dbt "
        "run-operation rollback_to. [E416]"
    )


@pytest.mark.parametrize(
    ("missing", "left", "said"),
    [
        (
            ["a", "b"], 1,
            "2 are missing, for instance a. Nothing was changed. Put them back as they were and "
            "let dbt run index them, or go to",
        ),
        (
            ["a"], 1,
            "1 is missing, for instance a. Nothing was changed. Put them back as they were and "
            "let dbt run index them, or go to",
        ),
        (
            [], 0,
            "all were uploaded again, or belong to a full load that another full load replaces. "
            "Nothing was changed. What was uploaded last is taken by dbt run; or go to",
        ),
    ],
)  # fmt: skip
def test_files_that_cannot_be_included_again_are_named(
    missing: list[str], left: int, said: str
) -> None:
    again = include_again(PEOPLE, state(*UNDONE), NOW)
    check_included(PEOPLE, again, [], 1)
    with pytest.raises(DmsError) as raised:
        check_included(PEOPLE, again, missing, left)
    assert str(raised.value) == (
        f"hr.people: the files of undone version 2 cannot be included again: {said} a "
        "version that has them while its files are in the lake: dbt run-operation versions, then "
        "rollback_to. [E417]"
    )


@pytest.mark.parametrize(("dry_run", "are"), [(True, "would be"), (False, "are")])
def test_what_is_included_again_is_said_with_the_run_that_takes_it(dry_run: bool, are: str) -> None:
    again = include_again(PEOPLE, state(*UNDONE), NOW)
    assert included_report(PEOPLE, again, 1, "dbt run", dry_run=dry_run) == (
        f"hr.people: the files of undone version 2 {are} no longer excluded: 1. Versions "
        "were published since, so readers see them when a run has put them in their place among "
        "the other changes: dbt run, or that of any later date"
    )
