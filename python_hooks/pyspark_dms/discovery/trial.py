"""Reads the sample files as a run would, and says which ones a run would refuse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pyspark_dms.discovery.evidence import as_read
from pyspark_dms.discovery.samples import Sample
from pyspark_dms.discovery.texts import ROWS_READ
from pyspark_dms.errors import DmsError
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading.advice import read_with_advice
from pyspark_dms.reading.change_files import read_changes
from pyspark_dms.reading.columns import parse_column
from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.indexed_files import FileProblem, FileSpan, Notes, ReadSettings
from pyspark_dms.reading.layout import lay_out

if TYPE_CHECKING:
    from pyspark_dms.discovery.shape import Shape

STOPS = "a run stops at "
_MOST_BYTES_ADVISED = 64 << 20


def refused_files(shape: Shape, samples: Sequence[Sample]) -> Iterator[str]:
    """Why a run would stop at some of the files under the proposed declaration, and what to do.

    Of a large file only the first rows are read, as for the proposal itself. What to do is for a
    run to say there: that takes more rows.
    """
    settings = proposed_settings(shape)
    if all(_is_plain(sample, settings) for sample in samples):
        return
    files = [_indexed(sample, place) for place, sample in enumerate(samples)]
    small = [file for file in files if file.size <= _MOST_BYTES_ADVISED]
    for file in files:
        try:
            count = 0
            for batch in _changes(file, settings, small):
                count += batch.num_rows
                if count >= ROWS_READ:
                    break
        except (FileProblem, DmsError) as problem:
            name = file.path.rsplit("/", 1)[-1]
            yield f"{STOPS}{name}: {' '.join(str(problem).split())}"


def _changes(
    file: IndexedFile, settings: ReadSettings, small: Sequence[IndexedFile]
) -> Iterator[pa.RecordBatch]:
    if file in small:
        return read_with_advice(FileSpan(file), settings, Notes(), small)
    return read_changes(FileSpan(file), settings, Notes())


def _indexed(sample: Sample, place: int = 0) -> IndexedFile:
    kind = "load" if sample.file.is_load else "cdc"
    return IndexedFile(sample.file.path, sample.file.size, kind, "", 1, place, "")


def _is_plain(sample: Sample, settings: ReadSettings) -> bool:
    """Whether a file is Parquet with all columns, and every value that was read fits its type.

    A run reads those, so they are not fetched again.
    """
    if sample.form:
        return False
    try:
        layout = lay_out(sample.rows.column_names, _indexed(sample), settings)
    except FileProblem:
        return False
    found = zip(settings.columns, layout.declared, strict=True)
    values = [(sample.rows[name], column) for column, name in found if name is not None]
    known = ("I",) if sample.file.is_load else ("I", "U", "D")
    has_operations = layout.op is None or {*sample.rows[layout.op].to_pylist()}.issubset(known)
    fits = all(as_read(data, column) is not None for data, column in values)
    return not layout.absent and has_operations and fits


def proposed_settings(shape: Shape) -> ReadSettings:
    """What a declaration of this shape says of reading files."""
    return ReadSettings(
        columns=tuple(parse_column(*column) for column in shape.columns.items()),
        primary_keys=shape.key.columns,
        op_column=shape.op_column or "Op",
        timestamp_column=shape.timestamp_column,
        change_seq_column=shape.change_seq_column,
        captures_deletes=shape.captures_deletes,
        format="csv" if shape.is_csv_only else "auto",
        csv=shape.form or CsvFormat(),
    )
