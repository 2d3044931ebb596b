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
from pyspark_dms.reading.csv_files import CsvFormat

# Rows looked at per file: enough to tell what is in it.
ROWS_READ = 50_000
_DELIMITERS = (",", ";", "\t", "|", "\x01", "^", "~")
# As many lines tell whether a delimiter is written twice, or whether two fields are empty.
_LINES_COMPARED = 100
_UNIT_SEPARATOR = "\x1f"
_GZIP_MAGIC = b"\x1f\x8b"
_PARQUET_MAGIC = b"PAR1"
# A CsvRowDelimiter that was given with its backslash: two characters, and no line end at all.
_WRITTEN_OUT = r"\n"
_QUOTE = '"'
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
    magic = raw.read(len(_PARQUET_MAGIC))
    raw.seek(0)
    if magic == _PARQUET_MAGIC:
        raise IsParquet
    is_compressed = magic.startswith(_GZIP_MAGIC)
    is_named_so = file.path.lower().endswith(".gz")
    return gzip.GzipFile(fileobj=raw) if is_compressed or is_named_so else raw


def _begins_with_mark(file: SampleFile) -> bool:
    with _open_raw(file) as raw:
        return raw.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _read(file: SampleFile, encoding: str) -> TextRows:
    # A mark in front of UTF-8 is no text. newline="": line ends are looked at.
    codec = "utf-8-sig" if encoding == "utf-8" else encoding
    with io.TextIOWrapper(_open_raw(file), encoding=codec, newline="") as text:
        lines = [text.readline() for _ in range(_LINES_COMPARED)]
        if "\0" in lines[0]:
            raise NoText("binary data under a name of CSV; put back what DMS wrote")
        delimiter = _delimiter(lines)
        text.seek(0)
        # csv knows delimiters of one character only.
        separator = delimiter if len(delimiter) == 1 else _UNIT_SEPARATOR
        end = _row_delimiter(lines)
        form = CsvFormat(delimiter=delimiter, row_delimiter=end, encoding=encoding)
        whole: Iterable[str] = text
        if end == _WRITTEN_OUT:
            whole = (f"{row}\n" for row in lines[0].split(end))
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


def _delimiter(lines: Sequence[str]) -> str:
    one = max(_DELIMITERS, key=lines[0].count)
    counts = [(line.count(one), line.count(one * 2)) for line in lines if one in line]
    is_double = counts and all(single == 2 * double for single, double in counts)
    # A tab or a comma twice is more likely an empty field between two.
    return one * 2 if is_double and one not in ",;\t" else one


def _row_delimiter(lines: Sequence[str]) -> str:
    """What the first row ends with, behind its last quote."""
    if lines[0].endswith(_WRITTEN_OUT):
        return _WRITTEN_OUT
    quotes = 0
    for line in lines:
        quotes += line.count(_QUOTE)
        if quotes % 2 == 0 and line:
            return next((end for end in ("\r\n", "\r") if line.endswith(end)), "\n")
    return "\n"
