"""Rules of the checks of rows that are no SQL: what is many, and what is then proposed."""

import re

import pyarrow as pa
import pytest

from pyspark_dms.reading.folding import folded
from tests.declaration.harness import MACROS, Macros


@pytest.mark.parametrize(
    ("reinserted", "inserts", "limit", "severity"),
    [
        # The source filled its table again after a TRUNCATE.
        (60, 60, None, "warning"),
        (10, 10, None, "warning"),
        (10, 20, None, "warning"),
        # Some each night are what a source does that deletes and inserts.
        (1, 1, None, None),
        (9, 9, None, None),
        (10, 21, None, None),
        (0, 0, None, None),
        # A declared limit is the only one.
        (60, 60, 1, None),
        (1, 1, 0.5, "error"),
        (1, 2, 0.5, None),
        (1, 100, 0, "error"),
        (0, 100, 0, None),
        (0, 0, 0, None),
    ],
)
def test_inserts_of_keys_that_are_there_are_many(
    reinserted: int, inserts: int, limit: float | None, severity: str | None
) -> None:
    assert Macros().reinsert_severity(reinserted, inserts, limit) == severity


def declared(**more: list[str]) -> dict[str, list[str]]:
    return {"trim": [], "lower": [], "unaccent": [], **more}


@pytest.mark.parametrize(
    ("one", "other", "advice"),
    [
        ("AB", "AB  ", "trim: [code]"),
        ("AB", "ab", "lower: [code]"),
        ("AB ", "ab", "trim: [code] and lower: [code]"),
        ("AB ", "ab ", "lower: [code]"),
        ("Zoë", "Zoe", "lower: [code] and unaccent: [code]"),
        ("zoë", "zoe", "unaccent: [code]"),
        ("zoë  ", "ZOE", "trim: [code] and lower: [code] and unaccent: [code]"),
        ("1.0", "1.00", "a number as data_type of code"),
        ("1E2", "100", "a number as data_type of code"),
    ],
)
def test_keys_of_one_row_become_one_by_what_is_advised(one: str, other: str, advice: str) -> None:
    keys: list[dict[str, str]] = [{"code": text, "line": "1"} for text in (one, other)]
    assert Macros().key_form_advice(declared(), ["code", "line"], *keys) == advice
    folds = [part.split(":")[0] for part in advice.split(" and ")]
    if folds != ["a number as data_type of code"]:
        first, second = folded(pa.array([one, other]), folds).to_pylist()
        assert first == second
        # Each is needed.
        for left_out in folds:
            rest = [fold for fold in folds if fold != left_out]
            first, second = folded(pa.array([one, other]), rest).to_pylist()
            assert first != second or left_out == "lower"


def test_what_is_advised_keeps_the_columns_that_are_declared() -> None:
    keys: list[dict[str, str]] = [{"code": "A", "name": "b"}, {"code": "a", "name": "b "}]
    found = Macros().key_form_advice(
        declared(trim=["name"], lower=["kind"], unaccent=["kind"]), ["code", "name"], *keys
    )
    assert found == "trim: [name] and lower: [kind, code]"


def test_a_column_that_yaml_would_take_for_another_value_is_quoted() -> None:
    keys: list[dict[str, str]] = [{"no": "A"}, {"no": "a"}]
    assert Macros().key_form_advice(declared(), ["no"], *keys) == 'lower: ["no"]'


def test_the_letters_that_a_run_takes_for_accented_are_those_that_unaccent_changes() -> None:
    text = (MACROS / "checks/warn_of_key_forms.sql").read_text(encoding="utf-8")
    accented, plain = (
        match[1] for match in re.finditer(r'set (?:accented|plain) = "(.*)" %', text)
    )
    assert len(accented) > 80
    assert folded(pa.array([*accented]), ["unaccent"]).to_pylist() == [*plain]
