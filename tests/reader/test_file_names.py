"""What names of files mean, beyond what a run of dbt shows."""

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from pyspark_dms import stores
from pyspark_dms.landing.listing import ListedTable, list_tables


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
    table = ListedTable("source", "t", "/t", timezone=zone)
    rows = pa.Table.from_batches(list_tables([table])).to_pylist()
    assert [row["problem"] for row in rows] == [None] * len(rows)
    assert [row["kind"] for row in rows] == ["unknown", "unknown", "cdc", "unknown", "listed"]
