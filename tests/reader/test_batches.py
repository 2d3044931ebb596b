"""How much of a Parquet file is in memory at a time."""

import hashlib
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyspark_dms.reading import batches
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


def test_of_a_file_with_none_of_the_columns_the_rows_are_still_there(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"id": pa.array(range(1100), pa.int32())}), path, row_group_size=500)
    parquet = pq.ParquetFile(path)
    found = batches.read_batches(parquet, [0, 1, 2], [], pq.ParquetFile)
    assert sum(batch.num_rows for batch in found) == 1100


def test_long_texts_are_looked_for_in_one_more_opening_of_the_file_and_little_is_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rows.parquet"
    names = [hashlib.md5(str(number).encode()).hexdigest() for number in range(200_000)]
    # The dictionary ends where it gets too large, as that of most columns of texts does.
    pq.write_table(
        pa.table({"name": names}), path, row_group_size=100_000, dictionary_pagesize_limit=100_000
    )
    opened: list[Counted] = []

    def reopen(**options: Any) -> pq.ParquetFile:
        opened.append(Counted(path.open("rb")))
        return pq.ParquetFile(opened[-1], **options)

    parquet = pq.ParquetFile(path)
    found = list(batches.read_batches(parquet, [0, 1], ["name"], reopen))
    assert [name for batch in found for name in batch["name"].to_pylist()] == names
    [look] = opened
    assert look.bytes_read < path.stat().st_size / 2


class Counted(io.RawIOBase):
    """A file that counts what is read of it."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.bytes_read = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def read(self, size: int = -1) -> bytes:
        content = bytes(self._file.read(size))
        self.bytes_read += len(content)
        return content


def test_short_texts_that_share_beginnings_are_read_many_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "_PREFIXED_BYTES", LIMIT // 64)
    path = tmp_path / "rows.parquet"
    names = [12 * hashlib.md5(str(number).encode()).hexdigest() for number in range(20_000)]
    pq.write_table(
        pa.table({"name": names}),
        path, use_dictionary=False, column_encoding={"name": "DELTA_BYTE_ARRAY"},
    )  # fmt: skip
    parquet = pq.ParquetFile(path)
    found = batches._read(parquet, [0], ["name"], lambda: parquet)
    assert max(batch.num_rows for batch in found) >= 64
