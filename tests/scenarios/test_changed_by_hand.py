"""Files of published versions that somebody wrote or deleted by hand: seen by their names.

Each of these tables has the same rows at the source, whatever was done to its files.
"""

import re
from datetime import date

import pyarrow.parquet as pq
import pytest

from tests.scenarios.test_operations import visible
from tests.scenarios.test_passed_tests import declare_tests, run_tests
from tests.support.dms_files import Row
from tests.support.project import Table, local_path
from tests.support.side_by_side import COLUMNS, FailingRun, Run, Steps, scenario

DATED = {**COLUMNS, "born_on": "date"}
MAY, JUNE = date(2020, 5, 1), date(2020, 6, 1)
FIRST, SECOND, THIRD = "2020-11-13", "2020-11-14", "2020-11-15"
AFTER: dict[str, list[Row]] = {
    FIRST: [(1, "Ann", MAY), (2, "Bo", MAY), (3, "Cy", JUNE)],
    SECOND: [(1, "Anna", MAY), (2, "Bo", MAY), (3, "Cy", JUNE)],
    THIRD: [(1, "Anna", MAY), (2, "Bo", MAY), (4, "Di", JUNE)],
}


def write_files(table: Table) -> None:
    """A load, an update in May on the second date, and changes in June on the third."""
    table.write_load(*AFTER[FIRST])
    table.write_changes("20201114-100000000", ("U", 1, "Anna", MAY))
    table.write_changes("20201115-100000000", ("D", 3, None, None), ("I", 4, "Di", JUNE))


def source(table: Table, last: str) -> dict[str, list[Row]]:
    """What readers should see after a date."""
    dates = {day: AFTER[day] for day in AFTER if day <= last}
    return {"current": AFTER[last], **(dates if table.history else {"snapshot": AFTER[last]})}


def by_hand(table: Table, statement: str) -> None:
    """Write to one of its tables as a person does in Spark SQL."""
    table.project.query(statement.replace("lake.", f"{table.project.schema}.{table.name}_"))


def repair(table: Table) -> tuple[str, str]:
    """What the command says that it would do, and what it has done."""
    select = table.label
    would, done = (
        table.project.operate("repair", select=select, dry_run=dry) for dry in (True, False)
    )
    assert (
        f"To do it: dbt run-operation repair --args '{{select: {select}, dry_run: false}}'" in would
    )
    return would, done


@scenario(DATED)
def test_a_row_more_is_seen_and_goes(people: Table) -> Steps:
    write_files(people)
    yield Run(FIRST)
    by_hand(people, "insert into lake.current values (9, 'Hans', date'2020-05-01')")
    error = yield FailingRun(SECOND)
    assert "files of version 1 were changed by hand: 1 more (part-" in error
    command = f"dbt run-operation repair --args '{{select: {people.label}}}'"
    assert command in error
    assert "rollback" not in error
    would, done = repair(people)
    assert "would delete 1 file" in would
    assert "deleted 1 file" in done
    assert visible(people) == source(people, FIRST)
    yield Run(SECOND)
    yield Run(THIRD)
    assert visible(people) == source(people, THIRD)
    assert [version["action"] for version in people.versions()] == ["build", "merge", "merge"]
    assert "as the version history says" in repair(people)[0]


def overwritten(people: Table, target: str, partition: str = "") -> Steps:
    """As many rows as before, after two versions."""
    write_files(people)
    yield Run(FIRST)
    yield Run(SECOND)
    by_hand(
        people,
        f"insert overwrite lake.{target} {partition} select id, 'Hans', born_on"
        f" from values (1, date'2020-05-01'), (2, date'2020-05-01'), (3, date'2020-06-01')"
        " as hand (id, born_on)",
    )
    if target == "current" and not people.has_feed:
        declare_tests(people.project, people)
        assert run_tests(people.project, "--vars", "{test_again: true}").failed == [
            f"snapshot_is_whole_{people.snapshot_model}_id"
        ]
    error = yield FailingRun(THIRD)
    found = r"files of version 2 were changed by hand: \d more \(part-.*, \d missing \(part-"
    assert re.search(found, error), error
    repair(people)
    assert visible(people) == source(people, SECOND)
    yield Run(THIRD)
    assert visible(people) == source(people, THIRD)


@pytest.mark.thorough
@scenario(DATED)
def test_as_many_other_rows_are_seen_and_the_published_ones_come_back(people: Table) -> Steps:
    yield from overwritten(people, "current")


@pytest.mark.thorough
@scenario(DATED, history=False)
def test_without_history_too(people: Table) -> Steps:
    yield from overwritten(people, "snapshot")


@pytest.mark.thorough
@scenario(DATED, change_feed=True)
def test_the_change_feed_has_no_row_of_the_hand(people: Table) -> Steps:
    yield from overwritten(people, "current")
    assert people.feed() == {
        FIRST: [("insert", 1, None, "Ann", None, MAY), ("insert", 2, None, "Bo", None, MAY),
                ("insert", 3, None, "Cy", None, JUNE)],
        SECOND: [("update", 1, "Ann", "Anna", MAY, MAY)],
        THIRD: [("delete", 3, "Cy", None, JUNE, None), ("insert", 4, None, "Di", None, JUNE)],
    }  # fmt: skip


@scenario(DATED, partition_date="born_on", partition_granularity="month")
def test_of_partitions_that_dates_share_each_is_as_it_was(people: Table) -> Steps:
    write_files(people)
    yield Run(FIRST)
    yield Run(SECOND)
    # June is that of the first version; May has a folder for each of the two.
    of_date = f"lake.snapshot partition (snapshot_date = '{SECOND}', partition_date = "
    by_hand(people, f"insert overwrite {of_date}'2020-06-01') values (3, 'Hans', date'2020-06-01')")
    by_hand(people, f"insert into {of_date}'2020-05-01') values (1, 'Hans', date'2020-05-01')")
    # A partition that no version has.
    by_hand(people, f"insert into {of_date}'2020-09-01') values (8, 'Hans', date'2020-09-01')")
    error = yield FailingRun(THIRD)
    assert "files of version 2 were changed by hand" in error
    would, done = repair(people)
    assert "would delete 1 file" in would
    assert "would build" in would
    assert visible(people) == source(people, SECOND), (would, done)
    yield Run(THIRD)
    assert visible(people) == source(people, THIRD)


@pytest.mark.thorough
@scenario(DATED)
def test_an_earlier_date_that_was_changed_comes_back(people: Table) -> Steps:
    write_files(people)
    yield Run(FIRST)
    yield Run(SECOND)
    by_hand(
        people,
        f"insert overwrite lake.snapshot partition (snapshot_date = '{FIRST}')"
        " values (1, 'Hans', date'2020-05-01')",
    )
    # No run builds on it.
    yield Run(THIRD)
    refused = people.project.operate_in_vain("rollback_to", select=people.label, to=1)
    assert "files of version 1 were changed by hand" in refused
    assert "repair" in refused
    repair(people)
    assert visible(people) == source(people, THIRD)


@pytest.mark.thorough
@scenario(DATED)
def test_a_file_with_other_rows_under_its_name_is_seen_by_their_number(people: Table) -> Steps:
    write_files(people)
    yield Run(FIRST)
    yield Run(SECOND)
    (file,) = local_path(people.versions()[1]["locations"][0]).glob("*.parquet")
    pq.write_table(pq.read_table(file)[:1], file)
    (file.parent / f".{file.name}.crc").unlink(missing_ok=True)
    error = yield FailingRun(THIRD)
    assert "they had 3 rows when it was written, and have 1" in error
    assert "dbt run-operation repair" in error
    repair(people)
    yield Run(THIRD)
    assert visible(people) == source(people, THIRD)


@pytest.mark.thorough
@scenario(DATED)
def test_a_date_that_backfill_has_made_is_made_again(people: Table) -> Steps:
    write_files(people)
    yield Run(FIRST)
    yield Run(THIRD)
    arguments = {"select": people.label, "from_date": SECOND, "to_date": SECOND}
    people.project.operate("backfill", **arguments, dry_run=False)
    assert visible(people) == source(people, THIRD)
    for file in local_path(people.versions()[2]["locations"][0]).glob("*.parquet"):
        file.unlink()
    repair(people)
    assert visible(people) == source(people, THIRD)


@pytest.mark.thorough
@scenario(DATED)
def test_what_staging_no_longer_has_is_not_built_from_less(people: Table) -> Steps:
    write_files(people)
    yield Run(FIRST)
    yield Run(SECOND)
    staged = people.root().parent / people.staging_model
    for file in [*local_path(people.versions()[1]["locations"][0]).glob("*.parquet"),
                 *next(iter(sorted(staged.iterdir()))).glob("*.parquet")]:  # fmt: skip
        file.unlink()
    refused = people.project.operate_in_vain("repair", select=people.label, dry_run=False)
    assert "version 2 cannot be built again" in refused
    assert "Nothing was changed" in refused
    assert "--full-refresh" in refused
    yield Run(THIRD, full_refresh=True)
    assert people.current() == AFTER[THIRD]
