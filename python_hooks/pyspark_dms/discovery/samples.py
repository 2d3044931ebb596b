"""Reads the first rows of a DMS file, Parquet or CSV, as an Arrow table."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pyspark_dms import stores
from pyspark_dms.discovery.evidence import as_read
from pyspark_dms.discovery.found import SampleFile, why_not
from pyspark_dms.discovery.texts import ROWS_READ, IsParquet, TextRows, null_value, read_text
from pyspark_dms.landing.strays import format_of
from pyspark_dms.reading.columns import parse_column, sql_type
from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.times import are_far

_NAME = re.compile(r"[^\W\d][\w $#.-]*")
_TEXT_TYPES: tuple[tuple[re.Pattern[str], pa.DataType], ...] = (
    # A leading zero is a code, not a number.
    (re.compile(r"-?(?:0|[1-9]\d{0,17})"), pa.int64()),
    (re.compile(r"\d{4}-\d\d-\d\d"), pa.date32()),
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?"), pa.timestamp("us")),
)
# REAL8 as DMS writes it: +5.0656000000000000e+05.
_DOUBLE = re.compile(r"[+-]?\d+(?:\.\d*)?[eE][+-]?\d+")
_OPS = ("i", "u", "d")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d*)\.(\d+)")


class Unreadable(Exception):
    """Why a file cannot be looked into; the text is one line."""


@dataclass(frozen=True)
class Sample:
    """The first rows of a file.

    Attributes:
        file: where they come from.
        rows: as they are in Parquet; as text in CSV, with NULL where DMS writes NULL.
        is_whole: whether these are all rows of the file.
        form: how a CSV file is written; None for Parquet.
        is_null_unclear: whether empty fields may be NULL or empty texts.
        own_names: its first row, if that looks like names, though the files have none.
    """

    file: SampleFile
    rows: pa.Table
    is_whole: bool
    form: CsvFormat | None = None
    is_null_unclear: bool = False
    own_names: tuple[str, ...] = ()


def read_samples(files: Sequence[SampleFile]) -> list[Sample]:
    """Read the first rows of some files of one table.

    Raises:
        Unreadable: one of them cannot be read.
    """
    found = {file.path: _first_rows(file) for file in files if format_of(file.path) != "parquet"}
    texts = _of_one_encoding({path: text for path, text in found.items() if text})
    # DMS writes names into every file of a task or into none.
    header = _have_names([text.rows for text in texts.values() if text.rows])
    first = 1 if header else 0
    null, is_unclear = null_value(text.rows[first:] for text in texts.values())
    samples = []
    for file in files:
        if file.path not in texts:
            samples.append(_parquet_sample(file))
            continue
        text = texts[file.path]
        is_named = not header and bool(text.rows) and _may_have_names(text.rows)
        own_names = tuple(text.rows[0]) if is_named else ()
        table = _text_table(text.rows[is_named:], header, null)
        form = replace(text.form, header=header, null_value=null)
        samples.append(Sample(file, table, text.is_whole, form, is_unclear, own_names))
    for sample in samples:
        nameless = [name for name in sample.rows.column_names if not name.strip()]
        if nameless:
            raise Unreadable(
                f"{sample.file.path}: a column has no name (column "
                f"{sample.rows.column_names.index(nameless[0]) + 1}). Give it one in the DMS task"
            )
    return samples


def text_type(values: pa.ChunkedArray) -> pa.DataType:
    """The narrowest type that all of some texts have; a guess, and told as one.

    A date or time is one outside the years 1 to 9999, too: a run then stops at it and says so.
    """
    found = values.unique().drop_null()
    if not len(found):
        return pa.null()
    texts = found.filter(pc.invert(are_far(found))).to_pylist()
    data_type = _type_by_form(texts)
    if len(texts) < len(found) and not pa.types.is_temporal(data_type):
        return pa.string()
    # 2020-02-30 has the form of a date, and 50 digits are more than a decimal has.
    column = parse_column("", sql_type(data_type))
    is_read = as_read(pa.chunked_array([texts], pa.string()), column) is not None
    return data_type if is_read else pa.string()


def _type_by_form(texts: Sequence[str]) -> pa.DataType:
    for pattern, data_type in _TEXT_TYPES:
        if all(map(pattern.fullmatch, texts)):
            return data_type
    if all(map(_DOUBLE.fullmatch, texts)):
        return pa.float64()
    decimals = [_DECIMAL.fullmatch(text) for text in texts]
    if all(decimals):
        scale = max(len(match[1]) for match in decimals if match)
        return pa.decimal128(38, min(scale, 38))
    return pa.string()


def _parquet_sample(file: SampleFile) -> Sample:
    try:
        # As a run reads it: nanoseconds, the default for INT96, end in the year 2262.
        parquet = pq.ParquetFile(
            stores.open_for_reading(file.path, file.size), coerce_int96_timestamp_unit="us"
        )
        nested = [field for field in parquet.schema_arrow if pa.types.is_nested(field.type)]
        batches = []
        count = 0
        for batch in parquet.iter_batches(batch_size=ROWS_READ):
            batches.append(batch)
            count += batch.num_rows
            if count >= ROWS_READ:
                break
        rows = pa.Table.from_batches(batches, parquet.schema_arrow)
    except Exception as problem:  # stores and Arrow have many
        raise _unreadable(file, problem) from problem
    if nested:
        raise Unreadable(
            f"{file.path}: column {nested[0].name} has type {nested[0].type}, which no declared "
            "type can hold. Take it out of the DMS task"
        )
    return Sample(file, rows, count == parquet.metadata.num_rows)


def _first_rows(file: SampleFile) -> TextRows | None:
    """The first rows of a text; None if the file is Parquet under another name."""
    try:
        return read_text(file)
    except IsParquet:
        return None
    except Exception as problem:  # stores, gzip and csv have many
        raise _unreadable(file, problem) from problem


def _unreadable(file: SampleFile, problem: Exception) -> Unreadable:
    return Unreadable(why_not(file.path, problem).split("\n", 1)[0])


def _of_one_encoding(texts: dict[str, TextRows]) -> dict[str, TextRows]:
    """Files without a special character are taken for written as the others are."""
    encodings = {text.form.encoding for text in texts.values() if not text.is_ascii}
    if len(encodings) != 1 or not encodings <= {"latin-1", "cp1252"}:
        return texts
    (encoding,) = encodings
    return {
        path: replace(text, form=replace(text.form, encoding=encoding))
        for path, text in texts.items()
    }


def _have_names(files: Sequence[list[list[str]]]) -> bool:
    """Whether the first lines of the files are names and not rows."""
    firsts = [lines[0] for lines in files]
    last = [name.lower() for name in firsts[-1]] if firsts else []
    # So no change begins. What the other columns are called does not matter then.
    if "op" in last and last[0] not in _OPS:
        return not any(_is_row(first, last) for first in firsts)
    if not firsts or not all(map(_NAME.fullmatch, itertools.chain.from_iterable(firsts))):
        return False
    if any(len(set(first)) < len(first) for first in firsts):
        return False
    if len(firsts) > 1:
        # Change files may have Op and more in front of what the full load has.
        return all(set(first) <= set(firsts[-1]) for first in firsts)
    # One file: a column of numbers or dates under something that is neither.
    columns = zip(*files[0][1:], strict=False)
    return any(text_type(pa.chunked_array([list(column)])) != pa.string() for column in columns)


def _may_have_names(rows: list[list[str]]) -> bool:
    """Whether the first row of a file looks like names, be some of them none that DMS writes.

    So it does if it alone spoils the types of as many columns as keep theirs.
    """
    first, *others = rows
    if _have_names([rows]):
        return True
    spoiled = kept = 0
    for name, *values in zip(first, *others, strict=False):
        data_type = text_type(pa.chunked_array([values], pa.string()))
        if data_type == pa.string() or pa.types.is_null(data_type):
            continue
        is_spoiled = text_type(pa.chunked_array([[name, *values]])) == pa.string()
        spoiled += is_spoiled and _NAME.fullmatch(name) is not None
        kept += not is_spoiled
    return spoiled >= max(kept, 1)


def _is_row(first: list[str], names: list[str]) -> bool:
    """Whether the first line of a file is a row, though another file begins with names."""
    lower = [name.lower() for name in first]
    if not set(lower).isdisjoint(names):
        return False
    return lower[0] in _OPS or not all(map(_NAME.fullmatch, first))


def _text_table(lines: list[list[str]], header: bool, null: str) -> pa.Table:
    width = max(map(len, lines), default=0)
    names = lines[0] if header and lines else [f"c{number}" for number in range(1, width + 1)]
    rows = lines[1:] if header else lines
    columns = [
        pa.array(
            [row[place] if place < len(row) and row[place] != null else None for row in rows],
            pa.string(),
        )
        for place in range(len(names))
    ]
    return pa.Table.from_arrays(columns, names=names)


def all_match(values: pa.ChunkedArray, pattern: str) -> bool:
    """Whether every value that is not NULL matches, and there is one."""
    found = pc.match_substring_regex(values.cast(pa.string()), f"^(?:{pattern})$")
    return bool(pc.all(found).as_py()) and values.null_count < len(values)
