"""The text of a value that is read of a DMS file, as Spark and the source have it."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from pyspark_dms.compare.forms import text_of


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        ("integer", 7, "7"),
        ("boolean", True, "1"),
        ("boolean", " T", "1"),
        ("boolean", "no", "0"),
        ("boolean", "maybe", "maybe"),
        ("char", "AB  ", "AB"),
        ("text", "AB  ", "AB  "),
        ("binary", b"\x00\xff", "00ff"),
        ("binary", "00FF", "00ff"),
        ("date", date(2020, 1, 2), "2020-01-02"),
        ("timestamp", datetime(2020, 1, 2, 3, 4, 5), "2020-01-02 03:04:05.000000"),
        ("timestamp", "2020-01-02 03:04:05", "2020-01-02 03:04:05.000000"),
        ("timestamp", "2020-01-02 03:04:05.5+02:00", "2020-01-02 01:04:05.500000"),
        ("timestamp", "soon", None),
        ("timestamp", datetime(1, 1, 1, tzinfo=UTC), "0001-01-01 00:00:00.000000"),
        ("timestamp", "0999-12-31", "0999-12-31 00:00:00.000000"),
        ("decimal(10,3)", Decimal("1.5"), "1.500"),
        ("text", None, None),
    ],
)
def test_a_staged_value_has_one_text(form: str, value: object, text: str | None) -> None:
    assert text_of(form, value) == text
