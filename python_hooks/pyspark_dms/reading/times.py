"""Dates and times that a table cannot show: those outside the years 1 to 9999.

Databases have them, such as ``infinity`` and ``4714-11-24 BC`` in PostgreSQL, and Spark keeps
them. Python and most readers of Parquet fail on them.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

# 0001-01-01 and the day after 9999-12-31, in days since 1970-01-01.
_FIRST_DAY, _END_DAY = -719_162, 2_932_897
_PER_DAY = {
    "s": 86_400,
    "ms": 86_400 * 10**3,
    "us": 86_400 * 10**6,
    "ns": 86_400 * 10**9,
}
# What databases write for such a moment: a year of 0 or of more than four digits, a sign, BC.
_FAR_TEXT = (
    r"(?i)^\s*(?:[+-]?infinity"
    r"|(?:[+-]\d{4,}|0000|\d{5,})-\d\d?-\d\d?(?:[ T].*)?"
    r"|\d{4,}-\d\d?-\d\d?(?:[ T].*)? ?BC)\s*$"
)


def are_far(values: pa.Array) -> pa.Array:
    """Which values are dates or times outside the years 1 to 9999.

    Args:
        values: n dates, timestamps of any unit, or texts as databases write such moments.
            Values of other types are not looked at.

    Returns:
        n flags; false for NULL.
    """
    kind = values.type
    if pa.types.is_string(kind):
        far = pc.match_substring_regex(values, _FAR_TEXT)
    elif pa.types.is_date32(kind):
        far = _outside(values.cast(pa.int32()), 1)
    elif pa.types.is_date64(kind):
        far = _outside(values.cast(pa.int64()), _PER_DAY["ms"])
    elif pa.types.is_timestamp(kind):
        far = _outside(values.cast(pa.int64()), _PER_DAY[kind.unit])
    else:
        return pa.repeat(pa.scalar(False), len(values))
    return pc.fill_null(far, False)


def _outside(numbers: pa.Array, per_day: int) -> pa.Array:
    first, end = _FIRST_DAY * per_day, _END_DAY * per_day
    if not -(2**63) <= first < end < 2**63:  # nanoseconds have 64 bits, so years 1677 to 2262
        return pc.less(numbers, pa.scalar(-(2**63), pa.int64()))
    return pc.or_(pc.less(numbers, first), pc.greater_equal(numbers, end))


def as_text(value: pa.Scalar) -> str:
    """A date or time as text, also one that Arrow has none for."""
    text: str = value.cast(pa.string()).as_py()
    if "out of range" not in text:
        return text
    kind = value.type
    per_day = 1 if pa.types.is_date32(kind) else _PER_DAY.get(getattr(kind, "unit", "ms"), 1)
    number = value.cast(pa.int32() if pa.types.is_date32(kind) else pa.int64()).as_py()
    # A cycle of the calendar has 400 years and 146,097 days, so these have the same days.
    cycles, day = divmod(number // per_day, 146_097)
    year, _, rest = pa.scalar(day, pa.int32()).cast(pa.date32()).as_py().isoformat().partition("-")
    return f"{int(year) + 400 * cycles}-{rest}"
