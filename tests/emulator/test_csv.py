"""CSV files: values as text, the settings, changes of all tables in one file, before images."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from development.emulator import DmsTask, EmulatorError, ManualClock, MariaDb, S3Settings
from tests.emulator.conftest import MakeTask
from tests.emulator.test_changes import at
from tests.reader.plain_csv import read_rows

Source = Callable[[str], None]

TABLE = "create table t (id int primary key, name varchar(40))"


def texts(target: Path) -> dict[str, str]:
    """The text of each written file, by its path under the target."""
    return {
        str(path.relative_to(target)): (
            gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        ).decode()
        for path in sorted(target.rglob("*.csv*"))
    }


def test_csv_is_written_with_the_defaults_of_dms(
    source: Source, make_task: MakeTask, target: Path
) -> None:
    source(f"{TABLE}; insert into t values (1, 'Ann'), (2, null), (3, 'NULL'), (4, '')")
    task = make_task("t", data_format="csv")
    task.full_load()
    source(
        at("09:00:00") + "update t set name = 'a \"b\", c' where id = 1; delete from t where id > 2"
    )
    task.write_changes()
    assert texts(target) == {
        "hr/t/LOAD00000001.csv": '1,Ann\n2,NULL\n3,"NULL"\n4,\n',
        "hr/t/20201113-120000000.csv": 'U,1,"a ""b"", c"\nD,3,"NULL"\nD,4,\n',
    }


def test_every_csv_setting_is_followed(source: Source, make_task: MakeTask, target: Path) -> None:
    source(f"{TABLE}; insert into t values (1, null)")
    task = make_task(
        "t", data_format="csv", csv_delimiter="||", csv_row_delimiter="\r\n", csv_null_value="",
        add_column_name=True, compression_type="gzip", include_op_for_full_load=True,
        timestamp_column_name="ts", date_partition_enabled=True,
    )  # fmt: skip
    task.full_load()
    source(at("09:00:00") + "insert into t values (2, 'a||b'), (3, 'a|b'), (4, ''), (5, 'a,b')")
    task.write_changes()
    time = "2020-11-13 09:00:00.000000"
    assert texts(target) == {
        "hr/t/LOAD00000001.csv.gz": ("Op||ts||id||name\r\nI||2020-11-13 12:00:00.000000||1||\r\n"),
        "hr/t/2020/11/13/20201113-120000000.csv.gz": (
            f'Op||ts||id||name\r\nI||{time}||2||"a||b"\r\nI||{time}||3||a|b\r\n'
            f'I||{time}||4||""\r\nI||{time}||5||a,b\r\n'
        ),
    }


def test_without_rfc_4180_nothing_is_quoted(
    source: Source, make_task: MakeTask, target: Path
) -> None:
    source(TABLE)
    source("""insert into t values (1, '"a", b'), (2, 'NULL')""")
    make_task("t", data_format="csv", rfc4180=False).full_load()
    assert texts(target) == {"hr/t/LOAD00000001.csv": '1,"a", b\n2,NULL\n'}


def test_values_are_written_as_text(source: Source, make_task: MakeTask, target: Path) -> None:
    source(
        "create table v (id int primary key, exact decimal(20,4), ratio double, is_open bit(1),"
        " due_on date, seen_at datetime(3), body varbinary(4), starts_at time);"
        "insert into v values (1, -0.5, 1e300, b'1', '0001-01-01', '2020-01-01 10:00:00.5',"
        " x'00ff', '10:00:00')"
    )
    make_task("v", data_format="csv").full_load()
    [text] = texts(target).values()
    assert list(read_rows(text, ",", "\n", '"', "NULL")) == [
        ["1", "-0.5000", "1e+300", "true", "0001-01-01", "2020-01-01 10:00:00.500000", "00ff",
         "10:00:00"],
    ]  # fmt: skip


def test_changes_of_all_tables_may_be_kept_in_the_order_of_their_transactions(
    source: Source, make_task: MakeTask, target: Path
) -> None:
    source(f"{TABLE}; create table u like t; insert into t values (1, 'Ann')")
    task = make_task("t", "u", preserve_transactions=True, cdc_path="/txn/")
    task.full_load()
    source(f"begin; {at('09:00:00')} insert into u values (7, 'a'); update t set name = 'Anna';"
           " delete from u; commit")  # fmt: skip
    task.write_changes()
    source(at("09:00:01") + "delete from t")
    task.write_changes()
    assert texts(target) == {
        "txn/CDC_TXN-20201113120000000.csv": "I,u,hr,7,a\nU,t,hr,1,Anna\nD,u,hr,7,a\n",
        "txn/CDC_TXN-20201113120000001.csv": "D,t,hr,1,Anna\n",
    }
    assert (target / "hr/t/LOAD00000001.parquet").exists()


def test_an_update_may_carry_the_key_that_was(
    server: MariaDb, source: Source, target: Path, clock: ManualClock
) -> None:
    source("create table m (name varchar(9), a int, b int, primary key (b, a))")
    source("insert into m values ('x', 1, 2)")
    settings = S3Settings(data_format="csv", add_column_name=True)
    task = DmsTask(
        server.address, [("hr", "m")], target, settings, clock, before_image_prefix="BI_"
    )
    task.full_load()
    source(at("09:00:00") + "update m set a = 5; insert into m values ('y', 3, 4); delete from m")
    task.write_changes()
    load, changes = reversed(texts(target).values())
    assert load == "name,a,b,BI_a,BI_b\nx,1,2,NULL,NULL\n"
    assert changes == (
        "Op,name,a,b,BI_a,BI_b\nU,x,5,2,1,2\nI,y,3,4,NULL,NULL\n"
        "D,x,5,2,NULL,NULL\nD,y,3,4,NULL,NULL\n"
    )


def test_a_column_named_as_a_before_image_is_refused(
    server: MariaDb, source: Source, target: Path
) -> None:
    source("create table m (id int primary key, bi_id int)")
    with pytest.raises(EmulatorError, match=r"has a column bi_id, .* \(BI_id\)"):
        DmsTask(server.address, [("hr", "m")], target, before_image_prefix="BI_")
