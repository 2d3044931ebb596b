"""Replay DMS files the plain way: one after the other, one row after the other, into a dict.

It is the reference that everything cleverer is compared with, so it has to stay obvious.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

import pyarrow.parquet as pq

from tests.support.source_rows import CanonicalRow, canonical, sort_rows

ADDED_COLUMNS = ("Op", "dms_timestamp")


def table_files(folder: Path, until: date | None = None) -> list[Path]:
    """The files of a table's folder in order: loads, then changes written up to the date's end."""
    files = sorted(folder.rglob("*.parquet"), key=lambda file: file.name)
    loads = [file for file in files if file.name.startswith("LOAD")]
    changes = [
        file
        for file in files
        if file not in loads and (until is None or file.name[:8] <= f"{until:%Y%m%d}")
    ]
    return loads + changes


def replay(files: Iterable[Path], primary_keys: Sequence[str]) -> list[CanonicalRow]:
    """The rows that are there after all files, canonical and sorted."""
    state: dict[tuple[str | None, ...], CanonicalRow] = {}
    for file in files:
        for row in pq.ParquetFile(file).read().to_pylist():
            key = tuple(canonical(row[column]) for column in primary_keys)
            if row.get("Op") == "D":
                # Of a key that is there: the files of one task tell the whole story.
                del state[key]
            else:
                state[key] = tuple(
                    canonical(value) for name, value in row.items() if name not in ADDED_COLUMNS
                )
    return sort_rows(state.values())
