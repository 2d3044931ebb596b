"""Other ways to read a CSV file than the declared one, and how a declaration says them."""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import product

from pyspark_dms import stores
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.quoting import jinja_text
from pyspark_dms.reading.csv_files import GZIP_MAGIC
from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.indexed_files import ReadSettings

_SAMPLE_BYTES = 256 * 1024
_MOST_FORMS = 80
# What endpoints have, written out where the endpoint got an escape instead of its character.
DELIMITERS = (",", ";", "\t", "|", "||", "\x01", "\x1f", "~", "^", "\\t")
ROW_DELIMITERS = ("\n", "\r\n", "\r", "\x1e", "\\n", "\\r\\n")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class LikelyForm:
    """A way to read a file.

    Attributes:
        csv: the settings.
        changes: how many of them differ from the declared ones.
        is_risky: whether rows may be read wrong without being refused.
        drops_quotes: whether quotes become parts of values.
    """

    csv: CsvFormat
    changes: int
    is_risky: bool
    drops_quotes: bool


def likely_forms(file: IndexedFile, settings: ReadSettings) -> Iterator[LikelyForm]:
    """The ways that a file may be written, those with the fewest differences first.

    Raises:
        FileNotFoundError, ChangedObject: the file is not there as it was indexed.
    """
    declared = settings.csv
    raw = _start_of(file)
    is_whole = file.size <= _SAMPLE_BYTES and len(raw) < _SAMPLE_BYTES
    encoding = "utf-16" if raw.startswith(_UTF16) else declared.encoding
    try:
        text = raw.decode(encoding, "replace")
    except LookupError:
        encoding, text = "utf-8", raw.decode("utf-8", "replace")
    forms = []
    for header, delimiter, row_delimiter, (rfc4180, quote) in product(
        (declared.header, not declared.header),
        _in_use(declared.delimiter, DELIMITERS, text),
        _row_ends(declared.row_delimiter, text, is_whole),
        _quotings(declared, text),
    ):
        form = replace(
            declared, header=header, delimiter=delimiter, row_delimiter=row_delimiter,
            rfc4180=rfc4180, quote=quote, encoding=encoding,
        )  # fmt: skip
        changes = len(_differences(form, declared))
        if changes and may_be_declared(form):
            if not header and declared.header and _begins_with_a_name(form, text, settings):
                continue
            is_risky = header != declared.header or delimiter != declared.delimiter
            forms.append(LikelyForm(form, changes, is_risky, declared.rfc4180 and not rfc4180))
    forms.sort(key=lambda form: form.changes)
    yield from forms[:_MOST_FORMS]


def csv_advice(form: CsvFormat, declared: CsvFormat) -> str:
    """The key ``csv`` to declare; what is declared and must go is there with its default."""
    gone = [
        name for name in _differences(form, declared) if name in _differences(declared, CsvFormat())
    ]
    return csv_yaml(form, *gone)


def csv_yaml(form: CsvFormat, *always: str) -> str:
    """The key ``csv`` of a declaration, with some fields always and all that are not the default.

    In `delimiter` and `row_delimiter` a backslash begins an escape, as in JSON, because dbt takes
    line ends away from the end of a value.
    """
    shown = {name: getattr(form, name) for name in always} | _differences(form, CsvFormat())
    written = [
        f"{name}: {_yaml(value, name.endswith('delimiter'))}" for name, value in shown.items()
    ]
    return f"csv: {{{', '.join(written)}}}"


def _yaml(value: object, has_escapes: bool) -> str:
    if isinstance(value, tuple):
        return json.dumps(list(value), ensure_ascii=False)
    if isinstance(value, str) and not has_escapes:
        value = jinja_text(value)
    text = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str) or "\\" not in text:
        return text
    # Between single quotes YAML leaves backslashes as they are.
    inner = text[1:-1] if has_escapes else value
    return "'" + inner.replace("'", "''") + "'"


def _differences(form: CsvFormat, base: CsvFormat) -> dict[str, object]:
    return {
        field.name: getattr(form, field.name)
        for field in fields(CsvFormat)
        if getattr(form, field.name) != getattr(base, field.name)
    }


def _start_of(file: IndexedFile) -> bytes:
    raw = stores.first_bytes(file.path, min(_SAMPLE_BYTES, file.size), file.etag.partition("#")[0])
    if not raw.startswith(GZIP_MAGIC):
        return raw
    try:
        return zlib.decompressobj(31).decompress(raw, _SAMPLE_BYTES)
    except zlib.error:
        return b""


def _in_use(declared: str, known: tuple[str, ...], text: str) -> list[str]:
    used = [other for other in known if other in text]
    # Of two that only come together the longer one is meant: a value would keep the rest of it.
    parts = {
        part
        for part in used
        for whole in used
        if part in whole != part and text.count(whole) * whole.count(part) == text.count(part)
    }
    return [declared, *(other for other in used if other not in {declared, *parts})]


def _row_ends(declared: str, text: str, is_whole: bool) -> list[str]:
    """What may end rows.

    Args:
        declared: what is declared.
        text: the begin of the file.
        is_whole: whether that is all of it.
    """
    ends = [end for end in ROW_DELIMITERS if is_whole and text.endswith(end)]
    # With any other one the last value would keep what the file ends in, and one row refuses none.
    return [max(ends, key=len)] if ends else _in_use(declared, ROW_DELIMITERS, text)


def _quotings(declared: CsvFormat, text: str) -> list[tuple[bool, str]]:
    """Whether fields are quoted and by what, as far as the text does not say otherwise."""
    found = [(declared.rfc4180, declared.quote)]
    if not declared.rfc4180:
        return [*found, (True, declared.quote)]
    if not _encloses(declared.quote, text):
        # A field that is quoted would keep its quotes.
        found.append((False, declared.quote))
        found += [(True, quote) for quote in ('"', "'") if _encloses(quote, text)]
    return found


def _encloses(quote: str, text: str) -> bool:
    """Whether a field seems to begin and end with a quote."""
    mark = re.escape(quote)
    edge = r"[,;\t|\x01\x1f~^\r\n]"
    return re.search(rf"(?:^|{edge}){mark}[^{mark}]*{mark}(?:{edge}|$)", text) is not None


def may_be_declared(form: CsvFormat) -> bool:
    """Whether a declaration can say so; as macros/declaration/declarations.sql has it."""
    pairs = (
        (form.delimiter, form.row_delimiter),
        (form.delimiter, form.quote),
        (form.row_delimiter, form.quote),
    )
    if any(set(one) & set(other) for one, other in pairs):
        return False
    return form.row_delimiter[0] not in form.row_delimiter[1:]


def _begins_with_a_name(form: CsvFormat, text: str, settings: ReadSettings) -> bool:
    """Whether the first row has a name of a column: without a header it would be taken for data."""
    names = {column.name.lower() for column in settings.columns} | {settings.op_column.lower()}
    first = text.lstrip("\ufeff").partition(form.row_delimiter)[0]
    return any(field.strip(form.quote).lower() in names for field in first.split(form.delimiter))
