"""A delete needs its key only; what else a file lacks is asked of its other rows."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.indexed_files import FileProblem
from tests.reader.reading import read, read_table

DECLARED = {"id": "int", "name": "string"}
IGNORE: dict[str, Any] = {"on_schema_change": "ignore"}


def ops(*letters: str | None) -> dict[str, pa.Array]:
    return {"Op": pa.array(letters), "id": pa.array(range(1, len(letters) + 1))}


@pytest.mark.parametrize("settings", [{}, {"before_image_prefix": "BI_"}, {"image": "partial"}])
def test_a_file_of_deletes_may_have_the_key_alone(tmp_path: Path, settings: dict[str, Any]) -> None:
    rows, notes = read_table(tmp_path, ops("D", "d"), DECLARED, **settings)
    assert [(row["_dms_op"], row["id"], row["name"]) for row in rows] == [
        ("D", 1, None), ("D", 2, None),
    ]  # fmt: skip
    assert notes.nulled_columns == []


@pytest.mark.parametrize("op", ["I", "U"])
@pytest.mark.parametrize("on_bad_row", ["fail", "quarantine"])
def test_the_first_row_that_is_no_delete_is_named(tmp_path: Path, op: str, on_bad_row: str) -> None:
    message = rf"^it has no column name, and its row 3 is no delete \({op}\)\. "
    with pytest.raises(FileProblem, match=message):
        read_table(tmp_path, ops("D", "D", op, "D", "U"), DECLARED, on_bad_row=on_bad_row)


def test_a_key_column_is_needed_by_deletes_too(tmp_path: Path) -> None:
    columns = {"Op": pa.array(["D"]), "name": pa.array(["Ann"])}
    with pytest.raises(FileProblem, match="it has no key column id"):
        read_table(tmp_path, columns, DECLARED)


def test_deletes_in_csv_with_a_header_may_have_the_key_alone(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("Op,id\nD,1\n")
    rows, _ = read(path, DECLARED, csv=CsvFormat(header=True))
    assert [(row["_dms_op"], row["id"]) for row in rows] == [("D", 1)]


@pytest.mark.parametrize("on_bad_row", ["fail", "quarantine"])
def test_what_a_delete_has_beside_its_key_need_not_fit(tmp_path: Path, on_bad_row: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("D,1,,\nI,2,9.50,2026-11-20\nd,3,none,\n")
    declared = {"id": "int", "price": "decimal(38,2)", "day": "date"}
    rows, notes = read(path, declared, on_bad_row=on_bad_row)
    assert [(row["_dms_op"], row["id"], str(row["price"]), row["day"] is None) for row in rows] == [
        ("D", 1, "None", True), ("I", 2, "9.50", False), ("D", 3, "None", True),
    ]  # fmt: skip
    assert notes.rejects == []
    path.write_text("D,1,,\nU,2,,\n")
    with pytest.raises(FileProblem, match="row 2, column price: value '' does not fit"):
        read(path, declared)
    path.write_text("D,,,\n")
    with pytest.raises(FileProblem, match="row 1, column id: value '' does not fit"):
        read(path, declared)


@pytest.mark.parametrize("on_schema_change", ["ignore", "append_new_columns"])
@pytest.mark.parametrize(
    ("columns", "settings", "nulled"),
    [
        (ops("U"), {}, ["name"]),
        (ops("D", "U"), {}, ["name"]),
        ({"id": pa.array([1])}, {"captures_deletes": False}, ["name"]),
        (ops("I", "D"), {}, []),
        (ops("U"), {"image": "partial"}, []),
        ({**ops("U"), "name": pa.array([None], pa.string())}, {}, []),
        ({"id": pa.array([1])}, {"kind": "load"}, []),
    ],
)
def test_values_that_absent_columns_may_lose_are_recorded(
    tmp_path: Path,
    columns: dict[str, pa.Array],
    settings: dict[str, Any],
    nulled: list[str],
    on_schema_change: str,
) -> None:
    _, notes = read_table(
        tmp_path, columns, DECLARED, on_schema_change=on_schema_change, **settings
    )
    assert notes.nulled_columns == nulled
