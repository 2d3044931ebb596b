"""Tells from the first lines of CSV files how a DMS endpoint has written them."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pyspark_dms import stores
from pyspark_dms.discovery.found import SampleFile
from pyspark_dms.reading.csv_files import GZIP_MAGIC, CsvProblem
from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.csv_forms import DELIMITERS, ROW_DELIMITERS, may_be_declared
from pyspark_dms.reading.file_rows import PARQUET_MAGIC

# Rows looked at per file: enough to tell what is in it.
ROWS_READ = 50_000
# As many rows tell whether a delimiter is written twice, or whether two fields are empty.
_ROWS_COMPARED = 100
_LINE_END = re.compile("\r\n|\r|\n")
_TAB_WRITTEN_OUT = r"\t"
_RECORD_SEPARATOR = "\x1e"
_UNIT_SEPARATOR = "\x1f"
_QUOTE = '"'
# What stands between two quotes, or behind one that is not closed.
_QUOTED = re.compile(rf"{_QUOTE}[^{_QUOTE}]*(?:{_QUOTE}|\Z)")
# As much of a file is looked at to find out what ends its rows, and what parts its fields.
_PART_CHARACTERS = 1 << 20
_CONTROL = re.compile("[\x80-\x9f]")
_NULLS = ("NULL", r"\N")
# What no empty text is written among: numbers, dates and times.
_NO_TEXT = re.compile(r"[+-]?\d[\d.,:eE+\- ]*")
# Python's own limit is shorter than the texts that DMS writes.
csv.field_size_limit(2**31 - 1)


class NoText(Exception):
    """The content is binary data."""


class IsParquet(Exception):
    """The content is Parquet, whatever the name says."""


@dataclass(frozen=True)
class TextRows:
    """The first rows of a CSV file: their fields as text, whether these are all, and the form."""

    rows: list[list[str]]
    is_whole: bool
    form: CsvFormat

    @property
    def is_ascii(self) -> bool:
        """Whether the text is the same in most encodings, so that it shows none of them."""
        return all(value.isascii() for row in self.rows for value in row)


def read_text(file: SampleFile) -> TextRows:
    """Read the first rows of a CSV file.

    Raises:
        IsParquet: it is none.
        NoText: it is no text.
        Exception: the store, gzip or csv cannot; each has exceptions of its own.
    """
    try:
        return _read_marked_or_narrow(file)
    except NoText:
        for encoding in ("utf-16-le", "utf-16-be"):
            # Binary data is UTF-16 of a kind, too.
            with suppress(UnicodeDecodeError, NoText):
                text = _read(file, encoding)
                if text.rows and all(value.isascii() for value in text.rows[0]):
                    return text
        raise


def _read_marked_or_narrow(file: SampleFile) -> TextRows:
    try:
        return _read(file, "utf-8")
    except UnicodeDecodeError:
        if _begins_with_mark(file):
            return _read(file, "utf-16")
    # Latin-1 has a letter for every byte, so it comes last, and a person is asked. Some of these
    # no text has; in the code page of Windows they are quotes, dashes and the euro.
    text = _read(file, "latin-1")
    if any(_CONTROL.search(value) for row in text.rows for value in row):
        with suppress(UnicodeDecodeError):
            return _read(file, "cp1252")
    return text


def null_value(files: Iterable[Sequence[Sequence[str]]]) -> tuple[str, bool]:
    """The field that means NULL in some files, and whether that is no more than the default.

    Empty fields among numbers, dates or times are NULL, if no field is called so. Among texts
    alone they may be empty texts.
    """
    columns: dict[int, set[str]] = {}
    for rows in files:
        for row in rows:
            for place, value in enumerate(row):
                columns.setdefault(place, set()).add(value)
    for name in _NULLS:
        if any(name in values for values in columns.values()):
            return name, False
    with_empty = [values - {""} for values in columns.values() if "" in values]
    if any(values and all(map(_NO_TEXT.fullmatch, values)) for values in with_empty):
        return "", False
    return CsvFormat().null_value, bool(with_empty)


def _open_raw(file: SampleFile) -> Any:
    source = stores.open_for_reading(file.path, file.size)
    # Of a large file each request would be for the 8 KiB that TextIOWrapper asks for; a
    # buffer between asks for whole parts.
    raw: Any = io.BufferedReader(source) if isinstance(source, io.BufferedReader) else source
    # The content says so, whatever the name does.
    magic = raw.read(len(PARQUET_MAGIC))
    raw.seek(0)
    if magic == PARQUET_MAGIC:
        raise IsParquet
    is_compressed = magic.startswith(GZIP_MAGIC)
    is_named_so = file.path.lower().endswith(".gz")
    return gzip.GzipFile(fileobj=raw) if is_compressed or is_named_so else raw


def _begins_with_mark(file: SampleFile) -> bool:
    with _open_raw(file) as raw:
        return raw.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _read(file: SampleFile, encoding: str) -> TextRows:
    # A mark in front of UTF-8 is no text. newline="": line ends are looked at.
    codec = "utf-8-sig" if encoding == "utf-8" else encoding
    with io.TextIOWrapper(_open_raw(file), encoding=codec, newline="") as text:
        start = text.read(_PART_CHARACTERS)
        if "\0" in start.partition("\n")[0]:
            raise NoText("binary data under a name of CSV; put back what DMS wrote")
        end = _row_delimiter(start)
        *whole_rows, last = _QUOTED.sub("", start).split(end)
        delimiter = _delimiter(whole_rows[:_ROWS_COMPARED] or [last])
        text.seek(0)
        # csv knows delimiters of one character only.
        separator = delimiter if len(delimiter) == 1 else _UNIT_SEPARATOR
        form = CsvFormat(delimiter=delimiter, row_delimiter=end, encoding=encoding)
        if not may_be_declared(form):
            raise CsvProblem(
                f"{delimiter!r} parts its fields and {end!r} ends its rows, which a declaration "
                "cannot say. Give the DMS endpoint other delimiters, and let it write the files "
                "again"
            )
        whole = text if _LINE_END.fullmatch(end) else _ended(text, end)
        rows: list[list[str]] = []
        for row in csv.reader(_separated(whole, delimiter, separator), delimiter=separator):
            if len(rows) > ROWS_READ:
                return TextRows(rows, False, form)
            if row:
                rows.append(row)
        return TextRows(rows, True, form)


def _separated(text: Iterable[str], delimiter: str, separator: str) -> Iterator[str]:
    for line in text:
        yield line if delimiter == separator else line.replace(delimiter, separator)


def _ended(text: io.TextIOBase, end: str) -> Iterator[str]:
    """Rows that do not end in a line end, with one; what they have of those is of no account."""
    rest = ""
    while part := text.read(_PART_CHARACTERS):
        *rows, rest = (rest + part).split(end)
        for row in rows:
            yield _LINE_END.sub(" ", row) + "\n"
    yield _LINE_END.sub(" ", rest)


def _delimiter(rows: Sequence[str]) -> str:
    """What parts the fields of some rows, of which quoted values are taken out."""
    one = max((name for name in DELIMITERS if len(name) == 1), key=rows[0].count)
    # A text may have these two characters, too, but not in each row as often as in the others.
    if _is_even(_TAB_WRITTEN_OUT, rows) and not _is_even(one, rows):
        return _TAB_WRITTEN_OUT
    counts = [(row.count(one), row.count(one * 2)) for row in rows if one in row]
    is_double = counts and all(single == 2 * double for single, double in counts)
    # A tab or a comma twice is more likely an empty field between two.
    return one * 2 if is_double and one not in ",;\t" else one


def _is_even(delimiter: str, rows: Sequence[str]) -> bool:
    counts = {row.count(delimiter) for row in rows}
    return len(counts) == 1 and 0 not in counts


def _row_delimiter(start: str) -> str:
    """What the first row ends with, behind its last quote."""
    bare = _QUOTED.sub("", start)
    line_end = _LINE_END.search(bare)
    if _RECORD_SEPARATOR in bare[: line_end.start() if line_end else None]:
        return _RECORD_SEPARATOR
    if not line_end:
        # Text may have these characters, too, but a file does not end in them.
        is_cut = len(start) == _PART_CHARACTERS
        for end in ROW_DELIMITERS[::-1]:
            if end.startswith("\\") and (bare.endswith(end) or (is_cut and end in bare)):
                return end
    found = line_end or _LINE_END.search(start)
    return found[0] if found else "\n"
