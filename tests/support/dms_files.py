"""Writes files as AWS DMS would, from rows given as tuples.

Independent of the product: the types below are told a second time, on purpose.
"""

import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Row = tuple[Any, ...]

_ARROW_TYPES: dict[str, Any] = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "date": pa.date32(),
    # DMS writes instants without a zone, in UTC.
    "timestamp": pa.timestamp("us"),
    "timestamp_ntz": pa.timestamp("us"),
    "string": pa.string(),
    "binary": pa.binary(),
}


def arrow_type(data_type: str) -> Any:
    """The Arrow type that DMS writes for a declared type, such as ``decimal(10,2)``."""
    if decimal := re.fullmatch(r"decimal\((\d+), *(\d+)\)", data_type):
        return pa.decimal128(int(decimal[1]), int(decimal[2]))
    return _ARROW_TYPES[data_type]


# DMS's own default, setting RowGroupLength.
ROW_GROUP_ROWS = 10_024


def write_rows(path: Path, columns: Mapping[str, str], rows: Sequence[Row]) -> Path:
    """Write rows as one Parquet file; ``columns`` gives name and declared type, in order."""
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"{path.name}: {row} has {len(row)} values for {list(columns)}")
    arrays = [
        pa.array([row[index] for row in rows], arrow_type(data_type))
        for index, data_type in enumerate(columns.values())
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written beside and moved: the index may be listing the folder just now.
    draft = path.parent.parent / f".{path.name}.draft"
    table = pa.Table.from_arrays(arrays, names=list(columns))
    pq.write_table(table, draft, row_group_size=ROW_GROUP_ROWS)
    draft.replace(path)
    return path


def written_at(path: Path, day: int, hour: int, minute: int = 0) -> None:
    """Let a file be as if written at a time (UTC) of November 2020."""
    moment = datetime(2020, 11, day, hour, minute, tzinfo=UTC).timestamp()
    os.utime(path, (moment, moment))


def written_later(path: Path, minutes: int = 5) -> None:
    """Let a file be as if written some minutes from now: a test is quicker than DMS."""
    moment = (datetime.now() + timedelta(minutes=minutes)).timestamp()
    os.utime(path, (moment, moment))
