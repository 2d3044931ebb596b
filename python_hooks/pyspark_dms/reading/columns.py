"""Declared column types, and the one rule for bringing a file's values to them.

A value either arrives unchanged in meaning or is refused with its row: nothing is rounded,
truncated or turned into NULL. What DMS writes for each source type is told in the AWS DMS user
guide, "Using Amazon S3 as a target", table of Parquet data types.
"""

from __future__ import annotations

import re
from binascii import unhexlify
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_dms.errors import DmsError
from pyspark_dms.reading import times

_SIMPLE_TYPES: dict[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "string": pa.string(),
    "binary": pa.binary(),
}
# Of a decimal of Spark.
_MOST_DIGITS = 38
_DECIMAL = re.compile(r"^decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)$")


@dataclass(frozen=True)
class Column:
    """One declared column: its name, its Spark SQL type as written, and that type in Arrow."""

    name: str
    data_type: str
    arrow_type: pa.DataType


# As SQL Server and PostgreSQL write it before hexadecimal.
_HEX_PREFIX = re.compile(r"\A(0x|\\x)")


class ValueProblem(Exception):
    """Values that cannot become the declared type.

    Attributes:
        reasons: what is wrong with each, the value included, by its position in the array, from 0.
    """

    def __init__(self, reasons: dict[int, str]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


def parse_column(name: str, data_type: str) -> Column:
    """Make a column of a declared name and Spark SQL type.

    Raises:
        DmsError: the type is none that a declaration may use.
    """
    text = data_type.strip().lower()
    if simple := _SIMPLE_TYPES.get(text):
        return Column(name, text, simple)
    if decimal := _DECIMAL.match(text):
        precision, scale = int(decimal[1]), int(decimal[2])
        if 1 <= precision <= _MOST_DIGITS and scale <= precision:
            return Column(name, text, pa.decimal128(precision, scale))
    raise DmsError(
        "E101",
        f"column {name}: data_type '{data_type}' is not supported; "
        f"allowed: {', '.join(_SIMPLE_TYPES)}, decimal(precision 1 to 38, scale)",
    )


def sql_type(source: pa.DataType) -> str:
    """The type that a declaration would give a column of a Parquet file, wide enough for all of it.

    Text for what has no type of its own here, such as a time of day.
    """
    if pa.types.is_dictionary(source):
        return sql_type(source.value_type)
    if pa.types.is_timestamp(source):
        return "timestamp"
    if pa.types.is_decimal(source):
        if source.precision > _MOST_DIGITS:
            return "string"
        return f"decimal({source.precision},{source.scale})"
    if _is_bytes(source):
        return "binary"
    wider = {
        pa.uint8(): "smallint",
        pa.uint16(): "int",
        pa.uint32(): "bigint",
        pa.uint64(): "decimal(20,0)",
        pa.float16(): "float",
    }
    by_type = {arrow: name for name, arrow in _SIMPLE_TYPES.items()}
    return wider.get(source) or by_type.get(source, "string")


def convert(values: pa.Array, column: Column, most: int = 1, far_is_null: bool = False) -> pa.Array:
    """Bring one column of a file to its declared type. NULL is NULL, whatever type the file has.

    Args:
        values: the column as the file has it, n values.
        column: what it is declared to be.
        most: how many values that do not fit are reported.
        far_is_null: whether dates and times outside the years 1 to 9999 become NULL.

    Returns:
        n values of ``column.arrow_type``.

    Raises:
        ValueProblem: the first values that do not fit.
    """
    target = column.arrow_type
    values = _plain(values)
    if values.null_count == len(values):
        return pa.nulls(len(values), target)
    is_time = pa.types.is_date(target) or pa.types.is_timestamp(target)
    is_parsed = is_time and is_text(values.type)
    if is_time and not is_parsed:
        values = _without_far(values, values, far_is_null, most)
    may_be_invalid = pa.types.is_string(target) or pa.types.is_decimal(target)
    if values.type.equals(target) and not may_be_invalid:
        return values
    cast = _exact_cast(values.type, target)
    if cast is None:
        reason = f"the file has type {values.type}, which cannot become {column.data_type}"
        with_value = pc.indices_nonzero(pc.is_valid(values))[:most].to_pylist()
        raise ValueProblem(dict.fromkeys(with_value, reason))
    if is_parsed:
        # To look for far times in texts takes longer than to parse them, so only if some fail.
        try:
            return _without_far(cast(values), values, far_is_null, most)
        except pa.ArrowInvalid:
            values = _without_far(values, values, far_is_null, most)
    typed = _cast_all(values, cast, target, f"does not fit {column.data_type}", most)
    # An offset can move a text of the year 9999 into the year 10000 of UTC.
    return _without_far(typed, values, far_is_null, most) if is_time else typed


def _plain(values: pa.Array) -> pa.Array:
    """The values without the ways of storing them that no rule here is about."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_large_string(values.type) or pa.types.is_string_view(values.type):
        values = values.cast(pa.string())
    if pa.types.is_binary_view(values.type):
        values = values.cast(pa.binary())
    return values


def _without_far(moments: pa.Array, written: pa.Array, far_is_null: bool, most: int) -> pa.Array:
    """Dates and times without those outside the years 1 to 9999; ``written``: as the file has them.

    Raises:
        ValueProblem: there are such, and they are not to become NULL.
    """
    are_far = times.are_far(moments)
    far = pc.indices_nonzero(are_far)
    if not len(far):
        return moments
    if far_is_null:
        return pc.if_else(are_far, pa.scalar(None, moments.type), moments)
    raise ValueProblem(
        {
            place: f"value {_shown(written[place])} is outside the years 1 to 9999"
            for place in far[:most].to_pylist()
        }
    )


def parse(values: pa.Array, column: Column, most: int = 1, far_is_null: bool = False) -> pa.Array:
    """Bring one column of a CSV file to its declared type.

    Args:
        values: the raw fields, n binary values.
        column: what it is declared to be. A binary column is written in hexadecimal.
        most: how many values that do not fit are reported.
        far_is_null: whether dates and times outside the years 1 to 9999 become NULL.

    Returns:
        n values of ``column.arrow_type``.

    Raises:
        ValueProblem: the first values that do not fit.
    """
    text = values.cast(pa.string(), safe=False)
    if not pa.types.is_binary(column.arrow_type):
        return convert(text, column, most, far_is_null)
    text = convert(text, parse_column(column.name, "string"), most)
    problem = "is not binary data in hexadecimal"
    return _cast_all(text, _from_hexadecimal, column.arrow_type, problem, most)


def _from_hexadecimal(text: pa.Array) -> pa.Array:
    try:
        return pa.array(
            [None if t is None else unhexlify(_HEX_PREFIX.sub("", t)) for t in text.to_pylist()],
            pa.binary(),
        )
    except ValueError as problem:
        raise pa.ArrowInvalid(str(problem)) from problem


def _exact_cast(source: pa.DataType, target: pa.DataType) -> Callable[[pa.Array], pa.Array] | None:
    """The cast from one type to another that fails rather than change a value, if there is one."""
    if pa.types.is_nested(source):
        return None
    if pa.types.is_string(target):
        return _text_cast(source)
    if pa.types.is_binary(target) != _is_bytes(source):
        return None
    if is_text(source):
        return _parser(target)
    # Arrow would count, say, days since 1970, and the way back would give what was there.
    if pa.types.is_temporal(source) != pa.types.is_temporal(target):
        return None
    if pa.types.is_timestamp(target):
        return _timestamp_cast(source, target)
    lossless = _keeps_value_by_itself(source, target)

    def cast(values: pa.Array) -> pa.Array:
        if pa.types.is_integer(source) and pa.types.is_decimal(target):
            # Arrow asks for room for the largest number of the type, and not for these numbers.
            values = values.cast(pa.decimal256(76, target.scale))
        result = values.cast(target)
        if pa.types.is_decimal(target):
            result.validate(full=True)  # a damaged file may have more digits than it says
        # Arrow's own check does not cover, say, a time of day cut off to make a date, or 7 made
        # true: going back must give what was there.
        if not lossless and not _same(result.cast(source), values):
            raise pa.ArrowInvalid("the value changes on the way")
        return result

    return cast


def _same(one: pa.Array, other: pa.Array) -> bool:
    """Whether two arrays of a type have the same values; NaN is the same as NaN."""
    if not pa.types.is_floating(one.type):
        return one.equals(other)
    nan = pc.is_nan(one)
    return nan.equals(pc.is_nan(other)) and one.filter(pc.invert(nan)).equals(
        other.filter(pc.invert(nan))
    )


def _keeps_value_by_itself(source: pa.DataType, target: pa.DataType) -> bool:
    if pa.types.is_boolean(target):
        return False
    if pa.types.is_date(target):
        return pa.types.is_date(source)
    if pa.types.is_decimal(target):
        return not pa.types.is_floating(source)
    # A double is by definition the nearest one; a float made from a double must be that double.
    return not (pa.types.is_float32(target) and pa.types.is_float64(source))


def _text_cast(source: pa.DataType) -> Callable[[pa.Array], pa.Array] | None:
    if _is_bytes(source):
        return None

    def cast(values: pa.Array) -> pa.Array:
        result = values.cast(pa.string())
        if pa.types.is_time(source):
            # The same time of day is the same text, whatever unit the file counts in.
            result = pc.replace_substring_regex(result, r"(\.\d*[1-9])0+$|\.0+$", r"\1")
        if pa.types.is_temporal(source) and _any_has(result, "out of range"):
            raise pa.ArrowInvalid("Arrow has no text for it")
        if pa.types.is_decimal(source) and _any_has(result, "E"):
            plain = [None if value is None else f"{value:f}" for value in values.to_pylist()]
            result = pa.array(plain, pa.string())
        result.validate(full=True)  # bytes that are not UTF-8
        return result

    return cast


def _any_has(texts: pa.Array, part: str) -> bool:
    return pc.any(pc.match_substring(texts, part), min_count=0).as_py()


def _timestamp_cast(
    source: pa.DataType, target: pa.DataType
) -> Callable[[pa.Array], pa.Array] | None:
    if not (pa.types.is_timestamp(source) or pa.types.is_date(source)):
        return None

    def cast(values: pa.Array) -> pa.Array:
        # DMS writes zone-less instants in UTC; a zone in the file is kept.
        zone = source.tz if pa.types.is_timestamp(source) else None
        moments = values.cast(pa.timestamp("us", zone))
        return moments.cast(target) if moments.type != target else moments

    return cast


# ------------------------------------------------------------------ from text


def _parser(target: pa.DataType) -> Callable[[pa.Array], pa.Array]:
    """How text becomes a type; what Arrow reads too kindly is refused here."""
    if pa.types.is_boolean(target):
        return _parse_booleans
    if pa.types.is_timestamp(target):
        return lambda values: _parse_moments(values, target)
    if pa.types.is_date(target):
        return _parse_dates
    if pa.types.is_floating(target):
        return lambda values: _parse_floats(values, target)
    if pa.types.is_integer(target):
        return lambda values: _parse_integers(values, target)
    return lambda values: _parse_decimals(values, target)


_BOOLEANS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}


def _parse_booleans(values: pa.Array) -> pa.Array:
    places = pc.index_in(pc.utf8_lower(values), value_set=pa.array(list(_BOOLEANS)))
    if places.null_count != values.null_count:
        raise pa.ArrowInvalid("neither true nor false")
    return pa.array(list(_BOOLEANS.values())).take(places)


def _parse_integers(values: pa.Array, target: pa.DataType) -> pa.Array:
    # Arrow reads 0x1f as 31.
    if _may_have(values, b"xX"):
        for letter in "xX":
            if _any_has(values, letter):
                raise pa.ArrowInvalid("hexadecimal")
    try:
        return values.cast(target)
    except pa.ArrowInvalid:
        # A NUMBER without a scale comes as 5.0000000000.
        return _parse_decimals(values, pa.decimal128(38, 18)).cast(target)


def _parse_decimals(values: pa.Array, target: pa.DataType) -> pa.Array:
    result = values.cast(target)
    # Arrow makes another number of one with more digits than it has, and 0 of 1e-60.
    doubtful = pc.greater(pc.binary_length(values), _MOST_DIGITS)
    if _may_have(values, b"eE"):
        doubtful = pc.or_(doubtful, pc.match_substring_regex(values, "[eE]"))
    pairs = zip(values.filter(doubtful).to_pylist(), result.filter(doubtful), strict=True)
    if any(Decimal(text) != number.as_py() for text, number in pairs):
        raise pa.ArrowInvalid("the value changes on the way")
    return result


def _may_have(values: pa.Array, letters: bytes) -> bool:
    """Whether one of some bytes is in the memory that an array of texts takes."""
    _, offsets, content = values.buffers()
    if content is None or not len(values):
        return False
    places = memoryview(offsets).cast("i")
    first, end = places[values.offset], places[values.offset + len(values)]
    raw = content.slice(first, end - first).to_pybytes()
    return any(bytes([letter]) in raw for letter in letters)


def _parse_floats(values: pa.Array, target: pa.DataType) -> pa.Array:
    result = values.cast(target)
    # Arrow makes infinity of a number that is too large.
    infinite = values.filter(pc.fill_null(pc.is_inf(result), False))
    meant = pc.match_substring_regex(infinite, "(?i)^-?inf(inity)?$")
    if not pc.all(meant, min_count=0).as_py():
        raise pa.ArrowInvalid("too large")
    return result


def _parse_dates(values: pa.Array) -> pa.Array:
    try:
        return values.cast(pa.date32())
    except pa.ArrowInvalid:
        # Oracle's DATE has a time of day.
        moments = _parse_moments(values, pa.timestamp("us"))
        dates = moments.cast(pa.date32())
        if not dates.cast(pa.timestamp("us")).equals(moments):
            raise pa.ArrowInvalid("it has a time of day") from None
        return dates


def _parse_moments(values: pa.Array, target: pa.DataType) -> pa.Array:
    try:
        moments = values.cast(pa.timestamp("us"))
    except pa.ArrowInvalid:
        # Nine digits of a second, of which no more than six say something.
        values = pc.replace_substring_regex(values, r"(\.\d{6})0+", r"\1")
        if target.tz is None:
            moments = values.cast(pa.timestamp("us"))
        else:
            # An offset as in 2020-01-01 10:00:00 +02:00; without one it is UTC.
            values = pc.replace_substring_regex(values, r" ?([+-]\d\d:?\d\d|Z)$", r"\1")
            has_zone = pc.match_substring_regex(values, r"[ T].*([+-]\d\d:?\d\d|Z)$")
            none = pa.scalar(None, values.type)
            in_utc = pc.if_else(has_zone, none, values).cast(pa.timestamp("us")).cast(target)
            moments = pc.coalesce(pc.if_else(has_zone, values, none).cast(target), in_utc)
    return moments.cast(target)


def is_text(data_type: pa.DataType) -> bool:
    """Whether a type is one of the two of texts."""
    return bool(pa.types.is_string(data_type) or pa.types.is_large_string(data_type))


def _is_bytes(data_type: pa.DataType) -> bool:
    return bool(
        pa.types.is_binary(data_type)
        or pa.types.is_large_binary(data_type)
        or pa.types.is_fixed_size_binary(data_type)
    )


def _cast_all(
    values: pa.Array,
    cast: Callable[[pa.Array], pa.Array],
    target: pa.DataType,
    problem: str,
    most: int,
) -> pa.Array:
    """Cast values.

    Raises:
        ValueProblem: the first values that do not cast, with what is said of each.
    """
    failed: list[int] = []
    parts = list(_cast_in_parts(values, cast, target, 0, failed, most))
    if failed:
        raise ValueProblem({place: f"value {_shown(values[place])} {problem}" for place in failed})
    return parts[0] if len(parts) == 1 else pa.concat_arrays(parts)


def _cast_in_parts(
    values: pa.Array,
    cast: Callable[[pa.Array], pa.Array],
    target: pa.DataType,
    first: int,
    failed: list[int],
    most: int,
) -> Iterator[pa.Array]:
    """Cast values, by halves where they do not cast as a whole; places that fail are recorded."""
    if values.null_count == len(values):
        yield pa.nulls(len(values), target)
        return
    try:
        yield cast(values)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        if len(values) == 1:
            failed.append(first)
            return
        middle = len(values) // 2
        for start, part in ((0, values[:middle]), (middle, values[middle:])):
            if len(failed) < most:
                yield from _cast_in_parts(part, cast, target, first + start, failed, most)


def _shown(value: pa.Scalar) -> str:
    """A value as an error may show it: short, and on one line."""
    if is_text(value.type) or _is_bytes(value.type):
        text = repr(value.cast(pa.binary()).as_py().decode("utf-8", "backslashreplace"))
    elif pa.types.is_temporal(value.type):
        text = times.as_text(value)
    else:
        text = value.cast(pa.string()).as_py()
    return text if len(text) <= 80 else text[:77] + "..."
