"""Which declared type takes what files have, by their types alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Context, Decimal

import pyarrow as pa

from pyspark_dms.discovery.evidence import as_read
from pyspark_dms.errors import DmsError
from pyspark_dms.reading.columns import is_text, parse_column, sql_type

_INTEGERS = ("tinyint", "smallint", "int", "bigint")


def decoded(data_type: pa.DataType) -> pa.DataType:
    """The type of the values of a column that may be stored as a dictionary."""
    return data_type.value_type if pa.types.is_dictionary(data_type) else data_type


def spark_type(data_type: pa.DataType) -> str | None:
    """The Spark type for a type of a file; None if Spark has none, so text must do."""
    name = sql_type(data_type)
    return None if name == "string" and not is_text(decoded(data_type)) else name


def common_type(types: Sequence[pa.DataType]) -> str:
    """The narrowest Spark type that takes the values of all types without changing one."""
    names = {spark_type(one) for one in types}
    if len(names) == 1:
        return names.pop() or "string"
    # A run refuses what does not come back the same from the type it is declared as.
    exact = [one for one in types if not pa.types.is_floating(one)]
    if exact and len(exact) < len(types) and all(map(_digits, exact)):
        return common_type(exact) if any(map(pa.types.is_decimal, exact)) else "double"
    if names == {"date", "timestamp"}:
        return "timestamp"
    if names and names <= set(_INTEGERS):
        return max((name for name in names if name), key=_INTEGERS.index)
    decimals = [_digits(one) for one in types]
    if types and all(decimals):
        scale = max(scale for one in decimals if one for scale in one[1:])
        whole = max(one[0] for one in decimals if one)
        return f"decimal({min(whole + scale, 38)},{scale})"
    if names == {"float", "double"}:
        return "double"
    return "string"


def takes(declared: str, seen: str) -> bool:
    """Whether a run reads a declared type from files that have another one, as far as types tell.

    Text is what DMS writes for types it has no other for; what it means, a person has said.
    """
    if seen == "string":
        return True
    theirs = parse_column("", seen).arrow_type
    try:
        column = parse_column("", declared)
    except DmsError:  # a run names it
        return False
    if common_type([theirs, column.arrow_type]) == sql_type(column.arrow_type) != "string":
        return True
    values = pa.array(_extremes(theirs), theirs)
    return as_read(pa.chunked_array([values]), column) is not None


def _extremes(data_type: pa.DataType) -> list[object]:
    """The values of a type that are the hardest to have in another one."""
    if pa.types.is_integer(data_type):
        most = 2 ** (data_type.bit_width - 1)
        return [-most, most - 1]
    if pa.types.is_decimal(data_type):
        return [Decimal(10**data_type.precision - 1).scaleb(-data_type.scale, Context(prec=38))]
    if pa.types.is_boolean(data_type):
        return [True, False]
    if pa.types.is_floating(data_type):
        return [1 / 3]
    if pa.types.is_date(data_type):
        return [date(2020, 2, 29)]
    return [datetime(2020, 2, 29, 1, 2, 3, 4)] if pa.types.is_timestamp(data_type) else [b"\xff"]


def _digits(data_type: pa.DataType) -> tuple[int, int] | None:
    """Digits before and behind the point that a type of whole or decimal numbers can have."""
    if pa.types.is_decimal(data_type):
        return data_type.precision - data_type.scale, data_type.scale
    if pa.types.is_integer(data_type):
        longest = 20 if pa.types.is_unsigned_integer(data_type) else 19
        return {8: 3, 16: 5, 32: 10, 64: longest}[data_type.bit_width], 0
    return None
