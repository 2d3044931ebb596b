"""A large file that waits for a run, and is not given while it is read."""

from functools import partial
from pathlib import Path
from typing import Any

import obstore
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from obstore.exceptions import PermissionDeniedError

from pyspark_dms import stores
from pyspark_dms.compare.sides import ComparedTable
from pyspark_dms.compare.waiting import _changed
from pyspark_dms.errors import DmsError
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading import batches
from pyspark_dms.reading.columns import parse_column
from pyspark_dms.reading.indexed_files import ReadSettings

SETTINGS = ReadSettings((parse_column("id", "int"),), ("id",), "Op")
PEOPLE = ComparedTable("hr.people", (), ())


@pytest.mark.parametrize(
    ("happens", "told"),
    [
        ("written again", "was written again"),
        ("deleted", "no longer there"),
        ("refused", "the store says AccessDenied"),
    ],
)
def test_a_waiting_file_that_is_not_given_any_more_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, happens: str, told: str
) -> None:
    path = tmp_path / "20201116-100000000.parquet"
    rows = pa.table({"Op": ["I"] * 9000, "id": range(9000)})
    write = partial(pq.write_table, rows, path, row_group_size=1000)
    write()
    ((listed,),) = stores.list_objects(str(tmp_path))
    file = IndexedFile(listed.path, listed.size, "cdc", listed.etag, 1, 1, "")
    # As if it were large: a request for each part that is read.
    monkeypatch.setattr(stores, "_FETCH_WHOLE_BYTES", 0)
    monkeypatch.setattr(stores, "_BUFFER_BYTES", 1)
    monkeypatch.setattr(batches, "_BATCH_BYTES", 1024)
    get, asked = obstore.get, []

    def get_a_part(*what: Any, **options: Any) -> Any:
        asked.append(what)
        if len(asked) == 10:
            if happens == "refused":
                raise PermissionDeniedError("<Code>AccessDenied</Code>")
            write() if happens == "written again" else path.unlink()
        return get(*what, **options)

    monkeypatch.setattr("obstore.get", get_a_part)
    with pytest.raises(DmsError, match=f"hr.people: {listed.path}: .*{told}"):
        _changed([file], SETTINGS, PEOPLE, frozenset())
