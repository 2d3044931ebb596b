"""What is read of the control tables of DMS, in which it says what it could not do."""

import gzip
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyspark_dms.discovery.control_tables import ControlJob, read_control_tables
from pyspark_dms.errors import DmsError

EXCEPTION = "T1,app,users,2026-11-10 10:00:00,INSERT INTO x VALUES (1),dup key"
FIELDS = ("task_name", "table_owner", "table_name", "error_time", "statement", "error")
SINCE = date(2026, 11, 9)


def file_of(folder: Path, table: str, name: str = "20261110-100000000.csv") -> Path:
    path = folder / f"awsdms_{table}" / name
    path.parent.mkdir(exist_ok=True)
    return path


def found(folder: Path) -> list[list[str]]:
    rows = read_control_tables(ControlJob((f"{folder}/",), SINCE)).to_pylist()
    return [[row[name] for name in FIELDS] for row in rows]


def test_csv_without_a_header_is_read_by_place_with_or_without_a_commit_time(
    tmp_path: Path,
) -> None:
    text = f"I,{EXCEPTION}\nI,2026-11-10 10:00:01.000000,{EXCEPTION}\nD,{EXCEPTION}\n"
    file_of(tmp_path, "apply_exceptions").write_text(text)
    load = file_of(tmp_path, "apply_exceptions", "LOAD00000001.csv.gz")
    load.write_bytes(gzip.compress(f"{EXCEPTION}\n".encode()))
    # What is taken back is out again.
    assert found(tmp_path) == [EXCEPTION.split(",")] * 2


def test_csv_with_a_header_is_read_by_name(tmp_path: Path) -> None:
    file_of(tmp_path, "suspended_tables").write_text(
        "Op,server_name,task_name,table_owner,table_name,suspend_reason\nI,H1,T1,app,users,why\n"
    )
    assert found(tmp_path) == [["T1", "app", "users", "", "", "why"]]


def test_parquet_is_read_by_name_in_any_case(tmp_path: Path) -> None:
    values = {
        name.upper(): [value] for name, value in zip(FIELDS, EXCEPTION.split(","), strict=True)
    }
    file = file_of(tmp_path, "apply_exceptions", "20261110-100000000.parquet")
    pq.write_table(pa.table({"Op": ["I"], **values}), file)
    assert found(tmp_path) == [EXCEPTION.split(",")]


def test_a_row_of_unknown_form_is_shown_as_it_is(tmp_path: Path) -> None:
    file_of(tmp_path, "apply_exceptions").write_text("I,T1,app\n")
    assert found(tmp_path) == [["", "", "", "", "", "I, T1, app"]]


def test_older_files_and_other_control_tables_are_not_read(tmp_path: Path) -> None:
    file_of(tmp_path, "status").write_text(f"I,{EXCEPTION}\n")
    file_of(tmp_path, "apply_exceptions", "20261108-100000000.csv").write_text(f"I,{EXCEPTION}\n")
    assert found(tmp_path) == []


def test_a_folder_in_which_nothing_can_be_found_is_refused(tmp_path: Path) -> None:
    file_of(tmp_path, "suspended_tables").write_text("")
    assert found(tmp_path) == []
    for wrong in ("awsdms_suspended_tables", "awsdms"):
        with pytest.raises(DmsError, match="E213"):
            found(tmp_path / wrong)
