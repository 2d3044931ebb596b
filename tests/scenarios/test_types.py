"""Values arrive as they are: declared types, extremes, and what DMS writes instead of them."""

from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.engines import LocalEngine
from tests.support.project import Project, Table
from tests.support.side_by_side import Run, Steps, scenario

EVERY_TYPE = {
    "id": "int",
    "exact": "decimal(38,10)",
    "price": "decimal(10,2)",
    "big": "bigint",
    "small": "smallint",
    "tiny": "tinyint",
    "ratio": "double",
    "share": "float",
    "is_open": "boolean",
    "due_on": "date",
    "seen_at": "timestamp",
    "local_at": "timestamp",
    "body": "binary",
    "note": "string",
}
LOWEST = (
    1, Decimal("-9999999999999999999999999999.9999999999"), Decimal("-99999999.99"), -(2**63),
    -(2**15), -(2**7), -1.7976931348623157e308, -1.5, False, date(1, 1, 1),
    datetime(1, 1, 1), datetime(1, 1, 1), b"", "",
)  # fmt: skip
HIGHEST = (
    2, Decimal("9999999999999999999999999999.9999999999"), Decimal("99999999.99"), 2**63 - 1,
    2**15 - 1, 2**7 - 1, 5e-324, 1.5, True, date(9999, 12, 31),
    datetime(9999, 12, 31, 23, 59, 59, 999999), datetime(9999, 12, 31, 23, 59, 59, 999999),
    bytes(range(256)), "quotes ' \" and\r\nlines, \\ and 🐑\0 and NULL",
)  # fmt: skip
OLD = (
    3, Decimal("0E-10"), Decimal("0.00"), 0, 0, 0, 0.1, 0.0, True, date(1582, 10, 10),
    datetime(1582, 10, 10, 1, 2, 3, 4), datetime(1899, 12, 31, 23, 59, 59, 999999), b"\0", "NULL",
)  # fmt: skip
NOTHING = (4, *[None] * 13)


@scenario(columns=EVERY_TYPE)
def test_values_of_every_type_arrive_as_they_are(values: Table) -> Steps:
    values.write_load(LOWEST, HIGHEST, OLD, NOTHING)
    yield Run("2020-11-13")
    assert values.snapshot("2020-11-13") == [LOWEST, HIGHEST, OLD, NOTHING]


def test_readers_other_than_spark_find_every_column_and_its_type(
    local_engine: LocalEngine, tmp_path: Path
) -> None:
    project = Project(tmp_path / "other_readers", local_engine)
    values = project.declare("values", EVERY_TYPE, ["id"], change_feed=True)
    values.write_load(LOWEST)
    result = project.run("2020-11-13")
    assert result.ok, result.errors
    for relation in (values.snapshot_model, "values_current"):
        assert local_engine.metastore_columns(project.schema, relation) == EVERY_TYPE
    # Where Spark alone can tell the columns, it writes down this one instead.
    tables = project.query(f"show tables in {project.schema}")
    for relation in [name for _, name, is_temporary in tables if not is_temporary]:
        assert "col" not in local_engine.metastore_columns(project.schema, relation), relation


@scenario(columns=EVERY_TYPE)
def test_changed_values_of_every_type_arrive_as_they_are(values: Table) -> Steps:
    def to(key: int, row: tuple[object, ...]) -> tuple[object, ...]:
        return ("U", key, *row[1:])

    values.write_load(LOWEST, HIGHEST, OLD, NOTHING)
    values.write_changes(
        "20201114-100000000", to(1, HIGHEST), to(2, NOTHING), to(3, LOWEST), to(4, OLD)
    )
    yield Run("2020-11-14")
    rows = [(key, *row[1:]) for key, row in enumerate((HIGHEST, NOTHING, LOWEST, OLD), 1)]
    assert values.snapshot("2020-11-14") == rows


@scenario(columns={"due": "date", "price": "decimal(38,2)", "at": "timestamp", "name": "string"},
          primary_keys=["due", "price", "at"])  # fmt: skip
def test_keys_of_other_types_find_their_rows(values: Table) -> Steps:
    first = (date(1, 1, 1), Decimal("0.10"), datetime(1890, 1, 1))
    second = (date(9999, 12, 31), Decimal("99999999999999999999.99"), datetime(2020, 1, 1))
    values.write_load((*first, "a"), (*second, "b"))
    values.write_changes("20201114-100000000", ("U", *first, "changed"), ("D", *second, "b"))
    yield Run("2020-11-14")
    assert values.snapshot("2020-11-14") == [(*first, "changed")]


@scenario(columns={"id": "bigint", "amount": "decimal(20,0)", "is_open": "boolean", "day": "date",
                   "at": "timestamp", "price": "decimal(12,4)"})  # fmt: skip
def test_what_dms_writes_for_other_databases_is_brought_to_the_declared_types(
    values: Table,
) -> Steps:
    """Unsigned numbers, booleans as text (PostgreSQL), moments in milliseconds or as text."""
    values.folder.mkdir(parents=True)
    pq.write_table(
        pa.table(
            {
                "id": pa.array([1, 2**32 - 1], pa.uint32()),
                "amount": pa.array([2**64 - 1, None], pa.uint64()),
                "is_open": pa.array(["true", "false"]),
                "day": pa.array([datetime(2020, 1, 1), None], pa.timestamp("us")),
                "at": pa.array([datetime(2020, 1, 1, 2, 3, 4, 5000), None], pa.timestamp("ms")),
                "price": pa.array([Decimal("1.50"), None], pa.decimal128(10, 2)),
            }
        ),
        values.folder / "LOAD00000001.parquet",
    )
    yield Run("2020-11-13")
    assert values.snapshot("2020-11-13") == [
        (1, Decimal(2**64 - 1), True, date(2020, 1, 1), datetime(2020, 1, 1, 2, 3, 4, 5000),
         Decimal("1.5000")),
        (2**32 - 1, None, False, None, None, None),
    ]  # fmt: skip


@scenario(columns={"id": "int", "starts_at": "string", "ends_at": "string", "at": "timestamp",
                   "kind": "string", "note": "string", "mark": "binary", "is_open": "boolean",
                   "pieces": "smallint"})  # fmt: skip
def test_parquet_types_of_other_databases_are_read(values: Table) -> Steps:
    """TIME, INT96, dictionaries, large strings, fixed-size binary, t and f, whole decimals."""
    values.folder.mkdir(parents=True)
    moments = [datetime(9999, 12, 31, 23, 59, 59), datetime(1, 1, 1)]
    pq.write_table(
        pa.table(
            {
                "id": pa.array([1, 2], pa.uint8()),
                "starts_at": pa.array([time(10, 0), time(10, 20, 30, 120000)], pa.time32("ms")),
                "ends_at": pa.array([time(10, 0), time(0, 0, 0, 10)], pa.time64("us")),
                "at": pa.array(moments, pa.timestamp("us")),
                "kind": pa.array(["a", "b"]).dictionary_encode(),
                "note": pa.array(["x", None], pa.large_string()),
                "mark": pa.array([b"\x00\xff", None], pa.binary(2)),
                "is_open": pa.array(["T", "f"]),
                "pieces": pa.array([Decimal("5.00"), None], pa.decimal128(10, 2)),
            }
        ),
        values.folder / "LOAD00000001.parquet",
        use_deprecated_int96_timestamps=True,
    )
    yield Run("2020-11-13")
    assert values.snapshot("2020-11-13") == [
        (1, "10:00:00", "10:00:00", moments[0], "a", "x", b"\x00\xff", True, 5),
        (2, "10:20:30.12", "00:00:00.00001", moments[1], "b", None, None, False, None),
    ]
