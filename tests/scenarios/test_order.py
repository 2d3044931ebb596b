"""Which change of a key is the newest: by file, by change sequence, by commit time."""

import json
from typing import Any

import pytest

from tests.conftest import NewProject
from tests.support.dms_files import written_at
from tests.support.project import Table
from tests.support.side_by_side import (
    COLUMNS,
    FailingRun,
    Run,
    SharedRows,
    Steps,
    scenario,
    shared_scenario,
)

TIMES: dict[str, Any] = {"table": "timed", "timestamp_column": "committed_at"}
BY_TIME: dict[str, Any] = {
    "table": "by_time",
    "timestamp_column": "committed_at",
    "order_by": "timestamp",
}
BY_SEQUENCE: dict[str, Any] = {
    "columns": {"id": "int", "name": "string"},
    "change_seq_column": "seq",
    "order_by": "change_seq",
}

NINE = "2020-11-14 09:00:00.000000"
TEN = "2020-11-14 10:00:00.000000"
# After every change of the day: DMS stamps a full load with the time at which it copied the row.
LATE_LOAD = "2020-11-14 23:00:00.000000"


@shared_scenario(**TIMES)
def test_equal_timestamps_in_one_file_are_ordered_by_row(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 1, "second"), ("U", 1, "first"), at=NINE)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "first")]


@shared_scenario(**TIMES)
def test_equal_timestamps_over_two_files_are_ordered_by_file(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-110000000", ("U", 1, "in the later file"), at=NINE)
    people.write_changes("20201114-100000000", ("U", 1, "in the first file"), at=NINE)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "in the later file")]


@shared_scenario(**TIMES)
def test_the_order_of_files_counts_even_if_the_clock_of_the_source_steps_back(
    people: SharedRows,
) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 1, "first"), at=TEN)
    people.write_changes("20201114-110000000", ("U", 1, "second"), at=NINE)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "second")]


@pytest.mark.thorough
@scenario(timestamp_column="committed_at")
def test_a_full_load_stamped_later_than_the_first_changes_is_still_older(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"), at=LATE_LOAD)
    people.write_changes("20201114-100000000", ("U", 1, "Anna"), ("D", 2, "Bo"), at=NINE)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@scenario(timestamp_column="committed_at", order_by="timestamp")
def test_a_full_load_stamped_later_is_older_also_when_ordered_by_time(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"), at=LATE_LOAD)
    people.write_changes("20201114-100000000", ("U", 1, "Anna"), ("D", 2, "Bo"), at=NINE)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@scenario(timestamp_column="committed_at", order_by="timestamp")
def test_a_full_load_stamped_later_is_older_than_the_changes_of_a_later_run(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"), at=LATE_LOAD)
    yield Run("2020-11-13")
    people.write_changes("20201114-100000000", ("U", 1, "Anna"), ("D", 2, "Bo"), at=NINE)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "Anna")]


@scenario(timestamp_column="committed_at", order_by="timestamp")
def test_a_full_load_stamped_later_is_older_also_if_its_keys_repeat(people: Table) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"), at=LATE_LOAD)
    people.write_load((1, "Ann"), (2, "Bo"), name="LOAD00000002.parquet", at=LATE_LOAD)
    people.write_changes("20201113-100000000", ("U", 1, "Anna"), ("D", 2, "Bo"), at=NINE)
    yield Run("2020-11-13")
    assert people.snapshot("2020-11-13") == [(1, "Anna")]


@shared_scenario(**BY_TIME)
def test_by_time_the_later_commit_counts_whatever_its_file(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"))
    people.write_changes("20201114-100000000", ("U", 1, "committed later"), at=TEN)
    people.write_changes("20201114-110000000", ("U", 1, "delivered later"), at=NINE)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "committed later")]


@shared_scenario(**BY_TIME)
def test_by_time_equal_times_are_ordered_by_file_and_row(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-100000000", ("U", 1, "b"), ("U", 2, "y"), ("U", 2, "x"), at=NINE)
    people.write_changes("20201114-110000000", ("U", 1, "a"), at=NINE)
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "a"), (2, "x")]


@shared_scenario(**BY_TIME)
def test_by_time_an_older_commit_of_a_later_day_does_not_count(people: SharedRows) -> Steps:
    people.write_load((1, "Ann"), (2, "Bo"))
    people.write_changes("20201114-100000000", ("U", 1, "newest"), at=TEN)
    yield Run("2020-11-14")
    people.write_changes("20201115-100000000", ("U", 1, "older"), ("U", 2, "only"), at=NINE)
    yield Run("2020-11-15")
    assert people.snapshot("2020-11-15") == [(1, "newest"), (2, "only")]


@scenario(**BY_SEQUENCE)
def test_by_sequence_the_higher_change_sequence_counts_whatever_its_file(people: Table) -> Steps:
    with_sequence = {"seq": "string", **people.columns}
    first, second = "20201114090000000000000000000000001", "20201114090000000000000000000000002"
    # Empty in full loads.
    people.write_load((None, 1, "Ann"), (None, 2, "Bo"), columns=with_sequence)
    people.write_changes(
        "20201114-100000000", ("U", second, 1, "2nd"), ("U", first, 2, "1st"), columns=with_sequence
    )
    people.write_changes(
        "20201114-110000000", ("U", first, 1, "1st"), ("U", second, 2, "2nd"), columns=with_sequence
    )
    yield Run("2020-11-14")
    assert people.snapshot("2020-11-14") == [(1, "2nd"), (2, "2nd")]


@pytest.mark.thorough
@scenario(**BY_SEQUENCE)
def test_a_change_without_the_sequence_that_orders_it_is_refused(people: Table) -> Steps:
    with_sequence = {"seq": "string", **people.columns}
    people.write_load((None, 1, "Ann"), columns=with_sequence)
    people.write_changes(
        "20201114-100000000", ("U", "1", 1, "1st"), ("U", "", 1, "2nd"), columns=with_sequence
    )
    error = yield FailingRun("2020-11-14")
    assert "20201114-100000000.parquet" in error
    assert "row 2, column seq: it is empty, but order_by is change_seq" in error


@pytest.mark.thorough
@scenario(timestamp_column="committed_at", order_by="timestamp")
def test_a_change_without_the_time_that_orders_it_is_refused(people: Table) -> Steps:
    people.write_load((1, "Ann"), at=LATE_LOAD)
    (people.folder / "20201114-100000000.csv").write_text(f"U,{NINE},1,1st\nU,NULL,1,2nd\n")
    error = yield FailingRun("2020-11-14")
    assert "20201114-100000000.csv" in error
    assert "row 2, column committed_at: it is empty, but order_by is timestamp" in error


@pytest.mark.thorough
@scenario(**BY_SEQUENCE)
def test_a_sequence_of_numbers_is_refused_because_it_would_be_ordered_as_text(
    people: Table,
) -> Steps:
    with_sequence = {"seq": "bigint", **people.columns}
    people.write_changes(
        "20201114-100000000", ("I", 9, 1, "1st"), ("U", 10, 1, "2nd"), columns=with_sequence
    )
    error = yield FailingRun("2020-11-14")
    assert "20201114-100000000.parquet" in error
    assert "change_seq_column and has type int64; the sequence is ordered as text" in error


def test_what_is_doubtful_is_warned_of(new_project: NewProject) -> None:
    """Commit times that fall, and updates of keys that are unknown: perhaps their key changed."""
    project = new_project("doubtful")
    clear = project.declare("clear", COLUMNS, ["id"], timestamp_column="committed_at")
    doubtful = project.declare("doubtful", COLUMNS, ["id"], timestamp_column="committed_at")
    for table, times, key in ((clear, [NINE, NINE, TEN], 2), (doubtful, [NINE, TEN, NINE], 3)):
        table.write_load((1, "Ann"), at=LATE_LOAD)
        table.write_changes(
            "20201114-100000000", ("I", 2, "Bo"), ("U", 1, "Anna"), ("U", key, "?"), at=times
        )
        tests = ["order_has_no_inversions", {"no_update_of_an_unknown_key": {"keys": ["id"]}}]
        properties = {"models": [{"name": table.staging_model, "data_tests": tests}]}
        path = project.folder / f"models/staging/hr/_{table.name}.yml"
        path.write_text(json.dumps(properties))
    assert project.run("2020-11-14").ok
    result = project.dbt("test", "--select", clear.staging_model, doubtful.staging_model)
    assert result.ok, result.errors
    assert {
        (name.split("_stg_")[0], "doubtful" in name.removesuffix("_")): model.status
        for name, model in result.models.items()
        if "_stg_" in name
    } == {
        ("order_has_no_inversions", False): "pass",
        ("order_has_no_inversions", True): "warn",
        ("no_update_of_an_unknown_key", False): "pass",
        ("no_update_of_an_unknown_key", True): "warn",
    }


@scenario(timestamp_column="committed_at")
def test_local_commit_times_are_warned_of_and_right_in_the_zone_that_is_named(
    people: Table,
) -> Steps:
    load = people.write_load((1, "Ann"), at="2020-11-13 10:00:00.000000")
    written_at(load, 13, 8)
    people.write_changes("20201114-100000000", ("U", 1, "Anna"), at="2020-11-14 11:59:30.000000")
    said = yield Run("2020-11-13")
    assert "commit times of its full load are 2:00 h ahead of UTC: LOAD00000001.parquet" in said
    said = yield Run("2020-11-14")
    assert "commit times of its changes are 2:00 h ahead of UTC: 20201114-100000000.p" in said
    people.project.declare(
        people.name, people.columns, ["id"],
        timestamp_column="committed_at", timestamp_timezone="Etc/GMT-2",
    )  # fmt: skip
    said = yield Run("2020-11-14", full_refresh=True)
    assert "warning" not in said
    assert [f"{row[0]}" for row in people.staged("date_format(_dms_committed_at, 'dd HH:mm')")] == [
        "13 08:00", "14 09:59",
    ]  # fmt: skip
