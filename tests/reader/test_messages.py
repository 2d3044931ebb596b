"""What is said of a CSV file that cannot be read, and of rows that are set aside."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyspark_dms.reading import csv_files, indexed_files
from pyspark_dms.reading.indexed_files import FileProblem
from tests.reader.reading import read

DECLARED = {"id": "string", "name": "string"}


def refusal(folder: Path, content: bytes, kind: str = "cdc") -> str:
    path = folder / "rows.csv"
    path.write_bytes(content)
    with pytest.raises(FileProblem) as problem:
        read(path, DECLARED, kind)
    return str(problem.value)


def test_a_row_with_wrong_quotes_is_shown_as_the_file_has_it(tmp_path: Path) -> None:
    message = refusal(tmp_path, b'I,1,"a"\r\nI,2,"b"\r\n')
    assert r"""'I,1,"a"\r'""" in message


@pytest.mark.parametrize("op", ["U", "D"])
def test_of_a_full_load_that_begins_with_another_operation_is_said_what_is_allowed(
    tmp_path: Path, op: str
) -> None:
    message = refusal(tmp_path, f"{op},1,a\n".encode(), "load")
    assert f"the first of them '{op}', but there must be 3 that begin with I (" in message


def test_a_row_with_too_many_fields_is_shown_on_one_line(tmp_path: Path) -> None:
    message = refusal(tmp_path, b'I,1,a\nI,2,"b\nc",\x1b[2J\nI,3,d\n')
    assert message.startswith(
        r"""row 2: it has 4 fields where there must be 3: 'I,2,"b\nc",\x1b[2J'"""
    )


def test_behind_which_row_a_transaction_file_ends_counts_the_rows_of_all_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_files, "_BLOCK_BYTES", 64)
    path = tmp_path / "CDC_TXN-20201114100000000.csv"
    rows = [f"I,{table},hr,{n},name {n}" for n in range(20) for table in ("people", "others")]
    path.write_text("\n".join([*rows, 'I,others,hr,"7"x,name']) + "\n")
    with pytest.raises(FileProblem, match="behind row 39:"):
        read(path, DECLARED, transaction_table=("people", "hr"))


def test_an_operation_is_not_taken_for_one_that_looks_like_it(tmp_path: Path) -> None:
    message = refusal(tmp_path, "I,1,a\n\u0131,2,b\n".encode())
    assert "unknown operation '\u0131'" in message


def test_of_rows_that_cannot_be_taken_no_more_than_a_limit_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexed_files, "MOST_REJECT_CHARACTERS", 10_000)
    path = tmp_path / "rows.csv"
    path.write_text("I,1,a\n" + f"?,2,{'b' * 1000}\n" * 9)
    rows, notes = read(path, DECLARED, on_bad_row="quarantine")
    assert (len(rows), len(notes.rejects)) == (1, 9)
    path.write_text("I,1,a\n" + f"?,2,{'b' * 1000}\n" * 10)
    with pytest.raises(
        FileProblem, match=r"more than .* characters of rows .* is row 2: column Op"
    ):
        read(path, DECLARED, on_bad_row="quarantine")


@pytest.mark.parametrize(
    "name", ["a.csv", "a.csv.gz", "a.parquet", "CDC_TXN-20201114100000000.csv"]
)
@pytest.mark.parametrize("kind", ["load", "cdc"])
def test_a_file_of_0_bytes_is_refused_in_the_same_words(
    tmp_path: Path, name: str, kind: str
) -> None:
    path = tmp_path / name
    path.touch()
    with pytest.raises(
        FileProblem, match=r"^the file is empty \(0 bytes\), and DMS writes no such"
    ):
        read(path, DECLARED, kind, transaction_table=("people", "hr"))


def test_a_source_with_a_column_called_as_that_of_dms_is_told_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    way_out = r"rename .* in the task \(rule rename-column\)"
    pq.write_table(pa.table({"id": ["1"], "op": ["ADD"]}), path)
    with pytest.raises(FileProblem, match=f"unknown operation 'ADD'; .*{way_out}"):
        read(path, {"id": "string"}, "load")
    columns = [pa.array(["U"]), pa.array(["1"]), pa.array(["SUB"])]
    pq.write_table(pa.Table.from_arrays(columns, ["Op", "id", "op"]), path)
    with pytest.raises(FileProblem, match=f"have one name .*: Op, id, op; {way_out}"):
        read(path, {"id": "string"})
