"""Full load files: names, columns, values and their place in the binlog."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from obstore.store import LocalStore

from development.emulator import DmsTask, EmulatorError, ManualClock, MariaDb, S3Settings
from development.emulator.binlog import snapshot_position
from tests.emulator import every_type
from tests.emulator.conftest import MakeTask, Read

Source = Callable[[str], None]

LOAD = "hr/t/LOAD00000001.parquet"


def test_a_load_holds_every_row_and_every_type(
    source: Source, make_task: MakeTask, read: Read, target: Path
) -> None:
    source(f"{every_type.CREATE}; {every_type.INSERT}")
    (file,) = make_task("every_type").full_load()
    assert (file.path, file.rows) == ("hr/every_type/LOAD00000001.parquet", 3)
    schema = pq.read_schema(target / file.path)
    assert list(zip(schema.names, schema.types, strict=True)) == every_type.FIELDS
    assert read(file.path) == every_type.ROWS


def test_a_load_has_no_op_by_default(source: Source, make_task: MakeTask, read: Read) -> None:
    source("create table t (id int primary key); insert into t values (1)")
    make_task("t").full_load()
    assert read(LOAD) == [{"id": 1}]


def test_op_comes_first_and_the_timestamp_second(
    source: Source, make_task: MakeTask, target: Path, read: Read
) -> None:
    source("create table t (id int primary key); insert into t values (1)")
    make_task("t", include_op_for_full_load=True, timestamp_column_name="ts").full_load()
    assert pq.read_schema(target / LOAD).names == ["Op", "ts", "id"]
    assert read(LOAD) == [{"Op": "I", "ts": "2020-11-13 12:00:00.000000", "id": 1}]


@pytest.mark.parametrize(
    ("at_start", "expected"),
    [(False, "2020-11-13 12:30:00.000000"), (True, "2020-11-13 12:00:00.000000")],
)
def test_the_timestamp_of_a_load_is_that_of_the_transfer_or_of_the_task(
    source: Source,
    make_task: MakeTask,
    read: Read,
    clock: ManualClock,
    at_start: bool,
    expected: str,
) -> None:
    source("create table t (id int primary key); insert into t values (1)")
    task = make_task(
        "t",
        timestamp_column_name="ts",
        use_task_start_time_for_full_load_timestamp=at_start,
    )
    clock.now += timedelta(minutes=30)
    task.full_load()
    assert read(LOAD) == [{"ts": expected, "id": 1}]


def test_load_files_are_numbered_in_hexadecimal(
    source: Source, make_task: MakeTask, read: Read
) -> None:
    source("create table t (id int primary key); insert into t select seq from seq_1_to_33")
    files = make_task("t").full_load(max_rows_per_file=2)
    assert [file.path[-13:-8] for file in files] == [
        *("00001", "00002", "00003", "00004", "00005", "00006", "00007", "00008", "00009"),
        *("0000A", "0000B", "0000C", "0000D", "0000E", "0000F", "00010", "00011"),
    ]
    assert [row["id"] for file in files for row in read(file.path)] == list(range(1, 34))


def test_a_table_without_rows_gets_no_folder(
    source: Source, make_task: MakeTask, target: Path
) -> None:
    source("create table t (id int primary key); create table empty (id int primary key)")
    source("insert into t values (1)")
    make_task("t", "empty").full_load()
    assert [path.name for path in (target / "hr").iterdir()] == ["t"]


def test_a_row_group_has_the_rows_that_are_set(
    source: Source, make_task: MakeTask, target: Path
) -> None:
    source("create table t (id int primary key); insert into t select seq from seq_1_to_25")
    make_task("t", row_group_length=10).full_load()
    metadata = pq.read_metadata(target / LOAD)
    assert [metadata.row_group(group).num_rows for group in range(3)] == [10, 10, 5]


@pytest.mark.parametrize(("setting", "codec"), [("none", "UNCOMPRESSED"), ("gzip", "GZIP")])
def test_compression_is_inside_the_parquet_file(
    source: Source, make_task: MakeTask, target: Path, setting: str, codec: str
) -> None:
    source("create table t (id int primary key); insert into t values (1)")
    make_task("t", compression_type=setting).full_load()
    assert pq.read_metadata(target / LOAD).row_group(0).column(0).compression == codec


def test_timestamps_can_be_in_milliseconds(
    source: Source, make_task: MakeTask, target: Path, read: Read
) -> None:
    source("create table t (id int primary key, at datetime(6))")
    source("insert into t values (1, '2020-01-02 03:04:05.678912')")
    make_task("t", parquet_timestamp_in_millisecond=True).full_load()
    assert pq.read_schema(target / LOAD).field("at").type == "timestamp[ms]"
    assert read(LOAD) == [{"id": 1, "at": datetime(2020, 1, 2, 3, 4, 5, 678000)}]


def test_a_change_during_the_load_is_in_the_changes_only(
    source: Source, server: MariaDb, target: Path, read: Read, clock: ManualClock
) -> None:
    source("create table a (id int primary key); create table b (id int primary key)")
    source("insert into a values (1); insert into b values (1)")
    task = DmsTask(
        server.address,
        [("hr", "a"), ("hr", "b")],
        target,
        S3Settings(),
        clock,
        # Between the load of a and that of b.
        on_file=lambda file: source("insert into b values (2)") if "/a/" in file.path else None,
    )
    loads = task.full_load()
    changes = task.write_changes()
    assert [read(file.path) for file in loads] == [[{"id": 1}], [{"id": 1}]]
    assert [read(file.path) for file in changes] == [[{"Op": "I", "id": 2}]]


def test_a_change_between_the_snapshot_and_its_position_is_in_the_changes_only(
    source: Source, make_task: MakeTask, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    source("create table t (id int primary key); insert into t values (1)")

    def after_an_insert(connection: Any) -> str:
        source("insert into t values (2)")
        return snapshot_position(connection)

    monkeypatch.setattr("development.emulator.capture.snapshot_position", after_an_insert)
    task = make_task("t")
    (load,) = task.full_load()
    (changes,) = task.write_changes()
    assert read(load.path) == [{"id": 1}]
    assert read(changes.path) == [{"Op": "I", "id": 2}]


def test_a_folder_that_has_files_is_refused_and_replaced_only_on_demand(
    source: Source, make_task: MakeTask, read: Read, target: Path
) -> None:
    source("create table t (id int primary key); insert into t values (1), (2)")
    task = make_task("t")
    task.full_load(max_rows_per_file=1)
    source("delete from t; insert into t values (3)")
    with pytest.raises(EmulatorError, match=r"hr\.t: the target already has 2 files"):
        make_task("t").full_load()
    task.full_load(replace=True)
    assert [path.name for path in (target / "hr/t").iterdir()] == ["LOAD00000001.parquet"]
    assert read(LOAD) == [{"id": 3}]


@pytest.mark.parametrize("kind", ["path", "file URL", "store"])
def test_a_target_is_a_path_a_url_or_a_store(
    source: Source, server: MariaDb, target: Path, kind: str
) -> None:
    source("create table t (id int primary key); insert into t values (1)")
    target.mkdir()
    targets: dict[str, Any] = {
        "path": str(target),
        "file URL": f"file://{target}",
        "store": LocalStore(target),
    }
    DmsTask(server.address, [("hr", "t")], targets[kind]).full_load()
    assert (target / LOAD).is_file()
