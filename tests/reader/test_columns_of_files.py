"""Which columns of a file are which of the table."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from pyspark_dms.reading.indexed_files import FileProblem
from tests.reader.reading import read_table

ONE = pa.array(["1"])
UPDATE = pa.array(["U"])
DECLARED = {"id": "string", "name": "string"}


def test_what_a_change_file_without_op_does_not_carry_is_unknown(tmp_path: Path) -> None:
    some: dict[str, Any] = {"image": "partial", "captures_deletes": False}
    rows, _ = read_table(tmp_path, {"id": ONE}, DECLARED, **some)
    assert [(row["_dms_op"], row["_dms_absent"]) for row in rows] == [("I", ["name"])]
    # An insert that says so has what it has, and so has a full load.
    rows, _ = read_table(tmp_path, {"Op": pa.array(["I"]), "id": ONE}, DECLARED, **some)
    assert [(row["_dms_op"], row["_dms_absent"]) for row in rows] == [("I", None)]
    columns = {"id": ONE, "name": ONE}
    rows, _ = read_table(tmp_path, columns, DECLARED, kind="load", **some)
    assert [(row["_dms_op"], row["_dms_absent"]) for row in rows] == [("I", None)]


def test_a_new_column_that_begins_with_the_prefix_of_before_images_is_seen(tmp_path: Path) -> None:
    columns = {"Op": UPDATE, "id": ONE, "name": ONE, "BI_id": ONE, "bi_NAME": ONE, "BI_old": ONE}
    prefixed: dict[str, Any] = {
        "before_image_prefix": "BI_", "renamed_from": {"name": ("old",)}
    }  # fmt: skip
    rows, _ = read_table(tmp_path, columns, DECLARED, **prefixed)
    assert [row["id"] for row in rows] == ["1"]
    with pytest.raises(FileProblem, match="a column that is not declared: BI_code"):
        read_table(tmp_path, columns | {"BI_code": ONE}, DECLARED, **prefixed)
    # Of a new column and its before image the column is the new one.
    both = columns | {"code": ONE, "BI_code": ONE}
    _, notes = read_table(
        tmp_path, both, DECLARED, on_schema_change="append_new_columns", **prefixed
    )
    assert notes.new_columns == [("code", "string")]


def test_the_before_image_of_a_renamed_key_is_found_under_both_names(tmp_path: Path) -> None:
    for name in ("id", "nid"):
        columns = {"Op": UPDATE, name: ONE, "name": ONE, f"BI_{name}": pa.array(["0"])}
        rows, _ = read_table(
            tmp_path, columns, DECLARED, before_image_prefix="BI_", renamed_from={"id": ("nid",)}
        )
        assert [(row["_dms_op"], row["id"]) for row in rows] == [("D", "0"), ("U", "1")]
