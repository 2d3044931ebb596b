"""Rows of the lake: a Parquet file read in the declared columns, and one written of such rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pyspark_dms import stores
from pyspark_dms.reading.batches import gathered, read_batches
from pyspark_dms.reading.columns import Column


@dataclass(frozen=True)
class Part:
    """Some row groups of a Parquet file of ``size`` bytes; all if ``row_groups`` is None."""

    path: str
    size: int
    row_groups: tuple[int, ...] | None = None


def open_part(part: Part, **options: Any) -> pq.ParquetFile:
    """Open the file of a part; ``options`` are those of pyarrow."""
    # INT96 is what a session of Spark writes that was not told otherwise.
    return pq.ParquetFile(
        stores.open_for_reading(part.path, part.size),
        coerce_int96_timestamp_unit="us",
        **options,
    )


def add_part(parts: list[Part], part: Part) -> None:
    """Add a part to others; row groups of one file are read in one go."""
    last = parts[-1] if parts else None
    if last and last.path == part.path and last.row_groups and part.row_groups:
        parts[-1] = replace(last, row_groups=last.row_groups + part.row_groups)
    else:
        parts.append(part)


def parts_of(folder: str) -> list[Part]:
    """The files of a folder."""
    return [Part(file.path, file.size) for file in stores.data_files(folder)]


def chunks(parts: Sequence[Part], columns: Sequence[Column]) -> Iterator[pa.Table]:
    """Read parts as tables of the given columns, each as large as a row group may be."""
    return gathered(_batches(parts, columns), schema_of(columns))


def _batches(parts: Sequence[Part], columns: Sequence[Column]) -> Iterator[pa.RecordBatch]:
    for part in parts:
        file = open_part(part)
        groups = part.row_groups or range(file.num_row_groups)
        yield from batches_of(file, part, groups, columns)


def batches_of(
    file: pq.ParquetFile, part: Part, row_groups: Sequence[int], columns: Sequence[Column]
) -> Iterator[pa.RecordBatch]:
    """Read some row groups of an opened file in the given columns."""
    by_lower = {path.lower(): path for path in column_paths(file)}
    names = [by_lower.get(column.name.lower()) for column in columns]
    wanted = [name for name in names if name is not None]
    schema = schema_of(columns)
    for batch in read_batches(file, row_groups, wanted, partial(open_part, part)):
        yield _shaped(batch, names, schema)


def column_paths(file: pq.ParquetFile) -> list[str]:
    """Its columns, by place. A snapshot has none of several parts."""
    return [file.schema.column(place).path for place in range(len(file.schema))]


def schema_of(columns: Sequence[Column]) -> pa.Schema:
    """The Arrow schema of these columns."""
    return pa.schema([(column.name, column.arrow_type) for column in columns])


def _shaped(
    batch: pa.RecordBatch, names: Sequence[str | None], schema: pa.Schema
) -> pa.RecordBatch:
    """Bring a batch to the schema; a column that came after the file was written is NULL."""
    arrays = [
        pa.nulls(batch.num_rows, wanted.type)
        if name is None
        else batch.column(name).cast(wanted.type)
        for name, wanted in zip(names, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
