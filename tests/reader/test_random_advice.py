"""Files written in one way and declared in another: no advice leads to other rows than theirs.

``DMS_FUZZ_EXAMPLES`` asks for more examples.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyspark_dms.reading.csv_format import CsvFormat
from tests.reader.test_advice import Case, declared, outcome, proposed, write

EXAMPLES = int(os.environ.get("DMS_FUZZ_EXAMPLES", "200"))
COLUMNS = {"id": "int", "name": "string", "size": "int"}
MOST_ADVICES = 3

Rows = list[tuple[int, str, int | None]]
texts = st.text(st.sampled_from("abnr ;|,'\"\\\t"), max_size=5) | st.sampled_from(
    ["id", "name", "NULL", "I", "D", "'a'", '"a"', "\\n", "a\r"]
)
rows_of_tables = st.lists(
    st.tuples(st.integers(1, 99), texts, st.none() | st.integers(0, 9)), min_size=1, max_size=12
)
forms = st.builds(
    CsvFormat,
    header=st.booleans(),
    delimiter=st.sampled_from([",", ";", "\t", "|", "||"]),
    row_delimiter=st.sampled_from(["\n", "\r\n", "\\n", "\x1e"]),
    rfc4180=st.booleans(),
    quote=st.sampled_from(['"', "'"]),
)


def may_be_declared(form: CsvFormat) -> bool:
    parts = (form.delimiter, form.row_delimiter, form.quote)
    return sum(len({*part}) for part in parts) == len({*"".join(parts)})


def written(form: CsvFormat, lines: Sequence[Sequence[object]]) -> str | None:
    """The lines as CSV; None if they cannot be told apart in it."""
    special = (form.delimiter, form.row_delimiter, form.quote, "\n", "\r")
    texts = []
    for line in lines:
        fields = []
        for value in line:
            text = "NULL" if value is None else str(value)
            if form.rfc4180 and value is not None:
                if any(part in text for part in special) or text == "NULL":
                    text = form.quote + text.replace(form.quote, form.quote * 2) + form.quote
            elif value is not None and (
                any(part in text for part in (*form.delimiter, *form.row_delimiter))
                or text == "NULL"
                or text.endswith("\r")
            ):
                return None
            fields.append(text)
        texts.append(form.delimiter.join(fields) + form.row_delimiter)
    return "".join(texts)


def quoting(form: CsvFormat) -> str | None:
    return form.quote if form.rfc4180 else None


def dms_of(form: CsvFormat) -> dict[str, Any]:
    csv = {
        "header": form.header,
        "delimiter": form.delimiter.replace("\t", r"\t"),
        "row_delimiter": {"\n": r"\n", "\r\n": r"\r\n", "\\n": r"\\n", "\x1e": r"\u001e"}[
            form.row_delimiter
        ],
        "rfc4180": form.rfc4180,
        "quote": form.quote,
    }
    return {"csv": csv}


@given(rows_of_tables, forms, forms, st.booleans())
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES == 200,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
def test_no_advice_leads_to_other_rows(
    tmp_path: Path, rows: Rows, form: CsvFormat, other: CsvFormat, has_op: bool
) -> None:
    names = (["Op"] if has_op else []) + [*COLUMNS]
    lines = [[*(["I"] if has_op else []), *row] for row in rows]
    content = written(form, [names, *lines] if form.header else lines)
    if content is None or not may_be_declared(form) or not may_be_declared(other):
        return
    case = Case("", {"LOAD1.csv": content.encode()}, {}, COLUMNS)
    files = write(tmp_path, case)
    declares = quoting(other)
    right = [("I", *row) for row in rows]
    messages = [outcome(files, declared(case, **dms_of(other)))]
    for _ in range(MOST_ADVICES):
        following = []
        for message in messages:
            if isinstance(message, str):
                for change in proposed(message).values():
                    read_as = declared(case, **{**dms_of(other), **change})
                    found = outcome(files, read_as)
                    # How values are quoted is declared, and a file may be read with that wrong.
                    if quoting(read_as.csv) == quoting(form) or quoting(read_as.csv) != declares:
                        assert isinstance(found, str) or found == right, message
                    following.append(found)
        messages = following
