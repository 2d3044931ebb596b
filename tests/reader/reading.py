"""Reads one file as the product does, with few words."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading.advice import read_with_advice
from pyspark_dms.reading.columns import parse_column
from pyspark_dms.reading.indexed_files import FileSpan, Notes, ReadSettings


def read_in_batches(
    path: Path, columns: Mapping[str, str], kind: str = "cdc", **settings: Any
) -> tuple[list[pa.RecordBatch], Notes]:
    """The staged changes of a file of a table whose first column is the key, as they come."""
    file = IndexedFile(str(path), path.stat().st_size, kind, "", 1, 1, "")
    declared = tuple(parse_column(name, data_type) for name, data_type in columns.items())
    chosen = ReadSettings(declared, (declared[0].name,), "Op", **settings)
    notes = Notes()
    batches = list(read_with_advice(FileSpan(file), chosen, notes))
    assert all(batch.schema == chosen.schema for batch in batches)
    return batches, notes


def read(
    path: Path, columns: Mapping[str, str], kind: str = "cdc", **settings: Any
) -> tuple[list[dict[str, Any]], Notes]:
    """The staged changes of a file, row by row."""
    batches, notes = read_in_batches(path, columns, kind, **settings)
    return [row for batch in batches for row in batch.to_pylist()], notes


def read_table(
    folder: Path, columns: Mapping[str, pa.Array], declared: Mapping[str, str], **settings: Any
) -> tuple[list[dict[str, Any]], Notes]:
    """The staged changes of a Parquet file with some columns."""
    path = folder / "rows.parquet"
    pq.write_table(pa.table(dict(columns)), path)
    return read(path, declared, **settings)
