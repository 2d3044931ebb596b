"""How much of a Parquet file is in memory at a time."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyspark_dms import batches
from tests.reader.reading import read_in_batches

LIMIT = 8 * 1024 * 1024


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "_BATCH_BYTES", LIMIT)
    monkeypatch.setattr(batches, "_REPEATED_BYTES", LIMIT)


def sizes(path: Path) -> list[int]:
    """How much the names of each batch take; all rows are there, in their order."""
    found, _ = read_in_batches(path, {"id": "int", "name": "string"}, "load")
    count = pq.ParquetFile(path).metadata.num_rows
    assert [key for batch in found for key in batch["id"].to_pylist()] == list(range(count))
    return [batch["name"].nbytes for batch in found]


@pytest.mark.parametrize(("text", "count"), [("{}" + "y" * 2000, 5), ("y" * 2000, 5), ("{}", 1)])
def test_small_row_groups_are_joined_up_to_the_limit_of_memory(
    tmp_path: Path, text: str, count: int
) -> None:
    path = tmp_path / "rows.parquet"
    rows = [text.format(number) for number in range(16_000)]
    table = pa.table({"id": pa.array(range(16_000), pa.int32()), "name": rows})
    pq.write_table(table, path, row_group_size=1000)
    found = sizes(path)
    assert max(found) <= LIMIT
    assert len(found) <= count


def test_rows_that_are_longer_than_the_first_ones_do_not_all_come_at_once(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    rows = pa.array([0] * 1024 + [1] * 15_000, pa.int32())
    names = pa.DictionaryArray.from_arrays(rows, pa.array(["x", "y" * 1500]))
    table = pa.table({"id": pa.array(range(16_024), pa.int32()), "name": names})
    pq.write_table(table, path, store_schema=False)
    assert max(sizes(path)) <= LIMIT


@pytest.mark.parametrize(
    "written",
    [
        pytest.param({"store_schema": False}, id="dictionary"),
        pytest.param({"store_schema": True}, id="dictionary in the schema"),
        pytest.param(
            {"use_dictionary": False, "column_encoding": {"name": "DELTA_BYTE_ARRAY"}}, id="prefix"
        ),
    ],
)
def test_a_long_text_that_repeats_comes_with_few_rows(
    tmp_path: Path, written: dict[str, Any]
) -> None:
    path = tmp_path / "rows.parquet"
    rows = pa.array([0] * 1000 + [1] * 100, pa.int32())
    names = pa.DictionaryArray.from_arrays(rows, pa.array(["x", "y" * 1_000_000]))
    if "use_dictionary" in written:
        names = names.dictionary_decode()
    pq.write_table(
        pa.table({"id": pa.array(range(1100), pa.int32()), "name": names}), path, **written
    )
    assert path.stat().st_size < LIMIT
    assert max(sizes(path)) <= LIMIT
