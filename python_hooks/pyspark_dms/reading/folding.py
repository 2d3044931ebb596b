"""Brings texts to the form that `trim`, `lower` and `unaccent` of a declaration ask for.

A source may call texts equal that differ in blanks at their end, in case or in accents. Here they
are two, unless they are staged in one form. Then every place that compares keys has one rule.
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

# Unicode does not take these apart; what becomes of them is what unaccent of PostgreSQL does.
_LETTERS = {
    "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O",
    "đ": "d", "Đ": "D", "ħ": "h", "Ħ": "H", "ł": "l", "Ł": "L", "ŧ": "t", "Ŧ": "T",
}  # fmt: skip
_ANY_LETTER = f"[{''.join(_LETTERS)}]"
_ACCENTS = r"[\x{0300}-\x{036F}]+"


def folded(values: pa.Array, folds: Iterable[str]) -> pa.Array:
    """Texts in the form that some keys of a declaration ask for.

    Args:
        values: an array of strings; NULL stays NULL.
        folds: of ``trim`` (without blanks at the end), ``lower`` (in lower case) and ``unaccent``
            (letters without accents).
    """
    wanted = {*folds}
    if "trim" in wanted:
        values = pc.utf8_rtrim(values, " ")
    if "unaccent" in wanted:
        values = _without_accents(values)
    if "lower" in wanted:
        values = pc.utf8_lower(values)
    return values


def _without_accents(values: pa.Array) -> pa.Array:
    if pc.all(pc.string_is_ascii(values), min_count=0).as_py():
        return values
    values = pc.replace_substring_regex(pc.utf8_normalize(values, form="NFD"), _ACCENTS, "")
    values = pc.utf8_normalize(values, form="NFC")
    if pc.any(pc.match_substring_regex(values, _ANY_LETTER), min_count=0).as_py():
        for letter, plain in _LETTERS.items():
            values = pc.replace_substring(values, letter, plain)
    return values
