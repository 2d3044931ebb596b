"""Canonical text of values, and the file form of expected rows."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.source_rows import canonical, canonical_rows, read_expected, write_expected


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (True, "true"),
        (-7, "-7"),
        ("NULL", "NULL"),
        (Decimal("1E+3"), "1000"),
        (Decimal("0E-10"), "0.0000000000"),
        (Decimal("1.50"), "1.50"),
        (0.1, "0.1"),
        (date(1, 2, 3), "0001-02-03"),
        (datetime(2020, 1, 2, 3, 4, 5), "2020-01-02 03:04:05.000000"),
        (b"\0\xff", "00ff"),
    ],
)
def test_a_value_has_one_text(value: object, text: str | None) -> None:
    assert canonical(value) == text


def test_a_value_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match=r"no canonical text for .* of type list"):
        canonical([1])


def test_no_text_is_taken_for_null_in_an_expected_file(tmp_path: Path) -> None:
    texts = [None, "", "NULL", "\\N", "\\", "\\n", "a\nb", "a\r\nb", 'q"u,o;te', "\\\\N", "😀"]
    rows = canonical_rows([(number, text) for number, text in enumerate(texts)])
    write_expected(tmp_path / "t.csv", ["id", "text"], rows)
    assert read_expected(tmp_path / "t.csv") == rows
    assert len((tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()) == len(texts) + 1


def test_null_sorts_before_every_text() -> None:
    assert canonical_rows([("a",), ("",), (None,)]) == [(None,), ("",), ("a",)]
