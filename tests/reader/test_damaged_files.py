"""Damaged files: whatever the bytes, there are rows or a `FileProblem`, and never anything else.

``DMS_FUZZ_EXAMPLES`` asks for more examples. That a damaged value is noticed is not asked for:
neither format has a sum that would tell, gzip excepted.
"""

import contextlib
import gzip
import io
import os
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyspark_dms.reading.indexed_files import FileProblem
from tests.reader.reading import read_in_batches

EXAMPLES = int(os.environ.get("DMS_FUZZ_EXAMPLES", "300"))
COLUMNS = {
    "id": "int", "name": "string", "price": "decimal(10,2)", "due": "date", "at": "timestamp",
    "body": "binary", "ratio": "double", "is_open": "boolean",
}  # fmt: skip
ROWS: list[tuple[Any, ...]] = [
    ("I", number, "text ö" * (number % 7), Decimal(number) / 100, date(2020, 1, 1),
     datetime(2020, 1, 1, 1, 2, 3), b"\0\xff", number / 3, number % 2 == 0)
    for number in range(60)
]  # fmt: skip


def parquet(version: str, compression: str, dictionary: bool) -> bytes:
    types = [pa.string(), pa.int32(), pa.string(), pa.decimal128(10, 2), pa.date32(),
             pa.timestamp("us"), pa.binary(), pa.float64(), pa.bool_()]  # fmt: skip
    columns = zip(*ROWS, strict=True)
    table = pa.table(
        [pa.array(values, kind) for values, kind in zip(columns, types, strict=True)],
        names=["Op", *COLUMNS],
    )
    sink = io.BytesIO()
    pq.write_table(
        table, sink, compression=compression, data_page_version=version, row_group_size=25,
        use_dictionary=dictionary,
    )  # fmt: skip
    return sink.getvalue()


CSV = "".join(
    f'{op},{key},"{name}, ""x""\n",{price},{due},{at},{body.hex()},{ratio},{is_open}\n'
    for op, key, name, price, due, at, body, ratio, is_open in ROWS
).encode()
FILES = {
    "plain.parquet": parquet("1.0", "none", False),
    "packed.parquet": parquet("2.0", "snappy", True),
    "gzip.parquet": parquet("1.0", "gzip", True),
    "rows.csv": CSV,
    "rows.csv.gz": gzip.compress(CSV, mtime=0),
}

positions = st.floats(0, 1, exclude_max=True)
damages = st.one_of(
    st.tuples(st.just("cut"), positions, st.just(b"")),
    st.tuples(st.just("set"), positions, st.binary(min_size=1, max_size=8)),
    st.tuples(st.just("insert"), positions, st.binary(min_size=1, max_size=8)),
    st.tuples(st.just("drop"), positions, st.binary(min_size=1, max_size=8)),
    # Where the footer of a Parquet file is.
    st.tuples(st.just("tail"), st.integers(1, 400), st.binary(min_size=1, max_size=4)),
)


def damaged(content: bytes, changes: Sequence[tuple[str, Any, bytes]]) -> bytes:
    for kind, where, piece in changes:
        place = len(content) - min(where, len(content)) if kind == "tail" else 0
        if kind != "tail":
            place = int(where * len(content))
        if kind == "cut":
            content = content[:place]
        elif kind == "insert":
            content = content[:place] + piece + content[place:]
        elif kind == "drop":
            content = content[:place] + content[place + len(piece) :]
        else:
            content = content[:place] + piece + content[place + len(piece) :]
    return content


def read(path: Path, on_bad_row: str = "fail") -> tuple[list[int], list[int]]:
    """The numbers of the rows that are read, and of those that are set aside."""
    batches, notes = read_in_batches(path, COLUMNS, on_bad_row=on_bad_row)
    rows: list[int] = []
    for batch in batches:
        batch.validate(full=True)
        rows += batch.column("_dms_row").to_pylist()
    return rows, [reject.row for reject in notes.rejects]


@pytest.mark.parametrize("name", FILES)
def test_the_files_are_read_whole_as_long_as_nothing_is_damaged(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    assert read(tmp_path / name) == (list(range(1, 61)), [])


@given(
    st.sampled_from(sorted(FILES)),
    st.lists(damages, min_size=1, max_size=4),
    st.sampled_from(["fail", "quarantine"]),
)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES == 300,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_damaged_file_gives_rows_or_a_problem(
    tmp_path: Path, name: str, changes: Sequence[tuple[str, Any, bytes]], on_bad_row: str
) -> None:
    content = damaged(FILES[name], changes)
    path = tmp_path / name
    path.write_bytes(content)
    try:
        rows, rejects = read(path, on_bad_row)
    except FileProblem:
        return
    # Every row of the file is either read or set aside, once.
    assert sorted(rows + rejects) == list(range(1, len(rows) + len(rejects) + 1))
    if name.endswith(".gz") and content != FILES[name]:
        # The header of gzip may be damaged without harm: it holds a time and a name.
        assert rows == list(range(1, 61))


def test_of_a_column_of_another_type_every_row_is_set_aside(tmp_path: Path) -> None:
    # Found by the test above: behind the last row nothing was left to convert, and it failed.
    path = tmp_path / "plain.parquet"
    table = pq.read_table(pa.BufferReader(FILES["plain.parquet"]))
    place = table.column_names.index("name")
    pq.write_table(table.set_column(place, "name", table["name"].cast(pa.binary())), path)
    assert read(path, "quarantine") == ([], list(range(1, 61)))


def test_a_name_in_the_footer_that_is_no_text_takes_no_row(tmp_path: Path) -> None:
    # Found by the test above.
    path = tmp_path / "gzip.parquet"
    before, found, behind = FILES["gzip.parquet"].rpartition(b"name")
    assert found
    path.write_bytes(before + b"n\x80me" + behind)
    assert read(path) == (list(range(1, 61)), [])


def test_no_damage_to_a_byte_of_a_footer_ends_the_process(tmp_path: Path) -> None:
    # Found by the test above: sizes that contradict each other.
    path, content = tmp_path / "packed.parquet", FILES["packed.parquet"]
    footer = int.from_bytes(content[-8:-4], "little")
    for place in range(len(content) - 8 - footer, len(content) - 8):
        path.write_bytes(content[:place] + b"\x15" + content[place + 1 :])
        with contextlib.suppress(FileProblem):
            rows, _ = read(path)
            assert rows == list(range(1, len(rows) + 1))


def test_a_decimal_with_more_digits_than_its_type_is_refused(tmp_path: Path) -> None:
    # Found by the test above.
    path = tmp_path / "plain.parquet"
    path.write_bytes(damaged(FILES["plain.parquet"], [("set", 0.125, b"\0\0\3")]))
    with pytest.raises(FileProblem, match=r"row \d+, column price: value 128849018.93"):
        read(path)


@given(st.sampled_from(["a.parquet", "a.csv", "a.csv.gz"]), st.binary(max_size=300))
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES == 300,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_bytes_give_rows_or_a_problem(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with contextlib.suppress(FileProblem):
        read(path)
