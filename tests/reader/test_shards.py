"""Files of one of several folders: the shard is in no file, and each row has it."""

from pathlib import Path
from typing import Any

import pytest

from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading.change_files import read_changes
from pyspark_dms.reading.columns import parse_column
from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.indexed_files import FileProblem, FileSpan, Notes, ReadSettings
from tests.support.dms_files import Row, write_rows

DECLARED = {"id": "string", "shard": "string", "name": "string"}


def read(path: Path, kind: str = "cdc", **settings: Any) -> list[dict[str, Any]]:
    file = IndexedFile(str(path), path.stat().st_size, kind, "", 100_001, 1, "", shard="eu")
    columns = tuple(parse_column(*column) for column in DECLARED.items())
    chosen = ReadSettings(columns, ("shard", "id"), "Op", shard_column="shard", **settings)
    batches = [*read_changes(FileSpan(file), chosen, Notes())]
    assert all(batch.schema == chosen.schema for batch in batches)
    return [row for batch in batches for row in batch.to_pylist()]


def texts(path: Path, columns: str, *rows: Row) -> Path:
    return write_rows(path, dict.fromkeys(columns.split(), "string"), rows)


def values(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(row["_dms_op"], row["id"], row["shard"], row["name"]) for row in rows]


def test_each_row_has_the_shard_of_its_file(tmp_path: Path) -> None:
    path = texts(tmp_path / "a.parquet", "Op id name", ("U", "1", "Ann"), ("D", "2", None))
    rows = read(path)
    assert values(rows) == [("U", "1", "eu", "Ann"), ("D", "2", "eu", None)]
    assert rows[0]["_dms_generation"] == 100_001


def test_a_csv_file_without_a_header_has_no_field_for_the_shard(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("I,1,Ann\n")
    assert values(read(path, csv=CsvFormat())) == [("I", "1", "eu", "Ann")]


def test_a_change_of_a_key_stays_in_its_folder(tmp_path: Path) -> None:
    path = texts(tmp_path / "a.parquet", "Op id name BI_id", ("U", "2", "Ann", "1"))
    assert values(read(path, before_image_prefix="BI_")) == [
        ("D", "1", "eu", None), ("U", "2", "eu", "Ann"),
    ]  # fmt: skip


def test_the_shard_is_never_absent_from_an_update(tmp_path: Path) -> None:
    path = texts(tmp_path / "a.parquet", "Op id", ("U", "1"))
    (row,) = read(path, image="partial")
    assert (row["shard"], row["_dms_absent"]) == ("eu", ["name"])


def test_a_file_with_a_column_of_that_name_is_refused(tmp_path: Path) -> None:
    path = texts(tmp_path / "a.parquet", "Op id Shard name", ("U", "1", "x", "Ann"))
    with pytest.raises(FileProblem, match="declared as shard_column"):
        read(path, on_schema_change="ignore")


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_blanks_at_the_end_of_trimmed_columns_are_taken_away(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    if ending == "csv":
        path.write_text("U, AB   ,Ann  ,AC  \n")
    else:
        texts(path, "Op id name BI_id", ("U", " AB   ", "Ann  ", "AC  "))
    rows = read(path, trim=("id",), before_image_prefix="BI_")
    # Blanks before a text stay, and so do those of other columns.
    assert values(rows) == [("D", "AC", "eu", None), ("U", " AB", "eu", "Ann  ")]
