"""CSV files without a header: how many fields a row has is all that tells what they are."""

from pathlib import Path
from typing import Any

import pytest

from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.indexed_files import FileProblem
from tests.reader import reading

TIMED = {"timestamp_column": "ts"}
INSERTS = {"captures_deletes": False}
NOON = "2020-11-14 12:00:00"


def read(
    folder: Path, kind: str, text: str, columns: str = "id name", **settings: Any
) -> tuple[list[tuple[Any, ...]], list[tuple[int, str]]]:
    """Operation and columns of each row that is read; number and reason of each other one."""
    path = folder / "rows.csv"
    path.write_text(text)
    declared = dict.fromkeys(columns.split(), "string")
    changes, notes = reading.read(path, declared, kind, **settings)
    rows = [(row["_dms_op"], *(row[name] for name in declared)) for row in changes]
    return rows, [(reject.row, reject.reason) for reject in notes.rejects]


@pytest.mark.parametrize(
    ("kind", "text", "settings"),
    [
        ("load", "1,Ann\n2,I\n", {}),
        ("load", "I,1,Ann\nI,2,I\n", {}),
        ("load", "i,1,Ann\nNULL,2,I\n", {}),
        ("load", f"{NOON},1,Ann\n{NOON},2,I\n", TIMED),
        ("load", f"I,{NOON},1,Ann\nI,{NOON},2,I\n", TIMED),
        ("load", "NULL,1,Ann\nNULL,2,I\n", TIMED),
        ("cdc", "I,1,Ann\nI,2,I\n", {}),
        ("cdc", f"I,{NOON},1,Ann\nI,{NOON},2,I\n", TIMED),
        ("cdc", "1,Ann\n2,I\n", INSERTS),
        ("cdc", "I,1,Ann\nI,2,I\n", INSERTS),
        ("cdc", f"{NOON},1,Ann\n{NOON},2,I\n", TIMED | INSERTS),
    ],
)
def test_op_is_told_from_the_number_of_fields_and_the_first_of_them(
    tmp_path: Path, kind: str, text: str, settings: dict[str, Any]
) -> None:
    assert read(tmp_path, kind, text, **settings) == ([("I", "1", "Ann"), ("I", "2", "I")], [])


EITHER = "3 that begin with I, U or D (Op, id, name), or 2 that do not (id, name)"
EITHER_LOAD = "3 that begin with I (Op, id, name), or 2 that do not (id, name)"
EITHER_TIMED = "4 that begin with I (Op, ts, id, name), or 3 that do not"


@pytest.mark.parametrize("on_bad_row", ["fail", "quarantine"])
@pytest.mark.parametrize(
    ("kind", "text", "settings", "found", "expected"),
    [
        # One column more or less than declared, so that Op seems to be there or not.
        ("load", "1,Ann,?\n2,Bo,?\n", {}, "3 fields, the first of them '1'", EITHER_LOAD),
        ("load", "I,1\nI,2\n", {}, "2 fields, the first of them 'I'", EITHER_LOAD),
        ("load", f"I,{NOON},1\n", TIMED, "3 fields, the first of them 'I'", EITHER_TIMED),
        ("load", "I,1,Ann\n", TIMED, "3 fields, the first of them 'I'", EITHER_TIMED),
        ("cdc", "I,1\nU,2\n", INSERTS, "2 fields, the first of them 'I'", EITHER),
        ("cdc", "1,Ann,?\n", INSERTS, "3 fields, the first of them '1'", EITHER),
        ("cdc", "1,Ann\n2,Bo\n", {}, "2 fields, the first of them '1'", "3 (Op, id, name)"),
        ("cdc", "U,1\n", {}, "2 fields, the first of them 'U'", "3 (Op, id, name)"),
        ("cdc", "U,1,Ann\n", TIMED, "row 1 has 3 fields", "4 (Op, ts, id, name)"),
        # Further off.
        ("load", "1\n2\n", {}, "row 1 has 1 fields", EITHER_LOAD),
        ("load", "I,1,Ann,?\n", {}, "row 1 has 4 fields", EITHER_LOAD),
        ("load", "NULL,1,Ann,?\n", {}, "row 1 has 4 fields, the first of them NULL", EITHER_LOAD),
        ("cdc", "U,1,Ann,?\nD,1,Ann,?\n", {}, "row 1 has 4 fields", "3 (Op, id, name)"),
        ("cdc", "U,1\n" + "U,1,Ann,?\n" * 2, {}, "row 2 has 4 fields", "3 (Op, id, name)"),
    ],
)  # fmt: skip
def test_a_file_with_other_columns_than_declared_is_refused_whole(
    tmp_path: Path,
    kind: str,
    text: str,
    settings: dict[str, Any],
    found: str,
    expected: str,
    on_bad_row: str,
) -> None:
    with pytest.raises(FileProblem) as problem:
        read(tmp_path, kind, text, on_bad_row=on_bad_row, **settings)
    assert found in str(problem.value)
    assert f"there must be {expected}" in str(problem.value)


@pytest.mark.parametrize(
    "row", ["Op,id,name", "ID,Name", "name,op,id", "name,id", "id,name,size", "nid,Op,name"]
)
def test_a_header_that_is_not_declared_is_refused_in_any_order(tmp_path: Path, row: str) -> None:
    with pytest.raises(FileProblem, match="row 1 holds the names of the columns"):
        read(tmp_path, "load", f"{row}\n1,Ann\n")


@pytest.mark.parametrize(("short", "count"), [("U,1", 2), ("U,1,Ann,?", 4), ("", 0), ("U", 1)])
@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_single_row_of_another_width_is_named_and_the_others_are_read(
    tmp_path: Path, short: str, count: int, place: int
) -> None:
    lines = ["U,1,a", "U,2,b", "U,3,c"]
    lines.insert(place, short)
    text = "\n".join(lines) + "\n"
    reason = f"it has {count} fields where there must be 3"
    rows, rejects = read(tmp_path, "cdc", text, on_bad_row="quarantine")
    assert rows == [("U", "1", "a"), ("U", "2", "b"), ("U", "3", "c")]
    assert rejects == [(place + 1, reason)]
    with pytest.raises(FileProblem, match=f"row {place + 1}: {reason}"):
        read(tmp_path, "cdc", text)


def test_rows_that_have_not_as_many_fields_as_the_header_are_named(tmp_path: Path) -> None:
    form = CsvFormat(header=True)
    text = "id,name\n1\n2,Bo\n3\n"
    rows, rejects = read(tmp_path, "load", text, on_bad_row="quarantine", csv=form)
    assert rows == [("I", "2", "Bo")]
    assert [row for row, _ in rejects] == [1, 3]
    with pytest.raises(FileProblem, match="row 1: it has 1 fields where there must be 2"):
        read(tmp_path, "load", text, csv=form)
