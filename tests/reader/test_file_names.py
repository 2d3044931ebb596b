"""What names of files mean, beyond what a run of dbt shows."""

from datetime import UTC, datetime

import pytest

from pyspark_dms import stores
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
