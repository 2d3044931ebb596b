"""A table with every type the DMS emulator copies, as rows of SQL, and what its files must hold."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

# (name, MariaDB type, Parquet type, SQL value, value in the file)
LOW: list[tuple[str, str, pa.DataType, str, Any]] = [
    ("id", "int primary key", pa.int32(), "1", 1),
    ("born", "year", pa.int16(), "0", 0),
    ("i1", "tinyint", pa.int8(), "-128", -128),
    ("i2", "smallint", pa.int16(), "-32768", -32768),
    ("i3", "mediumint", pa.int32(), "-8388608", -8388608),
    ("i4", "int", pa.int32(), "-2147483648", -2147483648),
    ("i8", "bigint", pa.int64(), "-9223372036854775808", -9223372036854775808),
    ("u1", "tinyint unsigned", pa.uint8(), "255", 255),
    ("u2", "smallint unsigned", pa.uint16(), "65535", 65535),
    ("u3", "mediumint unsigned", pa.uint32(), "16777215", 16777215),
    ("u4", "int unsigned", pa.uint32(), "4294967295", 4294967295),
    ("u8", "bigint unsigned", pa.uint64(), "18446744073709551615", 18446744073709551615),
    ("is_new", "bit(1)", pa.bool_(), "b'1'", True),
    ("price", "decimal(10, 2)", pa.decimal128(10, 2), "-0.05", Decimal("-0.05")),
    (
        "exact",
        "decimal(38, 10)",
        pa.decimal128(38, 10),
        "-1234567890123456789012345678.0000000001",
        Decimal("-1234567890123456789012345678.0000000001"),
    ),
    # A float holds 0.1 as this double; the server prints it as 0.1.
    ("f", "float", pa.float64(), "0.1", 0.10000000149011612),
    ("d", "double", pa.float64(), "0.1", 0.1),
    ("day", "date", pa.date32(), "'0001-01-01'", date(1, 1, 1)),
    (
        "moment",
        "datetime(6)",
        pa.timestamp("us"),
        "'9999-12-31 23:59:59.999999'",
        datetime(9999, 12, 31, 23, 59, 59, 999999),
    ),
    (
        "moment3",
        "datetime(3)",
        pa.timestamp("us"),
        "'2020-01-02 03:04:05.678'",
        datetime(2020, 1, 2, 3, 4, 5, 678000),
    ),
    # 12:00 in +02:00 is 10:00 in UTC.
    (
        "stamp",
        "timestamp(6) null",
        pa.timestamp("us"),
        "'2020-06-01 12:00:00.000001'",
        datetime(2020, 6, 1, 10, 0, 0, 1),
    ),
    ("t", "time", pa.string(), "'-101:02:03'", "-101:02:03"),
    ("t3", "time(3)", pa.string(), "'01:02:03.040'", "01:02:03.040"),
    ("c", "char(5)", pa.string(), "'ab '", "ab"),
    ("v", "varchar(60)", pa.string(), r"'it''s \"q\", \\N\n😀 日本 '", 'it\'s "q", \\N\n😀 日本 '),
    ("latin", "varchar(10) character set latin1", pa.string(), "'café €'", "café €"),
    ("txt", "mediumtext", pa.string(), "''", ""),
    ("js", "json", pa.string(), """'{"a": [1, "ü"]}'""", '{"a": [1, "ü"]}'),
    ("b4", "binary(4)", pa.binary(), "x'0a00'", b"\n\0\0\0"),
    ("vb", "varbinary(4)", pa.binary(), "x'0a00'", b"\n\0"),
    ("bl", "blob", pa.binary(), "x'00ff'", b"\0\xff"),
    ("e", "enum('a', 'it''s', 'ü')", pa.string(), "'it''s'", "it's"),
    ("s", "set('x', 'it''s', 'z')", pa.string(), "'z,x'", "x,z"),
]
CREATE = "create table every_type ({})".format(
    ", ".join(f"{name} {source_type}" for name, source_type, *_ in LOW)
)
# sql_mode is empty so that zero dates are allowed.
INSERT = (
    "set time_zone = '+02:00', sql_mode = '';"
    f"insert into every_type values ({', '.join(sql for *_, sql, _ in LOW)});"
    "insert into every_type (id) values (2);"
    "insert into every_type (id, day, moment, stamp, is_new, born, t, b4, vb, bl, e, s) values"
    " (3, '0000-00-00', '0000-00-00', '0000-00-00', 0, 2020, '00:00:07', '', '', '', '', '');"
)
COLUMNS = [name for name, *_ in LOW]
NULLS: dict[str, Any] = dict.fromkeys(COLUMNS) | {"id": 2}
ROWS: list[dict[str, Any]] = [
    {name: value for name, *_, value in LOW},
    NULLS,
    NULLS
    | {"id": 3, "is_new": False, "born": 2020, "t": "00:00:07"}
    | {"b4": b"\0\0\0\0", "vb": b"", "bl": b"", "e": "", "s": ""},
]
FIELDS = [(name, arrow_type) for name, _, arrow_type, *_ in LOW]
