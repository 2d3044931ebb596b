"""The CSV reader against a plain one, over random settings, texts and broken texts.

``DMS_FUZZ_EXAMPLES`` asks for more examples.
"""

import gzip
import io
import os
import re
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pyspark_dms.reading import csv_files
from pyspark_dms.reading.csv_files import CsvProblem, CsvReader
from pyspark_dms.reading.csv_format import CsvFormat
from tests.reader.plain_csv import Field, NotCsv, read_rows

EXAMPLES = int(os.environ.get("DMS_FUZZ_EXAMPLES", "300"))
TRICKY = "ab\"'`,;|~\t\n\r\x1f\x1e\0\\ ö🐑\ufeffNUL"


def formats() -> st.SearchStrategy[CsvFormat]:
    return st.builds(
        CsvFormat,
        delimiter=st.sampled_from([",", ";", "|", "\t", "||", "\x01", "\x1f", "§", ",;", "|~|"]),
        row_delimiter=st.sampled_from(["\n", "\r\n", "\r", "\x1e", "ab\n", "¶"]),
        rfc4180=st.booleans(),
        quote=st.sampled_from(['"', "'"]),
        null_value=st.sampled_from(["NULL", "", "\\N"]),
        encoding=st.sampled_from(["utf-8", "utf-8", "utf-16", "utf-16-le"]),
    )


def read(content: bytes, form: CsvFormat) -> list[list[Field]]:
    """All rows as the product reads them; text, NULL as None."""
    reader = CsvReader(io.BytesIO(content), form, is_gzip=False)
    rows: list[list[Field]] = []
    for block in reader.blocks():
        if block.bad_lines:
            raise CsvProblem(str(block.bad_lines[0]))
        columns = [[None if v is None else v.decode() for v in f.to_pylist()] for f in block.fields]
        rows += [list(row) for row in zip(*columns, strict=True)]
        assert block.rows.to_pylist() == list(range(len(rows) - len(block.rows) + 1, len(rows) + 1))
    return rows


def expected(text: str, form: CsvFormat) -> list[list[Field]]:
    quote = form.quote if form.rfc4180 else None
    rows = list(read_rows(text, form.delimiter, form.row_delimiter, quote, form.null_value))
    if any(len(row) != len(rows[0]) for row in rows):
        raise NotCsv("rows differ in their number of fields")
    return rows


def written(rows: Sequence[Sequence[Field]], form: CsvFormat) -> str:
    """As DMS writes: quoted where it must be, and where NULL would be read."""

    def field(value: Field) -> str:
        if value is None:
            return form.null_value
        special = (form.delimiter, form.row_delimiter, form.quote, "\n", "\r")
        if value == form.null_value or any(part in value for part in special):
            return form.quote + value.replace(form.quote, form.quote * 2) + form.quote
        return value

    return "".join(form.delimiter.join(map(field, row)) + form.row_delimiter for row in rows)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Borders of blocks everywhere."""
    monkeypatch.setattr(csv_files, "_BLOCK_BYTES", 7)


values = st.none() | st.text(st.sampled_from(TRICKY), max_size=6)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(values, min_size=width, max_size=width), max_size=6)
)


@given(tables, formats())
@settings(max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES == 300)
def test_what_is_written_as_rfc_4180_is_read_as_it_was(
    rows: list[list[Field]], form: CsvFormat
) -> None:
    text = written(rows, form)
    assume(form.rfc4180)
    # Of "a|" + "||" + "b" nobody can tell where the delimiter is.
    part = {"||": "|", "|~|": "~"}.get(form.delimiter)
    assume(not part or all(part not in (v or "") for row in rows for v in row))
    assume(not text.startswith("\ufeff"))  # which is taken for the mark of an encoding
    content = text.encode(form.encoding)
    assert read(content, form) == rows
    assert read(gzip.compress(content), form) == rows


@given(st.text(st.sampled_from(TRICKY), max_size=40), formats())
@settings(max_examples=EXAMPLES * 3, deadline=None, derandomize=EXAMPLES == 300)
def test_any_text_is_read_as_a_plain_reader_does_or_refused(text: str, form: CsvFormat) -> None:
    text = text.lstrip("\ufeff")
    try:
        rows = expected(text, form)
    except NotCsv:
        with pytest.raises(CsvProblem):
            read(text.encode(form.encoding), form)
        return
    if (form.delimiter == "||" and "|||" in text) or (form.delimiter == "|~|" and "|~|~" in text):
        return  # see test_where_a_value_may_hold_a_part_of_the_delimiter_it_is_refused
    if form.row_delimiter == "\n" and "\r\n" in f"{text}\n":
        return  # see test_rows_that_all_end_in_cr_lf_are_refused_where_lf_is_declared
    if form.row_delimiter == "\r\n" and "\n" in text.replace("\r\n", ""):
        return  # see test_rows_that_end_otherwise_than_declared_are_refused
    assert read(text.encode(form.encoding), form) == rows


@given(st.binary(max_size=60), formats())
@settings(max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES == 300)
def test_any_bytes_are_read_as_text_or_refused(content: bytes, form: CsvFormat) -> None:
    try:
        rows = read(content, form)
    except (CsvProblem, UnicodeDecodeError):
        return
    text = content.decode(form.encoding)
    assert rows == expected(text.removeprefix("\ufeff"), form)


@pytest.mark.parametrize(
    ("delimiter", "texts"),
    [
        ("||", ["a|||b", "a||b\n|||c", "a|||||b"]),
        ("|~|", ["1|~|x|~|~|y", "1|~|~|~|y", "1|~|~|"]),
        ("~|~", ["1~|~|~|~y", "1~|~x~|~|~y"]),
        ("abab", ["1ababab2", "1abababab2ababab3"]),
        ("\x1f\x1f", ["1\x1f\x1f\x1f2"]),
    ],
)
def test_where_a_value_may_hold_a_part_of_the_delimiter_it_is_refused(
    delimiter: str, texts: list[str]
) -> None:
    for text in texts:
        with pytest.raises(CsvProblem, match="cannot be told"):
            read(f"{text}\n".encode(), CsvFormat(delimiter=delimiter))


@pytest.mark.parametrize(
    ("delimiter", "text", "rows"),
    [
        ("||", "a||||b\n||||\n|c||d||e|\n", [["a", "", "b"], ["", "", ""], ["|c", "d", "e|"]]),
        ("||", '1||"x|||y"||z\n', [["1", "x|||y", "z"]]),
        ("|~|", "1|~|x|~||y\n", [["1", "x", "|y"]]),
        ("|~|", "1|~||~||~|\n", [["1", "", "", ""]]),
        ("~|~", "1~|~x~|~~y\n", [["1", "x", "~y"]]),
    ],
)
def test_where_only_one_reading_is_possible_a_part_of_the_delimiter_is_text(
    delimiter: str, text: str, rows: list[list[Field]]
) -> None:
    assert read(text.encode(), CsvFormat(delimiter=delimiter)) == rows


@pytest.mark.parametrize(
    "name", ["utf-88", "hex", "base64", "bz2", "zlib", "uu", "quopri", "rot13"]
)
def test_an_encoding_that_python_does_not_know_or_that_is_none_of_text_is_refused(
    name: str,
) -> None:
    for text in (b"", b"1,2\n"):
        with pytest.raises(CsvProblem, match=rf"there is no encoding of text {name}"):
            read(text, CsvFormat(encoding=name))


@pytest.mark.parametrize(
    ("marker", "delimiter", "row_delimiter"),
    [("\r", ",", "\n"), ("\n", ",", "\r\n"), ("a\rb", "||", "\n"), ("\x1f", "||", "\n")],
)
def test_the_null_marker_may_hold_any_character(
    marker: str, delimiter: str, row_delimiter: str
) -> None:
    form = CsvFormat(null_value=marker, delimiter=delimiter, row_delimiter=row_delimiter)
    text = delimiter.join(["1", marker, f'"{marker}"']) + row_delimiter
    assert read(text.encode(), form) == [["1", None, marker]]


def test_the_rows_of_a_table_with_a_quote_in_its_name_are_found() -> None:
    text = b"""I,"t""q",s,1\nI,tq,s,2\nI,"t""q","s",3\n"""
    reader = CsvReader(io.BytesIO(text), CsvFormat(), is_gzip=False, only=('t"q', "s"))
    assert [block.rows.to_pylist() for block in reader.blocks()] == [[1], [3]]


def test_a_long_quoted_field_is_not_looked_through_again_for_every_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(csv_files, "_BLOCK_BYTES", 1000)
    looked_through = 0
    look = CsvReader._end_of_whole_rows

    def counted(self: CsvReader, content: bytes) -> int:
        nonlocal looked_through
        looked_through += len(content)
        return look(self, content)

    monkeypatch.setattr(CsvReader, "_end_of_whole_rows", counted)
    text = b'1,"' + b"x\n" * 200_000 + b'"\n2,y\n'
    assert [row[0] for row in read(text, CsvFormat())] == ["1", "2"]
    assert looked_through < 4 * len(text)


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("text", ["1,Ann\r\n", "1,Ann\r\n2,\r\n"])
def test_rows_that_all_end_in_cr_lf_are_refused_where_lf_is_declared(
    monkeypatch: pytest.MonkeyPatch, header: bool, text: str
) -> None:
    monkeypatch.setattr(csv_files, "_BLOCK_BYTES", 4096)
    with pytest.raises(CsvProblem, match=r"its rows end in \\r\\n"):
        read(text.encode(), CsvFormat(header=header))
    assert read(text.encode(), CsvFormat(row_delimiter="\r\n"))[0] == ["1", "Ann"]


@pytest.mark.parametrize(
    ("content", "row_delimiter", "found"),
    [
        (
            rb"1,Ann\r\n2,Bo\r\n",
            r"\n",
            r"the four characters \r\n, which csv.row_delimiter",
        ),
        (b"Ann\nBo\n", "\r\n", r"\n, which csv.row_delimiter is not"),
    ],
)
def test_rows_that_end_otherwise_than_declared_are_refused(
    content: bytes, row_delimiter: str, found: str
) -> None:
    form = CsvFormat(row_delimiter=row_delimiter)
    with pytest.raises(CsvProblem, match=re.escape(f"its rows end in {found}")):
        CsvReader(io.BytesIO(content), form, is_gzip=False)


def test_a_value_may_end_in_a_carriage_return() -> None:
    assert read(b'1,"Ann\r"\n', CsvFormat()) == [["1", "Ann\r"]]
    assert read(b"1,Ann\r\n", CsvFormat(rfc4180=False)) == [["1", "Ann\r"]]
