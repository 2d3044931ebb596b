"""Reads the sample files as a run would, and says which ones a run would refuse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pyspark_dms.discovery.evidence import as_read
from pyspark_dms.discovery.samples import Sample
from pyspark_dms.discovery.texts import ROWS_READ
from pyspark_dms.errors import DmsError
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading.change_files import read_changes
from pyspark_dms.reading.columns import parse_column
from pyspark_dms.reading.csv_files import CsvFormat
from pyspark_dms.reading.indexed_files import FileProblem, FileSpan, Notes, ReadSettings

if TYPE_CHECKING:
    from pyspark_dms.discovery.shape import Shape


def refused_files(shape: Shape, samples: Sequence[Sample]) -> Iterator[str]:
    """Why a run would stop at some of the files under the proposed declaration.

    Of a large file only the first rows are read, as for the proposal itself.
    """
    if _is_plain(shape, samples):
        return
    settings = proposed_settings(shape)
    for sample in samples:
        kind = "load" if sample.file.is_load else "cdc"
        file = IndexedFile(sample.file.path, sample.file.size, kind, "", 1, 1, "")
        try:
            count = 0
            for batch in read_changes(FileSpan(file), settings, Notes()):
                count += batch.num_rows
                if count >= ROWS_READ:
                    break
        except (FileProblem, DmsError) as problem:
            name = file.path.rsplit("/", 1)[-1]
            yield f"a run stops at {name}: {' '.join(str(problem).split())}"


def _is_plain(shape: Shape, samples: Sequence[Sample]) -> bool:
    """Whether all files are Parquet of one set of columns, and every value read fits its type.

    A run reads those, so they are not fetched again.
    """
    roles = (shape.op_column, shape.timestamp_column, shape.change_seq_column)
    added = {name.lower() for name in roles if name}
    columns = {name.lower() for name in shape.columns}
    for sample in samples:
        names = [name.lower() for name in sample.rows.column_names]
        if sample.form or set(names) - added != columns or len(set(names)) < len(names):
            return False
        # DMS leaves these out of full loads only.
        if not sample.file.is_load and not added <= set(names):
            return False
        if shape.timestamp_column and shape.timestamp_column.lower() not in names:
            return False
        for column in (parse_column(*one) for one in shape.columns.items()):
            if as_read(sample.rows.column(names.index(column.name.lower())), column) is None:
                return False
        if shape.op_column and shape.op_column.lower() in names:
            place = names.index(shape.op_column.lower())
            if sample.rows.column(place).null_count:
                return False
    return True


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
