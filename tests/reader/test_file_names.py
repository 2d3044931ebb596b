"""What names of files mean, beyond what a run of dbt shows."""

from datetime import UTC, datetime

import pytest

from pyspark_dms import stores
from pyspark_dms.landing.file_names import classify_transactions
from pyspark_dms.landing.listing import ListedTable, list_table


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_a_name_with_a_time_that_no_index_can_hold_is_unknown_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    times = ["00010101-000000000", "16000101-000000000", "20200101-000000000", "99991231-235959000"]
    objects = [
        stores.StoredObject(path=f"/t/{time}.csv", size=1, etag="e", modified_at=datetime.now(UTC))
        for time in times
    ]
    monkeypatch.setattr(stores, "list_objects", lambda path, start=None: iter([objects]))
    listing = list_table(ListedTable("/t", timezone=zone))
    assert [folder.problem for folder in listing.folders] == [None]
    kinds = [found.kind for found in listing.objects]
    assert kinds == ["unknown", "unknown", "cdc", "unknown"]


@pytest.mark.parametrize(
    ("name", "time", "order"),
    [
        ("CDC_TXN-20261120101530123.csv", (10, 15, 30, 123_000), 123_000_000),
        ("CDC_TXN-20261120101530.csv", (10, 15, 30, 0), 0),
        ("CDC_TXN-202611201015305.csv.gz", (10, 15, 30, 500_000), 500_000_000),
        ("cdc_txn-20261120101530123456789.CSV", (10, 15, 30, 123_456), 123_456_789),
        # A tenth digit does not count.
        ("CDC_TXN-202611201015301234567891.csv", (10, 15, 30, 123_456), 123_456_789),
    ],
)
def test_the_name_of_a_transaction_file_gives_its_time_and_order(
    name: str, time: tuple[int, int, int, int], order: int
) -> None:
    found = classify_transactions(f"s3://dms/transactions/{name}")
    assert (found.kind, found.file_time) == ("cdc", datetime(2026, 11, 20, *time, tzinfo=UTC))
    second = int(datetime(2026, 11, 20, 10, 15, 30, tzinfo=UTC).timestamp())
    assert found.name_order == second * 10**9 + order


@pytest.mark.parametrize(
    "name",
    [
        "CDC_TXN-20261120101530.parquet",
        "CDC_TXN-20261320101530.csv",
        "CDC_TXN-20261120.csv",
        "20261120-101530123.csv",
        "LOAD00000001.csv",
    ],
)
def test_another_name_in_the_folder_of_transactions_is_not_read(name: str) -> None:
    assert classify_transactions(f"s3://dms/transactions/{name}").kind == "unknown"
