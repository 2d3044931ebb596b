"""What values a CSV file has: what a setting would lose, or what it has of it already."""

from __future__ import annotations

import re

import pyarrow.compute as pc

from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading.file_rows import CsvRows
from pyspark_dms.reading.indexed_files import FileProblem, ReadSettings


def has_quoted(file: IndexedFile, settings: ReadSettings) -> bool:
    """Whether a value begins and ends with a quote, which would become a part of it."""
    quotes = {'"', "'", settings.csv.quote}
    enclosed = "|".join(f"(?s)^{re.escape(quote)}.*{re.escape(quote)}$" for quote in quotes)
    try:
        rows = CsvRows(file, settings)
    except FileProblem:
        return False  # it is not read now either
    return any(
        pc.any(pc.match_substring_regex(values, enclosed), min_count=0).as_py()
        for batch in rows.batches(rows.names)
        for values in batch.columns.values()
    )


def is_empty_without_name(file: IndexedFile, settings: ReadSettings) -> bool:
    """Whether no row of a CSV file has a value where its header has no name."""
    rows = CsvRows(file, settings)
    return "" not in rows.names or all(
        pc.all(pc.equal(pc.fill_null(batch.columns[""], b""), b""), min_count=0).as_py()
        for batch in rows.batches([""])
    )


def has_null(file: IndexedFile, settings: ReadSettings) -> bool:
    """Whether a CSV file has a field that is NULL as declared."""
    try:
        rows = CsvRows(file, settings)
        names = [name for name in rows.names if name]
        return any(
            values.null_count for batch in rows.batches(names) for values in batch.columns.values()
        )
    except FileProblem:
        return False
