"""Random DMS roots whose tables are in all sorts of trouble, for ``discover``.

A bucket is made by a seed alone. Its tables mix what real ones have been seen to have: formats,
encodings, delimiters, types that differ, damage, stray files, folders and names that nobody
expects.
"""

import gzip
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Values = list[Any]
_SCHEMAS = (
    "hr",
    "Sales-2020",
    "o'brien",
    "größe",
    "yes",
    "null",
    "1e3",
    "a b",
    "{x}",
    "a: b",
    "s.t",
)
_TABLES = (
    "people", "People", "orders", "order items", "no", "null", "1e3", "{{ 7*7 }}", "it's",
    'say "x"', "naïve", "a.b", "a-b", "a_b", "#1", "x: [", "true", "名前", "t" * 60, "lines_1",
    "lines_2",
)  # fmt: skip
_COLUMNS = (
    "name", "Name", "NAME", "ID", "id", "Id", "yes", "null", "1e3", "{", "a: b", "a b", 'q"q',
    "it's", "größe", "x.y", "- x", "#", "op", "Op", "OP", "snapshot_date", "BI_id", "ar_h_op",
    "&a", "*b", "~", "2020-01-01", "[", "{{ x }}", "amount", "at", "note", "dms_at", "", " ",
    "a\tb",
)  # fmt: skip
_DELIMITERS = (",", ",", ",", ";", "\t", "|", "||", "\x01", "^", "~")
_ENDS = ("\n", "\n", "\n", "\r\n", "\r", "\\n")
_ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp1252")
_LOADS = ("LOAD{:08X}", "LOAD{:08X}", "SEGMENT1_LOAD{:08X}")
_BELOW = (
    "",
    "",
    "",
    "2020/11/14/",
    "20201114/",
    "year=2020/month=11/",
    "processed/",
    "p1/",
    "a b/",
)
_STRAYS = ("readme.txt", "_SUCCESS", "data.csv", "part-0000.snappy.parquet", "LOAD1.tmp", "x.dfm")
_WORDS = ("a", "A", "é", "e", "a ", "", None)
_DATES = ("0000-00-00", "2020-01-01")
_TIME = datetime(2020, 11, 14, 10, tzinfo=UTC)


def _numbers(rng: random.Random, count: int) -> Values:
    return rng.sample(range(1, 100_000), count)


_TYPES: dict[str, Callable[[random.Random, int], pa.Array]] = {
    "int": lambda rng, n: pa.array(_numbers(rng, n), pa.int32()),
    "bigint": lambda rng, n: pa.array(_numbers(rng, n), pa.int64()),
    "uint8": lambda rng, n: pa.array([rng.randrange(255) for _ in range(n)], pa.uint8()),
    "uint64": lambda rng, n: pa.array([2**64 - 1 - k for k in _numbers(rng, n)], pa.uint64()),
    "text of numbers": lambda rng, n: pa.array(map(str, _numbers(rng, n)), pa.string()),
    "text": lambda rng, n: pa.array([rng.choice(_WORDS) for _ in range(n)], pa.string()),
    "long text": lambda rng, n: pa.array(["x" * 2048] * n),
    "large": lambda rng, n: pa.array([f"{k}" for k in _numbers(rng, n)], pa.large_string()),
    "words": lambda rng, n: pa.array([rng.choice("ab") for _ in range(n)]).dictionary_encode(),
    "decimal": lambda rng, n: pa.array([Decimal(k) / 100 for k in _numbers(rng, n)],
                                       pa.decimal128(10, 2)),
    "scale 10": lambda rng, n: pa.array(map(Decimal, _numbers(rng, n)), pa.decimal128(38, 10)),
    "wide decimal": lambda rng, n: pa.array([Decimal(10) ** 45 + k for k in _numbers(rng, n)],
                                            pa.decimal256(50, 2)),
    "double": lambda rng, n: pa.array([k / 7 for k in _numbers(rng, n)], pa.float64()),
    "half": lambda rng, n: pa.array([1.5] * n, pa.float64()).cast(pa.float16()),
    "boolean": lambda rng, n: pa.array([rng.random() < 0.5 for _ in range(n)]),
    "date": lambda rng, n: pa.array([_TIME.date() + timedelta(k % 900) for k in _numbers(rng, n)]),
    "far date": lambda rng, n: pa.array([2_932_896 + k * 1000 for k in _numbers(rng, n)],
                                        pa.int32()).cast(pa.date32()),
    "timestamp": lambda rng, n: pa.array([_TIME + timedelta(seconds=k) for k in _numbers(rng, n)],
                                         pa.timestamp("us")),
    "zoned": lambda rng, n: pa.array([_TIME] * n, pa.timestamp("ms", "Europe/Berlin")),
    "nanoseconds": lambda rng, n: pa.array([k * 1001 for k in _numbers(rng, n)],
                                           pa.timestamp("ns")),
    "far timestamp": lambda rng, n: pa.array([2**62 + k for k in _numbers(rng, n)],
                                             pa.timestamp("us")),
    "time": lambda rng, n: pa.array([k % 86_400 for k in _numbers(rng, n)], pa.time32("s")),
    "duration": lambda rng, n: pa.array(_numbers(rng, n), pa.duration("ms")),
    "binary": lambda rng, n: pa.array([rng.randbytes(5) for _ in range(n)]),
    "fixed binary": lambda rng, n: pa.array([rng.randbytes(4) for _ in range(n)], pa.binary(4)),
    "nothing": lambda _, n: pa.nulls(n),
    "no values": lambda _, n: pa.nulls(n, pa.int32()),
    "list": lambda _, n: pa.array([["a"]] * n),
    "struct": lambda _, n: pa.array([{"a": 1}] * n),
    "text of times": lambda rng, n: pa.array(
        [str(_TIME.replace(tzinfo=None) + timedelta(seconds=k)) for k in _numbers(rng, n)]),
    "zero dates": lambda rng, n: pa.array([rng.choice(_DATES) for _ in range(n)]),
}  # fmt: skip
_SAFE = ("int", "bigint", "text of numbers", "text", "decimal", "double", "date", "timestamp")


@dataclass(frozen=True)
class _Form:
    """How the CSV files of a table are written."""

    delimiter: str
    end: str
    encoding: str
    header: bool
    null: str


def write_bucket(root: Path, seed: int) -> list[str]:
    """Write a bucket; the folders ``<schema>/<table>`` that have files named as DMS names them."""
    rng = random.Random(seed)
    folders = []
    pairs = [(schema, table) for schema in _SCHEMAS for table in _TABLES]
    for schema, table in rng.sample(pairs, rng.randint(1, 5)):
        folder = root / schema / table
        if _write_table(rng, folder):
            folders.append(f"{schema}/{table}")
    if rng.random() < 0.3:
        control = root / "hr/awsdms_apply_exceptions/20201114-100000000.csv"
        _put(control, b"I,task,hr,people,2020-11-14,insert,error\n")
    if rng.random() < 0.2:
        _put(
            root / rng.choice(["readme.txt", "LOAD00000001.csv", "hr/20201114-100000000.csv"]),
            b"x,1\n",
        )
    if rng.random() < 0.2:
        (root / "hr/empty/2020/11/14").mkdir(parents=True, exist_ok=True)
    return folders


def _write_table(rng: random.Random, folder: Path) -> bool:
    """Write the files of a table; whether any of them may be read as one of DMS."""
    names = ["id", *dict.fromkeys(rng.choices(_COLUMNS, k=rng.randint(1, 4)))]
    if rng.random() < 0.9:
        names = [name for name in names if name.strip() and name.lower() != "op"]
        names = list({name.lower(): name for name in names}.values())
    if rng.random() < 0.1:
        names[0] = rng.choice(("ID", "Id", "1e3", "yes"))
    kinds = [rng.choice(("int", "bigint", "text", "text of numbers")), *(
        rng.choice(_SAFE if rng.random() < 0.6 else list(_TYPES)) for _ in names[1:]
    )]  # fmt: skip
    form = _form(rng)
    is_parquet, changes_format = rng.random() < 0.5, rng.random() < 0.15
    has_op, has_time = rng.random() < 0.9, rng.random() < 0.5
    loads, changes = rng.randint(0, 2), rng.randint(0, 3)
    has_files = False
    for number in range(loads + changes or 1):
        is_load = number < loads
        stem = (
            rng.choice(_LOADS).format(number + 1) if is_load else f"202011{14 + number}-100000000"
        )
        if not is_load and changes_format and number == loads + changes - 1:
            is_parquet = not is_parquet
        if rng.random() < 0.1:  # the types of this file are its own
            kinds = [rng.choice(list(_TYPES)) for _ in names]
        if rng.random() < 0.05:
            names = [*names[: rng.randint(1, len(names))], "new one"]
            kinds = [*kinds[: len(names) - 1], *["text"] * len(names)][: len(names)]
        if rng.random() < 0.1:
            form = _form(rng)
        table = _rows(rng, names, kinds, has_op and not is_load, has_time)
        path = folder / rng.choice(_BELOW) / stem
        content, ending = _content(rng, table, form, is_parquet)
        target = path.with_name(f"{stem}{ending}")
        _put(target, content)
        has_files |= bool(content)
        if rng.random() < 0.04:  # a stray file of the same name in the other format
            other, other_ending = _content(rng, table, form, not is_parquet)
            _put(path.with_name(f"{stem}{other_ending}"), other)
            has_files |= bool(other)
    if rng.random() < 0.2:
        _put(folder / rng.choice(_STRAYS), b"stray")
    return has_files


def _form(rng: random.Random) -> _Form:
    return _Form(
        rng.choice(_DELIMITERS), rng.choice(_ENDS), rng.choice(_ENCODINGS), rng.random() < 0.5,
        rng.choice(("NULL", "", r"\N")),
    )  # fmt: skip


def _rows(
    rng: random.Random, names: Sequence[str], kinds: Sequence[str], has_op: bool, has_time: bool
) -> pa.Table:
    count = rng.choice((0, 1, 2, 5, 30))
    arrays = [_TYPES[kind](rng, count) for kind in kinds]
    columns = list(names)
    if has_time:
        arrays.insert(0, pa.array([f"2020-11-14 09:00:00.{k:06}" for k in range(count)]))
        columns.insert(0, "dms_ts")
    if has_op:
        ops = "IUD" if rng.random() < 0.95 else ["I", "u", None, "X", "ADD"]
        arrays.insert(0, pa.array([rng.choice(list(ops)) for _ in range(count)], pa.string()))
        columns.insert(0, "Op")
    return pa.Table.from_arrays(arrays, columns)


def _content(
    rng: random.Random, table: pa.Table, form: _Form, is_parquet: bool
) -> tuple[bytes, str]:
    """The bytes of a file and the ending of its name; both may lie."""
    damage = rng.random()
    if is_parquet:
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink)
        content, ending = sink.getvalue().to_pybytes(), ".parquet"
    else:
        content, ending = _csv(rng, table, form), ".csv"
        if rng.random() < 0.2:
            content, ending = gzip.compress(content), ".csv.gz"
    if damage < 0.03:
        content = b""
    elif damage < 0.06:
        content = content[: len(content) // 2]
    elif damage < 0.08:
        content = rng.randbytes(300)
    elif damage < 0.1:
        content = bytearray(content)
        for _ in range(5):
            if content:
                content[rng.randrange(len(content))] = rng.randrange(256)
        content = bytes(content)
    elif damage < 0.12:
        ending = rng.choice((".csv", ".parquet", ".csv.gz", ".parquet.gz", ".CSV"))
    return content, ending


def _csv(rng: random.Random, table: pa.Table, form: _Form) -> bytes:
    def field(value: object) -> str:
        if value is None:
            return form.null
        text = value.hex() if isinstance(value, bytes) else str(value)
        special = (form.delimiter, form.end, '"', "\n", "\r")
        is_quoted = any(part in text for part in special) or text in ("NULL", "", r"\N")
        return '"' + text.replace('"', '""') + '"' if is_quoted else text

    lines = [list(map(field, table.column_names))] if form.header else []
    columns = [_values(column) for column in table.columns]
    lines += [list(map(field, row)) for row in zip(*columns, strict=True)]
    if rng.random() < 0.03 and lines:
        lines[-1] = lines[-1][:-1] or ["odd", "row"]
    text = "".join(form.delimiter.join(line) + form.end for line in lines)
    return text.encode(form.encoding, "replace")


def _values(column: pa.ChunkedArray) -> Values:
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):  # Python has no such moment
        return list(
            column.cast(pa.int32() if pa.types.is_date32(column.type) else pa.int64()).to_pylist()
        )


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
