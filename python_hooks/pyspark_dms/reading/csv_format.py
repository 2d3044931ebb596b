"""How CSV files are written: the settings of a DMS endpoint, and what follows from them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

# Arrow splits at one ASCII character and at line ends of every kind; what the file has of those
# inside its values stands as one of these bytes, which no UTF-8 text has, until it is parsed.
UNIT_SEPARATOR = b"\x1f"
CR, LF, SEPARATOR, INVALID = b"\xff", b"\xfe", b"\xfd", b"\xfc"


@dataclass(frozen=True)
class CsvFormat:
    """The CSV settings of a DMS endpoint, by default those of DMS itself.

    Attributes:
        header: whether the first row of each file names the columns (``AddColumnName``).
        delimiter: what parts fields (``CsvDelimiter``).
        row_delimiter: what ends rows (``CsvRowDelimiter``).
        rfc4180: whether fields are quoted where they need it (``Rfc4180``).
        quote: the quote, one ASCII character.
        null_value: the unquoted field that is NULL (``CsvNullValue``).
        no_sup_value: the field that means: not logged, so unknown (``CsvNoSupValue``).
        encoding: how text is encoded, by a name that Python knows.
        columns: without a header, the columns in the order of the file, behind the operation and
            the timestamp; None for the declared ones.
    """

    header: bool = False
    delimiter: str = ","
    row_delimiter: str = "\n"
    rfc4180: bool = True
    quote: str = '"'
    null_value: str = "NULL"
    no_sup_value: str | None = None
    encoding: str = "utf-8"
    columns: tuple[str, ...] | None = None

    @cached_property
    def is_plain(self) -> bool:
        """Whether the delimiter is one that Arrow can split at."""
        return len(self.delimiter) == 1 and self.delimiter.isascii() and self.delimiter != "\0"

    @cached_property
    def separator(self) -> bytes:
        """The delimiter as Arrow gets it."""
        return self.delimiter.encode() if self.is_plain else UNIT_SEPARATOR

    @cached_property
    def private(self) -> bytes:
        """What each byte of a file stands as until it is parsed, to translate with."""
        table = bytearray(range(256))
        for private in CR + LF + SEPARATOR:
            table[private] = INVALID[0]
        table[ord("\r")], table[ord("\n")] = CR[0], LF[0]
        if not self.is_plain:
            table[UNIT_SEPARATOR[0]] = SEPARATOR[0]
        end_of_row = self.row_delimiter.encode()
        if len(end_of_row) == 1:
            table[end_of_row[0]] = ord("\n")
        return bytes(table)

    def translated(self, text: str) -> bytes:
        """A part of a value as it stands in the file until it is parsed."""
        return text.encode().translate(self.private)

    @cached_property
    def overlap(self) -> re.Pattern[bytes] | None:
        """Matches where a delimiter may as well begin inside the one that was found.

        Between ``a|`` and ``b`` the delimiter ``||`` makes ``a|||b``, which may be ``|b`` as well.
        Behind the one that was found stands what the later one has more, perhaps as the end of
        a value and the begin of the next delimiter.
        """
        text, found = self.translated(self.delimiter), self.separator
        tails = [text[start:] for start in range(1, len(text)) if text.endswith(text[:start])]
        if not tails:
            return None
        readings = tails + [
            tail[:end] + found
            for tail in tails
            for end in range(1, len(tail))
            if text.startswith(tail[end:])
        ]
        return re.compile(found + b"(?:" + b"|".join(map(re.escape, readings)) + b")")

    @cached_property
    def _quote(self) -> str:
        """Regular expression of the quote."""
        return re.escape(self.quote)

    @cached_property
    def _open_row(self) -> str:
        """Regular expression of a row up to its end: unquoted text and whole quoted fields.

        Nothing that was matched is given back, so that it takes linear time. Groups are atomic,
        because ``(?:…)*+`` matches wrongly in Python before 3.11.5
        (https://github.com/python/cpython/issues/106052), which Debian 12 has.
        """
        split = re.escape(self.separator.decode())
        quoted = rf"(?:^|(?<=\n)|(?<={split})){self._inside}{self._quote}(?=\n|{split})"
        return rf"[^{self._quote}\n]*+(?>(?:{quoted}[^{self._quote}\n]*+)*)"

    @cached_property
    def _inside(self) -> str:
        """Regular expression of a quoted field up to its last quote.

        What it remembers of each pair of quotes is forgotten after a thousand.
        """
        quote = self._quote
        pairs = rf"(?>(?:{quote}{quote}[^{quote}]*+){{1,1000}})"
        return rf"{quote}[^{quote}]*+(?>(?:{pairs})*)"

    @cached_property
    def quoted(self) -> re.Pattern[bytes]:
        """Matches a part of a row between two quotes."""
        return re.compile(rf"{self._quote}[^{self._quote}]*+{self._quote}".encode())

    @cached_property
    def one_row(self) -> re.Pattern[bytes]:
        """Matches one whole row."""
        row = self._open_row if self.rfc4180 else r"[^\n]*+"
        return re.compile(rf"{row}\n".encode())

    @cached_property
    def quoted_rows(self) -> re.Pattern[bytes]:
        """Matches as many whole rows with quotes as follow each other."""
        return re.compile(
            rf"(?>(?:(?=[^{self._quote}\n]*+{self._quote}){self._open_row}\n)*)".encode()
        )

    @cached_property
    def begun_row(self) -> re.Pattern[bytes]:
        """Matches what may become a row with the bytes that follow."""
        split = re.escape(self.separator.decode())
        begun = rf"(?:(?:^|(?<={split})){self._inside}{self._quote}?)?"
        return re.compile(rf"{self._open_row}{begun}\Z".encode())
