"""Writes DMS files of any size with DuckDB: a full load, then changes to some of its keys."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import duckdb

# DMS's default is RowGroupLength 10,024; DuckDB takes multiples of 2,048.
_ROW_GROUP_ROWS = 10_240
_OPTIONS = {
    "parquet": f"compression snappy, row_group_size {_ROW_GROUP_ROWS}",
    "csv": "header false, nullstr 'NULL'",
}
_FIRST_CHANGE = datetime(2020, 11, 14, 0, 0, 1)

COLUMNS = {
    "order_id": "bigint",
    "customer_id": "int",
    "product_id": "int",
    "quantity": "int",
    "price": "decimal(10,2)",
    "order_date": "date",
    "created_at": "timestamp",
    "note": "string",
}

# One row as a function of its key and of how often it has changed.
_ROW = """
    {key}::bigint as order_id,
    ({key} % 100000)::int as customer_id,
    (({key} * 7 + {turn}) % 5000)::int as product_id,
    (hash({key} + {turn}) % 100)::int as quantity,
    ((hash({key}, {turn}) % 100000) / 100)::decimal(10, 2) as price,
    (date '2019-01-01' + ({days})::int)::date as order_date,
    make_timestamp(1577836800000000 + {key} * 1000003) as created_at,
    'note ' || md5(({key} + {turn})::varchar) as note
"""


@dataclass(frozen=True)
class Table:
    """A generated table.

    Attributes:
        folder: where its DMS files go.
        rows: how many rows its full load has; its keys are 0 to rows - 1.
        data_format: ``parquet`` or ``csv``.
        slices: if given, the dates rise with the key, and there are so many; else each part of
            the keys has them all.
        texts: how many columns of 32 letters there are beside `COLUMNS`.
    """

    folder: Path
    rows: int
    data_format: str = "parquet"
    slices: int | None = None
    texts: int = 0

    @property
    def name(self) -> str:
        """Its name, which is that of its folder."""
        return self.folder.name

    @property
    def columns(self) -> dict[str, str]:
        """Names and types of its columns."""
        return COLUMNS | {f"text_{number}": "string" for number in range(1, self.texts + 1)}

    def write_load(self, files: int = 10) -> None:
        """Write the full load, in the order of the key, in so many files of equal size."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for number in range(files):
            first, last = self.rows * number // files, self.rows * (number + 1) // files
            self._copy(
                f"select null::varchar as dms_timestamp, {self._row(0)}"
                f" from range({first}, {last}) as keys(key)",
                f"LOAD{number + 1:08X}",
            )

    def write_changes(
        self, changes: int, files: int, day: int = 0, among: float = 1.0, recent: int = 0
    ) -> None:
        """Write changes to distinct keys, in so many files of one day.

        They are spread over the first keys, as great a part as `among` says; or `recent` of ten
        over the newest twentieth of the keys, and the others over those before. Eight in ten are
        updates, one is a delete and one an insert of a new key.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        newest = self.rows // 20 if recent else 0
        spread = f"change * {max(int(self.rows * among) // changes, 1)}"
        if recent:
            old = self.rows - newest
            spread = (
                f"case when change % 10 < {10 - recent} then change * {old} // {changes}"
                f" else {old} + change * {newest} // {changes} end"
            )
        for number in range(files):
            first, last = changes * number // files, changes * (number + 1) // files
            written_at = _FIRST_CHANGE + timedelta(days=day, seconds=number * 80000 // files)
            key = (
                f"case change % 10 when 9 then {self.rows} + {day * (self.rows // 10)} + change"
                f" else {spread} end"
            )
            self._copy(
                "select case change % 10 when 9 then 'I' when 8 then 'D' else 'U' end as Op,"
                f" '{written_at:%Y-%m-%d %H:%M:%S}.000000' as dms_timestamp,"
                f" {self._row(day + 1)}"
                f" from (select change, {key} as key from range({first}, {last}) as r(change))",
                f"{written_at:%Y%m%d-%H%M%S}{number % 1000:03d}",
            )

    def _row(self, turn: int) -> str:
        days = f"(key % {self.rows}) * {self.slices} // {self.rows}" if self.slices else "key % 700"
        row = _ROW.format(key="key", turn=turn, days=days)
        for number in range(1, self.texts + 1):
            row += f", md5((key * {self.texts} + {number} + {turn})::varchar) as text_{number}"
        return row

    def _copy(self, query: str, name: str) -> None:
        with duckdb.connect() as connection:
            connection.execute("set preserve_insertion_order = true; set threads = 2")
            connection.execute(
                f"copy ({query}) to '{self.folder / name}.{self.data_format}'"
                f" (format {self.data_format}, {_OPTIONS[self.data_format]})"
            )
