"""Reads a CSV file of DMS as batches of raw fields, row for row.

Arrow parses the fields, but it is lenient where a reader of other people's data must not be: a
quote that is never closed, text behind a closing quote, an empty line. So rows are cut out of the
stream here first, strictly by RFC 4180, and Arrow gets whole rows only.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from pyspark_dms.reading.csv_format import CR, INVALID, LF, SEPARATOR, UNIT_SEPARATOR, CsvFormat

# How much of a file is parsed at a time; whole rows, so one batch is about as large.
_BLOCK_BYTES = 4 * 1024 * 1024
# A row beyond this is taken for a quote that is never closed.
_LARGEST_ROW_BYTES = 512 * 1024 * 1024
GZIP_MAGIC = b"\x1f\x8b"
_UTF8_BOM = b"\xef\xbb\xbf"

# By row_delimiter: what rows have in front of it where another one is meant, and which that is.
_OTHER_ENDS = {
    "\n": (CR, r"\r\n, which csv.row_delimiter is not"),
    "\r\n": (LF, r"\n, which csv.row_delimiter is not"),
    r"\n": (
        rb"\r",
        r"the four characters \r\n, which csv.row_delimiter cannot be. Give the DMS endpoint "
        "another CsvRowDelimiter",
    ),
}


class CsvProblem(Exception):
    """Why a CSV file cannot be read on; the text names the row if it can."""


@dataclass(frozen=True)
class BadLine:
    """A row that has not as many fields as it must: its number from 1, its text, what is wrong."""

    row: int
    text: str
    reason: str


@dataclass
class CsvBlock:
    """Rows that were read together.

    Attributes:
        rows: the number of each row in the file, from 1, the header not counted.
        fields: the raw fields, as binary columns without names; NULL is NULL.
        bad_lines: rows between these that have the wrong number of fields.
    """

    rows: pa.Array
    fields: list[pa.Array]
    bad_lines: list[BadLine]


@dataclass(frozen=True)
class _Rows:
    """Whole rows as bytes, and their numbers where they do not simply follow each other."""

    content: bytes
    numbers: list[int] | None = None

    def number(self, place: int) -> int:
        """The number of a row of the first block, by its place from 0."""
        return self.numbers[place] if self.numbers else place + 1


@dataclass
class CsvReader:
    """One pass over a file.

    Attributes:
        source: the bytes of the file.
        form: how they are written.
        is_gzip: whether the file's name says that it is compressed.
        only: table and schema, if the file has rows of many tables and says in the second and the
            third field of which each one is; other rows are passed over.
        first_row: the fields of the header or, without one, of the first row that has as many as
            most rows have: so many each row must have. A row that is cut short in front does not
            make all others wrong.
        first_row_number: its number, from 1, the header not counted; 0 for the header.
    """

    source: Any
    form: CsvFormat
    is_gzip: bool
    only: tuple[str, str] | None = None
    first_row: list[str | None] = field(default_factory=list)
    first_row_number: int = 0
    _seen: bytes = b""

    def __post_init__(self) -> None:
        if not _is_encoding_of_text(self.form.encoding):
            raise CsvProblem(
                f"there is no encoding of text {self.form.encoding}; csv.encoding is one that "
                "Python knows, such as utf-8, utf-16 or latin-1"
            )
        self._rows = self._own_rows()
        self._first: CsvBlock | None = None
        rows = next(self._rows, None)
        if rows is None:
            return
        self._check_row_ends(rows)
        if self.form.header and self.only is None:
            header = self._first_line(rows)
            self.first_row = self._fields_of(header)
            self._first = self._read_block(_Rows(rows.content[len(header) :]), 0)
        else:
            self._first = self._read_typical(rows)

    def first_column(self) -> pa.Array:
        """The first field of each row that was read so far, as binary values."""
        return self._first.fields[0] if self._first else pa.array([], pa.binary())

    def blocks(self) -> Iterator[CsvBlock]:
        """All rows in their order.

        Raises:
            CsvProblem: the file cannot be read on.
        """
        block, self._first = self._first, None
        before = 0
        while block:
            last = block.rows[-1].as_py() if len(block.rows) else 0
            before = max(before, last, *(line.row for line in block.bad_lines))
            if before:  # a header may be all that there is
                yield block
            try:
                rows = next(self._rows, None)
            except CsvProblem as problem:
                raise CsvProblem(f"behind row {before}: {problem}") from problem
            block = self._read_block(rows, before) if rows else None

    # ------------------------------------------------------------------ fields

    def _read_typical(self, rows: _Rows) -> CsvBlock:
        """Read the first block, and set `first_row` by what most of its rows have."""
        self.first_row, self.first_row_number = (
            self._fields_of(self._first_line(rows)),
            rows.number(0),
        )
        block = self._read_block(rows, 0)
        if not block.bad_lines:
            return block
        lines = self.form.one_row.findall(rows.content)
        counts = [self._count_fields(line) for line in lines]
        ((width, _),) = Counter(counts).most_common(1)
        if width == len(self.first_row):
            return block
        place = counts.index(width)
        self.first_row, self.first_row_number = self._fields_of(lines[place]), rows.number(place)
        return self._read_block(rows, 0)

    def _read_block(self, rows: _Rows, before: int) -> CsvBlock:
        block, width = rows.content, len(self.first_row)
        bad: dict[int, BadLine] = {}
        try:
            fields = self._parse(block, width)
            # Arrow takes an empty line for a row of empty fields.
            has_bad_line = width > 1 and _has_empty(fields[0]) and (b"\n\n" in b"\n" + block)
        except pa.ArrowInvalid:
            has_bad_line = True
        if has_bad_line:
            block, bad = self._without_bad_lines(rows, before, width)
            fields = self._parse(block, width)
        if rows.numbers:
            numbers = pa.array(rows.numbers, pa.int64())
        else:
            numbers = pa.arange(before + 1, before + len(fields[0]) + len(bad) + 1)
        if bad:
            numbers = numbers.filter(pc.invert(pc.is_in(numbers, value_set=pa.array([*bad]))))
        return CsvBlock(numbers, fields, list(bad.values()))

    def _without_bad_lines(
        self, rows: _Rows, before: int, width: int
    ) -> tuple[bytes, dict[int, BadLine]]:
        good: list[bytes] = []
        bad: dict[int, BadLine] = {}
        lines = self.form.one_row.findall(rows.content)
        numbers = rows.numbers or range(before + 1, before + len(lines) + 1)
        for row, line in zip(numbers, lines, strict=True):
            count = 0 if line == b"\n" and width > 1 else self._count_fields(line)
            if count == width:
                good.append(line)
                continue
            text = self._line_as_text(line[:-1])
            bad[row] = BadLine(row, text, f"it has {count} fields where there must be {width}")
        return b"".join(good), bad

    def _count_fields(self, line: bytes) -> int:
        bare = self.form.quoted.sub(b"", line) if self.form.rfc4180 else line
        return bare.count(self.form.separator) + 1

    def _first_line(self, rows: _Rows) -> bytes:
        line = self.form.one_row.match(rows.content)
        assert line is not None
        return line[0]

    def _fields_of(self, line: bytes) -> list[str | None]:
        return [self._as_text(column[0]) for column in self._parse(line, None)]

    def _parse(self, block: bytes, width: int | None) -> list[pa.Array]:
        if not block:
            return [pa.array([], pa.binary())] * (width or 1)
        if block.startswith(_UTF8_BOM):
            block = _UTF8_BOM + block  # Arrow takes the first one away, here a part of the text
        table = pacsv.read_csv(
            pa.BufferReader(block),
            pacsv.ReadOptions(
                use_threads=False,
                # The whole block at once: Arrow's own cutting into blocks is not needed.
                block_size=len(block) + 1,
                column_names=None if width is None else [str(n) for n in range(width)],
                autogenerate_column_names=width is None,
            ),
            pacsv.ParseOptions(
                delimiter=self.form.separator.decode(),
                quote_char=self.form.quote if self.form.rfc4180 else False,
                newlines_in_values=self.form.rfc4180,
                ignore_empty_lines=False,
            ),
            pacsv.ConvertOptions(
                check_utf8=False,
                default_column_type=pa.binary(),
                null_values=[self.form.translated(self.form.null_value)],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
        return [self._undone(column.combine_chunks()) for column in table.columns]

    def _undone(self, values: pa.Array) -> pa.Array:
        """Give values back what stood in place of their own line ends and separators."""
        if self.form.row_delimiter != "\n":
            values = pc.replace_substring(values, b"\n", self.form.row_delimiter.encode())
        if not self.form.is_plain:
            values = pc.replace_substring(values, UNIT_SEPARATOR, self.form.delimiter.encode())
        for byte, original in ((CR, b"\r"), (LF, b"\n"), (SEPARATOR, UNIT_SEPARATOR)):
            if byte in self._seen:
                values = pc.replace_substring(values, byte, original)
        return values

    def _line_as_text(self, line: bytes) -> str:
        return self._as_text(self._undone(pa.array([line], pa.binary()))[0]) or ""

    @staticmethod
    def _as_text(value: pa.Scalar) -> str | None:
        raw = value.as_py()
        return None if raw is None else raw.decode("utf-8", "backslashreplace")

    # ------------------------------------------------------------------ rows

    def _own_rows(self) -> Iterator[_Rows]:
        """The rows that are wanted."""
        if self.only is None:
            yield from map(_Rows, self._whole_rows())
            return
        split, quote = re.escape(self.form.separator), re.escape(self.form.quote.encode())
        names = [re.escape(name.encode()) for name in self.only]
        table, schema = (
            rb"(?:%s|%s%s%s)" % (name, quote, name.replace(quote, quote * 2), quote)
            for name in names
        )
        own = re.compile(
            rb"[^%s\n]*%s%s%s%s(?:%s|\n)" % (split, split, table, split, schema, split)
        )
        before = 0
        for block in self._whole_rows():
            lines = self.form.one_row.findall(block)
            numbers = [row for row, line in enumerate(lines, before + 1) if own.match(line)]
            before += len(lines)
            if numbers:
                yield _Rows(b"".join(filter(own.match, lines)), numbers)

    def _whole_rows(self) -> Iterator[bytes]:
        """Cut the stream behind rows."""
        rest = b""
        waiting: list[bytes] = []
        for chunk in self._translated():
            waiting.append(chunk)
            size = sum(map(len, waiting))
            # A long row is looked through again when it has doubled, so in linear time.
            if size >= len(rest) or size + len(rest) > _LARGEST_ROW_BYTES:
                rest = yield from self._cut_rows(rest + b"".join(waiting))
                waiting = []
        rest = yield from self._cut_rows(rest + b"".join(waiting))
        if not rest:
            return
        rest += b"\n"  # the last row may end without one
        if not self.form.one_row.fullmatch(rest):
            raise CsvProblem("the file ends inside a quoted field")
        self._check_overlaps(rest)
        yield rest

    def _cut_rows(self, content: bytes) -> Generator[bytes, None, bytes]:
        """Yield the whole rows; what is returned is a row that is only begun."""
        end = self._end_of_whole_rows(content)
        if end:
            self._check_overlaps(content[:end])
            yield content[:end]
        rest = content[end:]
        if self.form.rfc4180:
            self._check_bad_quotes(rest)
        if len(rest) > _LARGEST_ROW_BYTES:
            raise CsvProblem("a row has more than 512 MB; is a quote never closed?")
        return rest

    def _end_of_whole_rows(self, content: bytes) -> int:
        """Where the last row ends that is whole; content begins with a row."""
        quote = self.form.quote.encode()
        place = 0
        # A row without quotes ends at the next line end; only the others need to be looked at.
        while self.form.rfc4180 and (found := content.find(quote, place)) >= 0:
            start = content.rfind(b"\n", place, found) + 1 or place
            rows = self.form.quoted_rows.match(content, start)
            assert rows is not None  # it may be empty
            place = rows.end()
            if place == start:
                return place
        return content.rfind(b"\n", place) + 1 or place

    def _check_row_ends(self, rows: _Rows) -> None:
        """Refuse rows that all end in CR LF where LF is declared: each last value would end in CR.

        So with either of the two written out, and with LF where CR LF is declared. Who quotes by
        RFC 4180 quotes a value that ends so. Otherwise one row alone tells nothing.
        """
        if self.form.row_delimiter not in _OTHER_ENDS:
            return
        more, found = _OTHER_ENDS[self.form.row_delimiter]
        lines = rows.content.count(b"\n")
        if not self.form.rfc4180 and lines == 1:
            return
        if rows.content.count(more + b"\n") == lines:
            raise CsvProblem(f"its rows end in {found}")

    def _check_overlaps(self, rows: bytes) -> None:
        overlap = self.form.overlap
        if overlap is None or not overlap.search(rows):
            return
        # Inside quotes a part of the delimiter is text, and nothing else.
        if self.form.rfc4180 and not overlap.search(self.form.quoted.sub(b"", rows)):
            return
        raise CsvProblem(
            f"a value ends or begins with a part of the delimiter {self.form.delimiter!r}, so "
            "where it ends cannot be told. Let DMS write another CsvDelimiter"
        )

    def _check_bad_quotes(self, rest: bytes) -> None:
        if not self.form.begun_row.match(rest):
            line = self._line_as_text(rest.split(b"\n", 1)[0][:80])
            raise CsvProblem(f"the quotes of a row are not as RFC 4180 wants them: {line!r}")

    def _translated(self) -> Iterator[bytes]:
        """Bring the file to UTF-8, one delimiter and one line end, without changing any value."""
        form = self.form
        end_of_row = form.row_delimiter.encode()
        changed = [bytes([byte]) for byte in range(256) if form.private[byte] != byte]
        for rows in self._cut(end_of_row):
            if form.is_plain and len(end_of_row) == 1 and not any(byte in rows for byte in changed):
                yield rows
                continue
            translated = b"\n".join(
                self.form.separator.join(field.translate(form.private) for field in row)
                for row in self._split(rows, end_of_row)
            )
            for byte in (CR, LF, SEPARATOR):
                if byte not in self._seen and byte in translated:
                    self._seen += byte
            yield translated

    def _split(self, rows: bytes, end_of_row: bytes) -> Iterator[list[bytes]]:
        """Part rows at what is more than one byte; what is one byte is translated in place."""
        for row in rows.split(end_of_row) if len(end_of_row) > 1 else [rows]:
            yield [row] if self.form.is_plain else row.split(self.form.delimiter.encode())

    def _cut(self, end_of_row: bytes) -> Iterator[bytes]:
        """Blocks of the file as UTF-8 that end behind a row delimiter, so none is cut in two."""
        rest = b""
        for chunk in self._decoded():
            rest += chunk
            end = rest.rfind(end_of_row) + len(end_of_row)
            if end >= len(end_of_row):
                yield rest[:end]
                rest = rest[end:]
            elif len(rest) > _LARGEST_ROW_BYTES:
                raise CsvProblem("a row has more than 512 MB; is csv.row_delimiter right?")
        if rest:
            yield rest

    def _decoded(self) -> Iterator[bytes]:
        if codecs.lookup(self.form.encoding).name == "utf-8":
            chunks = self._chunks()
            yield next(chunks, b"").removeprefix(_UTF8_BOM)
            yield from chunks
            return
        decoder = codecs.getincrementaldecoder(self.form.encoding)("dms_invalid")
        try:
            for chunk in self._chunks():
                yield decoder.decode(chunk).encode("utf-8", "surrogateescape")
            yield decoder.decode(b"", final=True).encode("utf-8", "surrogateescape")
        except UnicodeError as problem:
            raise CsvProblem(f"it is not encoded as {self.form.encoding}: {problem}") from problem

    def _chunks(self) -> Iterator[bytes]:
        is_compressed = self.source.read(2) == GZIP_MAGIC
        self.source.seek(0)
        if self.is_gzip and not is_compressed:
            raise CsvProblem("its name says gzip, but its content is not")
        content: Any = self.source
        if is_compressed:
            content = gzip.GzipFile(fileobj=io.BufferedReader(_Raw(self.source), _BLOCK_BYTES))
        try:
            while chunk := content.read(_BLOCK_BYTES):
                yield chunk
        except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
            raise CsvProblem(f"the gzip file is damaged or cut short: {problem}") from problem


def _is_encoding_of_text(name: str) -> bool:
    try:
        # Python knows hex, zlib and the like by such names too, and has no public way to ask.
        return codecs.lookup(name)._is_text_encoding
    except LookupError:
        return False


def _has_empty(values: pa.Array) -> bool:
    """Whether a value is empty or, where an empty field may mean that, NULL."""
    return values.null_count > 0 or pc.any(pc.equal(pc.binary_length(values), 0)).as_py() is True


class _Raw(io.RawIOBase):
    """Reads any file object, Arrow's included, as the standard library expects one."""

    def __init__(self, source: Any) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._source.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _invalid(error: UnicodeError) -> tuple[str, int]:
    """Codec error handler: what is no text in the file's encoding must not become text here."""
    assert isinstance(error, UnicodeDecodeError)
    # As a surrogate, which surrogateescape turns into the byte that no UTF-8 text has.
    return chr(0xDC00 + INVALID[0]) * (error.end - error.start), error.end


codecs.register_error("dms_invalid", _invalid)
