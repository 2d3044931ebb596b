"""Change files: order, operations, commit times, names, folders and what is refused."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pyarrow.parquet as pq
import pymysql
import pytest

from development.emulator import DmsTask, EmulatorError, ManualClock, MariaDb, WrittenFile
from tests.emulator import every_type
from tests.emulator.conftest import MakeTask, Read

Source = Callable[[str], None]

TABLE = "create table t (id int primary key, name varchar(20))"


def at(moment: str) -> str:
    return f"set timestamp = unix_timestamp('2020-11-13 {moment}');"


@pytest.fixture
def task(source: Source, make_task: MakeTask) -> DmsTask:
    """A task on the empty table t (id, name), which has done its full load."""
    source(TABLE)
    task = make_task("t", timestamp_column_name="ts")
    task.full_load()
    return task


def test_insert_update_and_delete_carry_every_column_and_the_commit_time(
    task: DmsTask, source: Source, read: Read, target: Path
) -> None:
    source(at("09:00:01") + "insert into t values (1, 'a')")
    source(at("09:00:02") + "update t set name = null")
    source(at("09:00:03") + "update t set name = 'c'")
    source(at("09:00:04") + "delete from t")
    (file,) = task.write_changes()
    assert pq.read_schema(target / file.path).names == ["Op", "ts", "id", "name"]
    assert [tuple(row.values()) for row in read(file.path)] == [
        ("I", "2020-11-13 09:00:01.000000", 1, "a"),
        ("U", "2020-11-13 09:00:02.000000", 1, None),
        ("U", "2020-11-13 09:00:03.000000", 1, "c"),
        ("D", "2020-11-13 09:00:04.000000", 1, "c"),
    ]


def test_a_delete_and_a_reinsert_in_one_transaction_are_two_rows_in_order(
    task: DmsTask, source: Source, read: Read
) -> None:
    source("insert into t values (1, 'old')")
    task.write_changes()
    source("begin; delete from t where id = 1; insert into t values (1, 'new'); commit")
    (file,) = task.write_changes()
    assert [(row["Op"], row["name"]) for row in read(file.path)] == [("D", "old"), ("I", "new")]


def test_all_rows_of_a_transaction_have_the_time_of_its_commit(
    task: DmsTask, source: Source, read: Read
) -> None:
    source(
        f"begin; {at('09:00:01')} insert into t values (1, 'a');"
        f"{at('09:00:05')} update t set name = 'b'; {at('09:00:09')} commit"
    )
    (file,) = task.write_changes()
    assert [(row["Op"], row["ts"][11:]) for row in read(file.path)] == [
        ("I", "09:00:09.000000"),
        ("U", "09:00:09.000000"),
    ]


def test_transactions_come_in_the_order_of_their_commits(
    task: DmsTask, server: MariaDb, source: Source, read: Read
) -> None:
    with server.connection() as early, early.cursor() as cursor:
        cursor.execute("begin")
        cursor.execute("insert into hr.t values (1, 'first statement')")
        source("insert into t values (2, 'first commit')")
        cursor.execute("commit")
    (file,) = task.write_changes()
    assert [row["name"] for row in read(file.path)] == ["first commit", "first statement"]


def test_a_change_holds_every_type_as_a_load_does(
    source: Source, make_task: MakeTask, read: Read, target: Path
) -> None:
    source(every_type.CREATE)
    task = make_task("every_type")
    task.full_load()
    source(every_type.INSERT)
    source("delete from every_type")
    (file,) = task.write_changes()
    schema = pq.read_schema(target / file.path)
    assert list(zip(schema.names, schema.types, strict=True))[1:] == every_type.FIELDS
    assert read(file.path) == [{"Op": op} | row for op in ("I", "D") for row in every_type.ROWS]


def test_what_was_rolled_back_is_not_written(task: DmsTask, source: Source, read: Read) -> None:
    source("begin; insert into t values (1, 'a'); rollback")
    source(
        "begin; insert into t values (2, 'b'); savepoint s; insert into t values (3, 'c');"
        "rollback to s; commit"
    )
    (file,) = task.write_changes()
    assert [row["id"] for row in read(file.path)] == [2]


def test_tables_that_are_not_of_the_task_are_not_written(
    server: MariaDb, source: Source, target: Path, clock: ManualClock
) -> None:
    server.execute("drop schema if exists other; create schema other")
    source(f"{TABLE}; create table u like t; create table other.t like t")
    source("create table other.u like t")
    task = DmsTask(server.address, [("hr", "t"), ("other", "u")], target, clock=clock)
    task.full_load()
    # hr.u has the name of a table of the task, in the schema of another.
    source("insert into u values (1, 'a'); insert into other.t values (1, 'a')")
    source(at("09:00:00") + "insert into other.u values (1, 'a')")
    assert [file.path for file in task.write_changes()] == ["other/u/20201113-120000000.parquet"]


def test_changes_are_written_once(task: DmsTask, source: Source) -> None:
    source("insert into t values (1, 'a')")
    assert [file.rows for file in task.write_changes()] == [1]
    assert task.write_changes() == []


def test_a_later_task_goes_on_from_a_position(
    task: DmsTask, source: Source, make_task: MakeTask, read: Read
) -> None:
    source("insert into t values (1, 'a')")
    task.write_changes()
    source("insert into t values (2, 'b')")
    later = make_task("t")
    later.start_changes(task.position)
    (file,) = later.write_changes()
    assert read(file.path) == [{"Op": "I", "id": 2, "name": "b"}]


def test_changes_from_now_on_leave_out_what_was_before(
    source: Source, make_task: MakeTask, read: Read
) -> None:
    source(f"{TABLE}; insert into t values (1, 'a')")
    task = make_task("t")
    task.start_changes()
    source("insert into t values (2, 'b')")
    (file,) = task.write_changes()
    assert [row["id"] for row in read(file.path)] == [2]


def test_without_a_position_changes_are_refused(source: Source, make_task: MakeTask) -> None:
    source(TABLE)
    with pytest.raises(EmulatorError, match=r"call full_load\(\) or start_changes\(\)"):
        make_task("t").write_changes()


def test_after_a_failure_the_same_changes_are_written_again(
    task: DmsTask, source: Source, server: MariaDb, target: Path, clock: ManualClock, read: Read
) -> None:
    def fail(file: WrittenFile) -> None:
        raise OSError(file.path)

    failing = DmsTask(server.address, [("hr", "t")], target, clock=clock, on_file=fail)
    failing.start_changes(task.position)
    source(at("09:00:00") + "insert into t values (1, 'a')")
    with pytest.raises(OSError, match="120000000"):
        failing.write_changes()
    with pytest.raises(OSError, match="120000001"):
        failing.write_changes()
    assert read("hr/t/20201113-120000000.parquet") == read("hr/t/20201113-120000001.parquet")


def test_a_transaction_can_be_split_over_files(task: DmsTask, source: Source, read: Read) -> None:
    source("insert into t select seq, 'a' from seq_1_to_5")
    files = task.write_changes(max_rows_per_file=2)
    assert [[row["id"] for row in read(file.path)] for file in files] == [[1, 2], [3, 4], [5]]


def test_file_names_grow_even_if_the_clock_stands_still(task: DmsTask, source: Source) -> None:
    source(at("09:00:00") + "insert into t select seq, 'a' from seq_1_to_3")
    names = [Path(file.path).name for file in task.write_changes(max_rows_per_file=1)]
    source(at("10:00:00") + "delete from t")
    names += [Path(file.path).name for file in task.write_changes()]
    assert names == [
        "20201113-120000000.parquet",
        "20201113-120000001.parquet",
        "20201113-120000002.parquet",
        "20201113-120000003.parquet",
    ]


def test_another_task_does_not_overwrite_a_file(
    task: DmsTask, source: Source, make_task: MakeTask
) -> None:
    other = make_task("t")
    other.start_changes()
    source(at("09:00:00") + "insert into t values (1, 'a')")
    paths = [file.path for each in (task, other) for file in each.write_changes()]
    assert paths == ["hr/t/20201113-120000000.parquet", "hr/t/20201113-120000001.parquet"]


def test_a_file_is_never_named_before_its_last_commit(task: DmsTask, source: Source) -> None:
    source(at("18:30:00") + "insert into t values (1, 'a')")
    (file,) = task.write_changes()
    assert file.path == "hr/t/20201113-183000000.parquet"


@pytest.mark.parametrize(
    ("sequence", "delimiter", "folder"),
    [
        ("YYYYMMDD", "SLASH", "2020/11/13"),
        ("YYYYMMDD", "NONE", "20201113"),
        ("YYYYMMDDHH", "DASH", "2020-11-13-09"),
        ("YYYYMM", "UNDERSCORE", "2020_11"),
        ("MMYYYYDD", "SLASH", "11/2020/13"),
        ("DDMMYYYY", "DASH", "13-11-2020"),
    ],
)
def test_date_folders_follow_the_settings(
    source: Source, make_task: MakeTask, sequence: str, delimiter: str, folder: str
) -> None:
    source(TABLE)
    task = make_task(
        "t",
        date_partition_enabled=True,
        date_partition_sequence=sequence,
        date_partition_delimiter=delimiter,
    )
    task.full_load()
    source(at("09:00:00") + "insert into t values (1, 'a')")
    (file,) = task.write_changes()
    assert file.path == f"hr/t/{folder}/20201113-120000000.parquet"


def test_the_date_folder_is_that_of_the_commit_and_the_name_that_of_the_writing(
    source: Source, make_task: MakeTask, clock: ManualClock
) -> None:
    source(TABLE)
    task = make_task("t", date_partition_enabled=True)
    task.full_load()
    source(at("23:59:59") + "insert into t values (1, 'a')")
    source("set timestamp = unix_timestamp('2020-11-14 00:00:00'); insert into t values (2, 'b')")
    clock.now = datetime(2020, 11, 14, 0, 1)
    assert [file.path for file in task.write_changes()] == [
        "hr/t/2020/11/13/20201114-000100000.parquet",
        "hr/t/2020/11/14/20201114-000100001.parquet",
    ]


@pytest.mark.parametrize(
    ("settings", "ops"),
    [
        ({}, ["I", "U", "D"]),
        ({"include_op_for_full_load": True}, ["I", "U", "D"]),
        ({"cdc_inserts_only": True}, ["no Op"]),
        ({"cdc_inserts_only": True, "include_op_for_full_load": True}, ["I"]),
        ({"cdc_inserts_and_updates": True}, ["no Op", "no Op"]),
        ({"cdc_inserts_and_updates": True, "include_op_for_full_load": True}, ["I", "U"]),
    ],
)
def test_which_operations_are_written_and_how_is_set(
    source: Source, make_task: MakeTask, read: Read, settings: dict[str, bool], ops: list[str]
) -> None:
    source(TABLE)
    task = make_task("t", **settings)
    task.full_load()
    source("insert into t values (1, 'a'); update t set name = 'b'; delete from t")
    (file,) = task.write_changes()
    assert [row.get("Op", "no Op") for row in read(file.path)] == ops


def test_a_column_that_is_added_first_comes_last_in_later_files(
    task: DmsTask, source: Source, read: Read
) -> None:
    source("insert into t values (1, 'a')")
    source("alter table t add column age int first; insert into t values (30, 2, 'b')")
    before, after = task.write_changes()
    assert [list(row) for row in read(before.path)] == [["Op", "ts", "id", "name"]]
    assert [list(row) for row in read(after.path)] == [["Op", "ts", "id", "name", "age"]]
    assert read(after.path)[0]["age"] == 30


def test_a_dropped_column_is_missing_in_later_files(
    task: DmsTask, source: Source, read: Read
) -> None:
    source("insert into t values (1, 'a'); alter table t drop column name; delete from t")
    before, after = task.write_changes()
    assert [list(row) for row in read(before.path)] == [["Op", "ts", "id", "name"]]
    assert [list(row) for row in read(after.path)] == [["Op", "ts", "id"]]


def test_a_wider_column_has_its_new_type_in_later_files(
    task: DmsTask, source: Source, target: Path
) -> None:
    source("insert into t values (1, 'a'); alter table t modify id bigint; delete from t")
    files = task.write_changes()
    types = [pq.read_schema(target / file.path).field("id").type for file in files]
    assert types == ["int32", "int64"]


def test_two_alterations_between_two_calls_are_refused(task: DmsTask, source: Source) -> None:
    source(
        "alter table t add column age int; insert into t values (1, 'a', 30);"
        "alter table t add column size int"
    )
    with pytest.raises(EmulatorError, match=r"hr\.t: .* id, name, age, .* id, name, age, size"):
        task.write_changes()


@pytest.mark.parametrize(
    "truncate",
    ["truncate t", "TRUNCATE TABLE hr.t", "/* all */ truncate table `hr` . `t`;", "truncate `t`"],
)
def test_a_truncate_removes_the_files_of_the_table(
    task: DmsTask, source: Source, target: Path, truncate: str
) -> None:
    source("insert into t values (1, 'a')")
    task.write_changes()
    source(f"insert into t values (2, 'b'); {truncate}")
    source("insert into t values (3, 'c')")
    files = task.write_changes()
    assert list(target.rglob("*.parquet")) == [target / files[-1].path]
    assert pq.ParquetFile(target / files[-1].path).read()["id"].to_pylist() == [3]


def test_a_truncate_removes_no_files_of_other_tables(
    source: Source, make_task: MakeTask, target: Path
) -> None:
    source("create table a (id int primary key); create table ab (id int primary key)")
    source("create table c (id int primary key); insert into ab values (1)")
    task = make_task("a", "ab")
    (file,) = task.full_load()
    source("truncate a; truncate c")
    assert task.write_changes() == []
    assert (target / file.path).exists()


def test_a_dropped_table_leaves_its_files(task: DmsTask, source: Source, target: Path) -> None:
    source("insert into t values (1, 'a'); drop table t")
    (file,) = task.write_changes()
    assert (target / file.path).exists()


def test_dropping_rows_with_their_partition_is_refused(source: Source, make_task: MakeTask) -> None:
    source(
        "create table p (id int primary key)"
        " partition by range (id) (partition p0 values less than (10),"
        " partition p1 values less than maxvalue); insert into p values (1)"
    )
    task = make_task("p")
    task.full_load()
    source("alter table p truncate partition p0")
    with pytest.raises(EmulatorError, match="truncate partition p0"):
        task.write_changes()


def test_an_xa_transaction_is_refused(task: DmsTask, source: Source) -> None:
    source("xa start 'x'; insert into t values (1, 'a'); xa end 'x'; xa prepare 'x'; xa commit 'x'")
    with pytest.raises(EmulatorError, match="is an XA transaction"):
        task.write_changes()


def test_a_negative_time_with_a_fraction_is_refused(source: Source, make_task: MakeTask) -> None:
    source("create table d (id int primary key, late time(3))")
    task = make_task("d")
    task.full_load()
    source("insert into d values (1, '-00:00:01.250')")
    with pytest.raises(EmulatorError, match=r"Column hr\.d\.late: a negative TIME"):
        task.write_changes()


def test_a_server_that_does_not_log_what_is_needed_is_refused(
    server: MariaDb, source: Source, make_task: MakeTask
) -> None:
    source(TABLE)
    server.execute("set global binlog_row_image = 'MINIMAL'")
    try:
        with pytest.raises(EmulatorError, match="binlog_row_image = MINIMAL; required: FULL"):
            make_task("t")
    finally:
        server.execute("set global binlog_row_image = 'FULL'")


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ("id int, v decimal(39, 0)", r"column v: decimal\(39,0\) .* at most 38 digits"),
        ("id int, v bit(8)", r"column v: bit\(8\) .* allowed: .*bit\(1\)"),
        ("id int, v uuid", "column v: uuid .* allowed: "),
        ("id int, v text character set utf16", "column v: text utf16 .* allowed .*utf8mb4"),
        ("id int, v enum('ü') character set latin1", "column v: .* latin1 labels"),
        ("id int, v int as (id + 1) virtual", "column v: .* virtual column"),
        ("op int", "has a column op, .* Rename it"),
    ],
)
def test_a_column_that_cannot_be_copied_is_refused(
    source: Source, make_task: MakeTask, definition: str, message: str
) -> None:
    source(f"create table x ({definition})")
    with pytest.raises(EmulatorError, match=r"Table hr\.x.* " + message):
        make_task("x")


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("create table x (id int) engine = aria", "BASE TABLE of engine Aria"),
        ("create view x as select 1 as id", "a VIEW of engine None"),
        ("select 1", r"no table hr\.x"),
    ],
)
def test_what_is_no_innodb_table_is_refused(
    source: Source, make_task: MakeTask, sql: str, message: str
) -> None:
    source(sql)
    with pytest.raises(EmulatorError, match=message):
        make_task("x")


def test_an_unreachable_server_is_an_error_of_the_driver(
    server: MariaDb, source: Source, make_task: MakeTask
) -> None:
    with pytest.raises(pymysql.err.ProgrammingError, match="doesn't exist"):
        source("insert into nowhere values (1)")
