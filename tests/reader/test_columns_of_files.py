"""Which columns of a file are which of the table."""

from pathlib import Path
from typing import Any

import pyarrow as pa

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
