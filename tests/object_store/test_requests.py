"""What a run may ask of an object store and of the metastore: both are paid for by the call."""

from collections.abc import Mapping

import pytest

from bench.requests import INDEX, LANDING_AREA, METADATA, SNAPSHOTS, STAGING, Counted, count

pytestmark = pytest.mark.thorough
# Of the sample: all tables, and those with changes on its second date.
TABLES, CHANGED = 7, 6
INDEX_REQUESTS = 30
UNCHANGED_REQUESTS, UNCHANGED_CALLS = 10, 15
CHANGED_REQUESTS, CHANGED_CALLS = 120, 60


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Counted]:
    return count(tmp_path_factory.mktemp("requests"))


def test_an_unchanged_table_costs_few_requests_and_calls(counted: Mapping[str, Counted]) -> None:
    of_date = counted["unchanged date"]
    assert of_date.requests[STAGING] + of_date.requests[SNAPSHOTS] <= TABLES * UNCHANGED_REQUESTS
    assert of_date.calls[STAGING] + of_date.calls[SNAPSHOTS] <= TABLES * UNCHANGED_CALLS
    assert of_date.commands["alter_table"] == 0


def test_a_changed_table_costs_no_more_than_its_budget(counted: Mapping[str, Counted]) -> None:
    of_date = counted["second date"]
    unchanged = TABLES - CHANGED
    requests = of_date.requests[STAGING] + of_date.requests[SNAPSHOTS]
    # Of the metadata, what a run asks anyway is no table's.
    requests += of_date.requests[METADATA] - counted["unchanged date"].requests[METADATA]
    calls = of_date.calls[STAGING] + of_date.calls[SNAPSHOTS]
    assert requests <= CHANGED * CHANGED_REQUESTS + unchanged * UNCHANGED_REQUESTS
    assert calls <= CHANGED * CHANGED_CALLS + unchanged * UNCHANGED_CALLS


@pytest.mark.parametrize("date", ["second date", "third date", "unchanged date"])
def test_the_index_costs_no_more_than_its_budget(counted: Mapping[str, Counted], date: str) -> None:
    # Beside its own table, a listing of each folder; what else lands there is read by staging.
    assert counted["unchanged date"].requests[LANDING_AREA] == TABLES
    assert counted[date].requests[INDEX] + TABLES <= INDEX_REQUESTS
