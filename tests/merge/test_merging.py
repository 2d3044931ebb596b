"""The state after changes, against a plain dict: every kind of key, every count.

``DMS_MERGE_EXAMPLES`` is the number of random cases of each test.
"""

import json
import math
import os
import struct
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyspark_dms.errors import DmsError
from pyspark_dms.merging import key_passes, lake_rows
from pyspark_dms.merging import tasks as merge_tasks
from pyspark_dms.merging.changed_keys import ChangedKeys
from pyspark_dms.merging.copying import merge
from pyspark_dms.merging.key_passes import plan_passes
from pyspark_dms.merging.tasks import MergeJob, parse_merge, plan_tasks
from pyspark_dms.reading import batches, output
from pyspark_dms.reading.columns import parse_column

examples = settings(
    max_examples=int(os.environ.get("DMS_MERGE_EXAMPLES", "60")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
OP = ("_dms_op", "string")
KEY_TYPES: Mapping[str, st.SearchStrategy[Any]] = {
    "int": st.integers(-3, 3),
    "bigint": st.sampled_from([-(2**63), 0, 2**63 - 1]),
    "string": st.sampled_from(["", "a", "A", "ä", "a ", "🐑"]),
    "decimal(38,3)": st.sampled_from([Decimal("0.000"), Decimal("-0.001"), Decimal("9e34")]),
    "date": st.sampled_from([date(1, 1, 1), date(2020, 2, 29), date(9999, 12, 31)]),
    "timestamp": st.sampled_from([datetime(1, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)]),
    "double": st.sampled_from([0.0, 0.5, float("inf")]),
    "boolean": st.booleans(),
    "binary": st.sampled_from([b"", b"\x00", b"\xff"]),
}


def write(folder: Path, name: str, columns: Sequence[Sequence[str]], rows: Sequence[Any]) -> None:
    """Write rows as Parquet, in row groups of two."""
    folder.mkdir(parents=True, exist_ok=True)
    fields = [(column.name, column.arrow_type) for column in (parse_column(*c) for c in columns)]
    arrays = [pa.array([row[i] for row in rows], kind) for i, (_, kind) in enumerate(fields)]
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    pq.write_table(table, folder / name, row_group_size=2)


def job_of(
    folder: Path | str,
    columns: Sequence[Sequence[str]],
    keys: Sequence[str],
    before: Sequence[Mapping[str, Any]] | None = None,
    **settings: Any,
) -> MergeJob:
    """A merge of ``before`` and ``changes`` of a folder into ``after``."""
    fields = {
        "table": "hr.people",
        "file_bytes": 64 * 1024 * 1024,
        "pass_keys": 5_000_000,
    }
    whole = [{"partition": None, "location": f"{folder}/before"}]
    return parse_merge(
        f"{folder}/after",
        json.dumps(whole if before is None else before),
        f"{folder}/changes",
        json.dumps({"columns": columns, "primary_keys": keys, **fields, **settings}),
    )


def reports_of(job: MergeJob) -> list[dict[str, Any]]:
    """Do all of a merge."""
    return [r for task in plan_tasks(job) for batch in merge(job, task) for r in batch.to_pylist()]


def total(reports: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The counts of all reports together."""
    names = [name for name, field in reports[0].items() if type(field) is int]
    return {name: sum(report[name] for report in reports) for name in names}


def run(
    folder: Path, columns: Sequence[Sequence[str]], keys: Sequence[str], **settings: Any
) -> tuple[list[Any], dict[str, int]]:
    """Merge ``before`` and ``changes`` of a folder; returns the rows and the counts."""
    reports = reports_of(job_of(folder, columns, keys, **settings))
    rows = pq.read_table(folder / "after").to_pylist()
    return [tuple(row.values()) for row in rows], total(reports)


# How many changed keys a worker may hold: all, all but not few, and less than there are.
PASSES: st.SearchStrategy[str | int] = st.sampled_from(["few", "one pass", 1, 2, 3])


@contextmanager
def passes_of(kind: str | int) -> Iterator[int]:
    """Patch what few keys are; gives how many are a pass."""
    with pytest.MonkeyPatch.context() as patched:
        if kind != "few":
            patched.setattr(key_passes, "_FEW_KEYS", 0)
        # Two rows at a time, where usually millions are looked up.
        patched.setattr(key_passes, "_LOOKED_UP_BYTES", 16)
        yield kind if isinstance(kind, int) else 5_000_000


@examples
@given(data=st.data())
def test_the_state_after_is_that_of_a_dict(tmp_path_factory: Any, data: st.DataObject) -> None:
    types = data.draw(st.lists(st.sampled_from(sorted(KEY_TYPES)), min_size=1, max_size=3))
    key = st.tuples(*(KEY_TYPES[kind] for kind in types))
    before = data.draw(st.dictionaries(key, st.integers(0, 9), max_size=8))
    changes = data.draw(
        st.dictionaries(
            key, st.tuples(st.sampled_from("IUD"), st.none() | st.integers(0, 9)), max_size=8
        )
    )
    names = [f"k{i}" for i in range(len(types))]
    columns = [*zip(names, types, strict=True), ("value", "int")]
    folder = tmp_path_factory.mktemp("merge")
    write(folder / "before", "one.parquet", columns, [(*k, v) for k, v in before.items()])
    changed = [(*k, v, op) for k, (op, v) in changes.items()]
    for name, some in (("one.parquet", changed[:3]), ("two.parquet", changed[3:])):
        write(folder / "changes", name, [*columns, OP], some)

    with passes_of(data.draw(PASSES)) as pass_keys:
        limit: dict[str, Any] = {"pass_keys": pass_keys}
        counted = total(reports_of(job_of(folder, columns, names, act="count", **limit)))
        assert not (folder / "after").exists()
        rows, counts = run(folder, columns, names, replaced=str(folder / "replaced"), **limit)
    assert {**counted, "rows_written": len(rows)} == counts

    replaced = [tuple(row.values()) for row in pq.read_table(folder / "replaced").to_pylist()]
    assert sorted(replaced, key=repr) == sorted(
        ((*k, v) for k, v in before.items() if k in changes), key=repr
    )
    after = {**before, **{k: v for k, (op, v) in changes.items() if op != "D"}}
    for gone in (k for k, (op, _) in changes.items() if op == "D"):
        after.pop(gone, None)
    assert sorted(rows, key=repr) == sorted(((*k, v) for k, v in after.items()), key=repr)
    operations = [op for op, _ in changes.values()]
    assert counts == {
        "changed_keys": len(changes),
        "live_keys": sum(op != "D" for op in operations),
        "not_inserts": sum(op != "I" for op in operations),
        "null_keys": 0,
        "rows_written": len(after),
        "rows_found": len(before),
        "rows_updated": sum(1 for k, (op, _) in changes.items() if op != "D" and k in before),
        "rows_reinserted": sum(1 for k, (op, _) in changes.items() if op == "I" and k in before),
        "rows_deleted": sum(1 for k, (op, _) in changes.items() if op == "D" and k in before),
    }


PLACE = [("_dms_generation", "int"), ("_dms_file_seq", "bigint"), ("_dms_row", "bigint")]


@examples
@given(
    before=st.dictionaries(st.integers(0, 9), st.none() | st.integers(0, 9), max_size=6),
    staged=st.dictionaries(
        st.tuples(st.integers(1, 2), st.sampled_from([7, 2**62]), st.integers(1, 3)),
        st.tuples(st.sampled_from("IUD"), st.integers(0, 9), st.none() | st.integers(0, 9)),
        max_size=12,
    ),
    passes=PASSES,
)
def test_of_the_staged_rows_only_the_newest_of_each_key_are_taken(
    tmp_path_factory: Any,
    before: dict[int, int | None],
    staged: dict[tuple[int, int, int], tuple[str, int, int | None]],
    passes: str | int,
) -> None:
    columns = [("id", "int"), ("value", "bigint")]
    folder = tmp_path_factory.mktemp("staged")
    write(folder / "before", "one.parquet", columns, [*before.items()])
    rows = [(key, value, *place) for place, (_, key, value) in staged.items()]
    write(folder / "staged", "one.parquet", [*columns, *PLACE], rows[:5])
    write(folder / "staged", "two.parquet", [*columns, *PLACE], rows[5:])
    newest = {key: place for place, (_, key, _) in sorted(staged.items())}
    write(
        folder / "changes", "one.parquet", [columns[0], *PLACE, OP],
        [(key, *place, staged[place][0]) for key, place in newest.items()],
    )  # fmt: skip

    with passes_of(passes) as pass_keys:
        found, _ = run(folder, columns, ["id"], staged=str(folder / "staged"), pass_keys=pass_keys)

    live = [staged[place] for place in newest.values() if staged[place][0] != "D"]
    untouched = {key: value for key, value in before.items() if key not in newest}
    after = untouched | {key: value for _, key, value in live}
    assert sorted(found, key=repr) == sorted(after.items(), key=repr)


def test_places_that_repeat_are_refused_because_nobody_could_tell_which_row_counts(
    tmp_path: Path,
) -> None:
    columns = [("id", "int")]
    write(tmp_path / "before", "one.parquet", columns, [(1,)])
    write(tmp_path / "staged", "one.parquet", [*columns, *PLACE], [(1, 1, 7, 1), (2, 1, 7, 1)])
    changes = [(1, 1, 7, 1, "U"), (2, 1, 7, 1, "D")]
    write(tmp_path / "changes", "a.parquet", [*columns, *PLACE, OP], changes)
    job = job_of(tmp_path, columns, ["id"], staged=str(tmp_path / "staged"))
    with pytest.raises(DmsError, match=r"hr\.people: 2 changes have only 1 different"):
        reports_of(job)
    assert not list((tmp_path / "after").glob("*.parquet"))


def test_what_a_task_that_spark_gave_up_has_left_is_not_read(tmp_path: Path) -> None:
    columns = [("id", "int")]
    write(tmp_path / "before", "one.parquet", columns, [(1,)])
    write(tmp_path / "before/_temporary/0", "two.parquet", columns, [(2,)])
    write(tmp_path / "changes", "a.parquet", [*columns, OP], [(3, "I")])
    found, _ = run(tmp_path, columns, ["id"])
    assert sorted(found) == [(1,), (3,)]


def test_many_staged_changes_of_a_small_table_are_read_in_several_tasks(tmp_path: Path) -> None:
    columns = [("id", "int")]
    write(tmp_path / "before", "one.parquet", columns, [(1,)])
    for part in range(6):
        rows = [(1, 1, part, row) for row in range(5)]
        write(tmp_path / "staged", f"{part}.parquet", [*columns, *PLACE], rows)
    newest = [(1, 1, 5, 4, "U")]
    write(tmp_path / "changes", "a.parquet", [*columns, *PLACE, OP], newest)
    size = 2 * (tmp_path / "staged/0.parquet").stat().st_size
    job = job_of(tmp_path, columns, ["id"], staged=str(tmp_path / "staged"), file_bytes=size)
    assert [len(task.live) for task in plan_tasks(job)] == [2, 2, 2]
    assert sum(report["rows_found"] for report in reports_of(job)) == 1
    assert pq.read_table(tmp_path / "after").to_pylist() == [{"id": 1}]


PARTITIONS = st.sampled_from(
    ["2020-01-01", "2020-02-01", "2020-03-01", "__HIVE_DEFAULT_PARTITION__"]
)


@examples
@given(
    before=st.dictionaries(
        st.integers(0, 20), st.tuples(PARTITIONS, st.integers(0, 9)), max_size=20
    ),
    changes=st.dictionaries(
        st.integers(0, 24), st.none() | st.tuples(PARTITIONS, st.integers(0, 9)), max_size=8
    ),
    limits=st.tuples(st.sampled_from([500, 1500, 1_000_000]), st.integers(1, 3)),
    is_staged=st.booleans(),
    passes=PASSES,
)
def test_only_touched_partitions_are_written_and_hold_what_a_dict_says(
    tmp_path_factory: Any,
    before: dict[int, tuple[str, int]],
    changes: dict[int, tuple[str, int] | None],
    limits: tuple[int, int],
    is_staged: bool,
    passes: str | int,
) -> None:
    columns = [("id", "int"), ("part", "string"), ("value", "int")]
    folder = tmp_path_factory.mktemp("partitions")
    names = sorted({name for name, _ in before.values()})
    for name in names:
        rows = [(key, *row) for key, row in before.items() if row[0] == name]
        write(folder / "before" / name, "one.parquet", columns, rows[:3])
        write(folder / "before" / name, "two.parquet", columns, rows[3:])
    locations = [{"partition": name, "location": str(folder / "before" / name)} for name in names]
    added = [OP, ("_dms_partition", "string")]
    for number, some in enumerate([list(changes.items())[::2], list(changes.items())[1::2]]):
        rows = [(key, *(row or (None, None))) for key, row in some]
        changed: list[tuple[Any, ...]]
        told = [("U", row[0]) if row else ("D", "2020-09-01") for _, row in some]
        if is_staged:
            # Each key has an earlier change too, which is not to be taken.
            earlier = [(key, "2020-01-01", -1, 1, number, -key) for key, _, _ in rows]
            places = [(1, number, key + 1) for key, _, _ in rows]
            staged = [(*row, *place) for row, place in zip(rows, places, strict=True)]
            name = f"{number}.parquet"
            write(folder / "staged", name, [*columns, *PLACE], [*earlier, *staged])
            keys = [(row[0], *place) for row, place in zip(rows, places, strict=True)]
            changed = [(*key, *what) for key, what in zip(keys, told, strict=True)]
            write(folder / "changes", name, [columns[0], *PLACE, *added], changed)
        else:
            changed = [(*row, *what) for row, what in zip(rows, told, strict=True)]
            write(folder / "changes", f"{number}.parquet", [*columns, *added], changed)
    found_in: dict[str, Any] = {"staged": str(folder / "staged") if is_staged else None}

    with pytest.MonkeyPatch.context() as patched, passes_of(passes) as pass_keys:
        patched.setattr(merge_tasks, "_TASK_PARTITIONS", limits[1])
        dated: dict[str, Any] = {"pass_keys": pass_keys, "file_bytes": limits[0]}
        counted = reports_of(job_of(folder, columns, ["id"], locations, act="count", **dated))
        assert not (folder / "after").exists()
        left = {r["partition"] for r in counted if r["rows_updated"] or r["rows_deleted"]}
        incoming = sorted({row[0] for row in changes.values() if row})
        assert {r["partition"] for r in counted if r["live_keys"]} == set(incoming)
        touched = [found for found in locations if found["partition"] in {*left, *incoming}]
        done = reports_of(
            job_of(folder, columns, ["id"], touched, incoming=incoming, **found_in, **dated)
        )

    after = {**before, **changes}
    expected = {(key, *row) for key, row in after.items() if row}
    written = {}
    for name in {found["partition"] for found in touched} | set(incoming):
        files = sorted((folder / "after" / f"partition_date={name}").iterdir())
        rows = [tuple(r.values()) for f in files for r in pq.ParquetFile(f).read().to_pylist()]
        assert {row[1] for row in rows} <= {name}
        assert len(rows) == len(set(rows))
        written[name] = set(rows)
    untouched = {(k, *row) for k, row in before.items() if row[0] not in written}
    assert untouched | {row for rows in written.values() for row in rows} == expected
    assert len(list((folder / "after").glob("*"))) == len(written)
    assert not written or total(done)["rows_written"] == sum(map(len, written.values()))
    assert sum(r["changed_keys"] for r in counted) == len(changes)
    assert sum(r["rows_found"] for r in counted) == len(before)
    assert sum(r["rows_updated"] for r in counted) == len(
        {k for k, r in changes.items() if r} & set(before)
    )
    assert sum(r["rows_deleted"] for r in counted) == len(
        {k for k, r in changes.items() if not r} & set(before)
    )


def test_a_task_reads_the_changes_that_come_to_its_partitions(
    tmp_path: Path, monkeypatch: Any
) -> None:
    columns = [("id", "int"), ("day", "string")]
    changed = [*columns, OP, ("_dms_partition", "string")]
    for day in ("2020-01-01", "2020-01-02"):
        rows = [(int(day[-1]), day, "I", day), (9, day, "D", "2020-01-03")]
        write(tmp_path / "changes", f"{day}.parquet", changed, rows[: int(day[-1])])
    monkeypatch.setattr(merge_tasks, "_TASK_PARTITIONS", 1)
    days = ["2020-01-01", "2020-01-02"]
    job = job_of(tmp_path, columns, ["id"], before=[], incoming=days)
    names = [[Path(part.path).stem for part in task.live] for task in plan_tasks(job)]
    assert names == [["2020-01-01"], ["2020-01-02"]]
    assert [report["rows_written"] for report in reports_of(job)] == [1, 1]


def test_zero_and_minus_zero_are_one_key(tmp_path: Path) -> None:
    columns = [("id", "double"), ("value", "int")]
    write(tmp_path / "before", "one.parquet", columns, [(0.0, 1)])
    write(tmp_path / "changes", "one.parquet", [*columns, OP], [(-0.0, 2, "U")])
    rows, _ = run(tmp_path, columns, ["id"])
    assert rows == [(0.0, 2)]


def test_every_nan_is_one_key(tmp_path: Path) -> None:
    (other,) = struct.unpack("<d", bytes.fromhex("010000000000f8ff"))
    columns = [("id", "double"), ("value", "bigint")]
    write(tmp_path / "before", "a.parquet", columns, [(other, 1), (1.0, 2)])
    changed = [(math.nan, 3, "U")]
    write(tmp_path / "changes", "a.parquet", [*columns, OP], changed)
    counts = total(reports_of(job_of(tmp_path, columns, ["id"])))
    assert (counts["rows_updated"], counts["rows_written"]) == (1, 2)


def test_a_column_that_came_later_is_null_in_what_was_there(tmp_path: Path) -> None:
    columns = [("id", "int"), ("city", "string")]
    write(tmp_path / "before", "one.parquet", columns[:1], [(1,), (2,)])
    write(tmp_path / "changes", "one.parquet", [*columns, OP], [(2, "Bern", "U")])
    rows, _ = run(tmp_path, columns, ["id"])
    assert rows == [(1, None), (2, "Bern")]


def test_without_a_key_every_row_stays_and_every_insert_comes(tmp_path: Path) -> None:
    columns = [("text", "string")]
    write(tmp_path / "before", "one.parquet", columns, [("a",), ("a",)])
    write(tmp_path / "changes", "one.parquet", [*columns, OP], [("a", "I")])
    rows, counts = run(tmp_path, columns, [])
    assert rows == [("a",)] * 3
    assert counts["rows_found"] == 2


def test_rows_of_before_the_first_column_came_are_counted_and_stay(tmp_path: Path) -> None:
    columns = [("new", "string"), ("text", "string")]
    write(tmp_path / "before", "one.parquet", columns[1:], [("a",), ("a",), ("b",)])
    write(tmp_path / "changes", "one.parquet", [*columns, OP], [])
    counts = total(reports_of(job_of(tmp_path, columns, [], act="count")))
    assert counts["rows_found"] == 3
    write(tmp_path / "before", "one.parquet", [("gone", "string")], [("a",), ("a",)])
    rows, _ = run(tmp_path, columns, [])
    assert rows == [(None, None)] * 2


def test_old_moments_that_spark_wrote_as_int96_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    moment = datetime(1816, 3, 30, 5, 56, 7, tzinfo=UTC)
    table = pa.table({"id": pa.array([1]), "at": pa.array([moment], pa.timestamp("us", "UTC"))})
    pq.write_table(table, tmp_path / "before/a.parquet", use_deprecated_int96_timestamps=True)
    columns = [("id", "bigint"), ("at", "timestamp")]
    write(tmp_path / "changes", "one.parquet", [*columns, OP], [])
    rows, _ = run(tmp_path, columns, ["id"])
    assert rows == [(1, moment)]


def test_more_changed_keys_than_a_worker_may_hold_are_taken_in_passes(
    tmp_path: Path, monkeypatch: Any
) -> None:
    columns = [("id", "int")]
    write(tmp_path / "before", "a.parquet", columns, [(number,) for number in range(100)])
    changes = [(number, "D" if number % 2 else "U") for number in range(40, 140)]
    for half in (0, 1):
        folder, some = tmp_path / "changes", changes[50 * half : 50 * (half + 1)]
        write(folder, f"{half}.parquet", [*columns, OP], some)
    held: list[int] = []
    init = ChangedKeys.__init__

    def counted(self: ChangedKeys, keys: pa.Table, told: pa.Table) -> None:
        held.append(keys.num_rows)
        init(self, keys, told)

    monkeypatch.setattr(ChangedKeys, "__init__", counted)
    rows, counts = run(tmp_path, columns, ["id"], pass_keys=7)
    assert sorted(rows) == [(id_,) for id_ in range(140) if id_ < 40 or id_ % 2 == 0]
    assert (counts["changed_keys"], counts["rows_updated"], counts["rows_deleted"]) == (100, 30, 30)
    # Row groups of two are not divided.
    assert held == [6] * 16 + [4]


def test_of_the_rows_that_many_keys_are_looked_up_for_few_are_in_memory(
    tmp_path: Path, monkeypatch: Any
) -> None:
    columns = [("id", "int"), OP]
    write(tmp_path / "changes", "a.parquet", columns, [(n, "U") for n in range(8)])
    monkeypatch.setattr(key_passes, "_FEW_KEYS", 0)
    monkeypatch.setattr(key_passes, "_LOOKED_UP_BYTES", 1000)
    keys = [parse_column(*column) for column in columns]
    given: list[weakref.ref[pa.Table]] = []
    most = 0

    def read_keys() -> Iterator[pa.Table]:
        nonlocal most
        for first in range(100):
            rows = pa.table({"id": pa.array(range(first, first + 100), pa.int32())})
            given.append(weakref.ref(rows))
            most = max(most, sum(one() is not None for one in given))
            yield rows

    passes = plan_passes(str(tmp_path / "changes"), keys, 3)
    assert len(passes.parts) == 4
    find = passes.finder((keys[0],), (), read_keys)
    found = find(pa.table({"id": pa.array(range(100), pa.int32())}))
    assert found["_dms_op"].to_pylist() == ["U"] * 8 + [None] * 92
    # As many as are looked up at a time, of 400 bytes each; and those of before.
    assert most <= 2 * 3


def test_a_key_that_is_in_two_passes_is_refused(tmp_path: Path) -> None:
    columns = [("id", "int")]
    write(tmp_path / "before", "a.parquet", columns, [(1,)])
    for name in ("a.parquet", "b.parquet"):
        write(tmp_path / "changes", name, [*columns, OP], [(1, "U")])
    with pytest.raises(DmsError, match=r"hr\.people: a key is among the changes more than once"):
        reports_of(job_of(tmp_path, columns, ["id"], pass_keys=1))
    assert not list((tmp_path / "after").glob("*.parquet"))


def test_a_pass_of_long_keys_has_fewer_of_them(tmp_path: Path, monkeypatch: Any) -> None:
    columns = [("id", "string"), OP]
    write(tmp_path / "changes", "a.parquet", columns, [(f"{n}" * 1000, "U") for n in range(8)])
    monkeypatch.setattr(key_passes, "_FEW_KEYS", 0)
    # The footer of a group counts what its pages say of themselves, too.
    monkeypatch.setattr(key_passes, "_PASS_BYTES", 10_000)
    keys = [parse_column(*column) for column in columns]
    passes = plan_passes(str(tmp_path / "changes"), keys, 5_000_000)
    groups = [[part.row_groups for part in parts] for parts in passes.parts]
    assert groups == [[(0, 1)], [(2, 3)]]


def test_a_large_file_is_divided_and_a_small_one_joins_a_part_of_it(
    tmp_path: Path, monkeypatch: Any
) -> None:
    # Ranges of floats tell nothing.
    columns = [("id", "double"), ("value", "int")]
    write(tmp_path / "before", "large.parquet", columns, [(i, i) for i in range(10)])
    write(tmp_path / "before", "small.parquet", columns, [(i, i) for i in range(10, 12)])
    write(tmp_path / "changes", "one.parquet", [*columns, OP], [(12, 12, "I")])
    monkeypatch.setattr(output, "ROW_GROUP_ROWS", 3)
    monkeypatch.setattr(batches, "ROW_GROUP_ROWS", 3)
    rows, counts = run(tmp_path, columns, ["id"], file_bytes=1000)
    assert sorted(rows) == [(i, i) for i in range(13)]
    assert counts["rows_found"] == 12
    tasks = plan_tasks(job_of(tmp_path, columns, ["id"], file_bytes=1000))
    files = [{part.path for work in task.work for part in work.before} for task in tasks]
    assert len(tasks) == len(list((tmp_path / "after").iterdir())) > 1
    assert 2 in map(len, files)


@pytest.mark.parametrize(("kind", "tasks"), [("int", 1), ("string", 3)])
def test_counting_keys_takes_tasks_for_the_bytes_of_the_keys_alone(
    tmp_path: Path, kind: str, tasks: int
) -> None:
    columns = [("id", kind), *((f"text_{number}", "string") for number in range(9))]
    for number in range(10):
        keys = range(8 * number, 8 * number + 8)
        rows = [(key if kind == "int" else str(key), *(9 * ["text" * 9])) for key in keys]
        write(tmp_path / "before", f"{number}.parquet", columns, rows)
    write(tmp_path / "changes", "a.parquet", [*columns, OP], [])
    size = (tmp_path / "before/0.parquet").stat().st_size
    limit: dict[str, Any] = {"file_bytes": int(size * 1.1)}
    job = job_of(tmp_path, columns, ["id"], act="count", **limit)
    assert len(plan_tasks(job_of(tmp_path, columns, ["id"], **limit))) == 10
    assert len(plan_tasks(job)) == tasks
    assert sum(report["rows_found"] for report in reports_of(job)) == 80


@pytest.mark.parametrize("keys", [["Id"], ["Id", "text"], []])
def test_row_groups_that_their_footer_rules_out_are_counted_unread(
    tmp_path: Path, keys: list[str]
) -> None:
    columns = [("Id", "bigint"), ("text", "string")]
    rows = [(1, "a"), (2, "b"), (3, "a"), (4, "b"), (8, "a"), (9, "b"), (11, "a"), (12, "b")]
    write(tmp_path / "before", "a.parquet", [("ID", "bigint"), ("text", "string")], rows)
    changes = [(3, "a", "U"), (5, "a", "U"), (6, "b", "D"), (7, "a", "U"), (10, "a", "D")]
    write(tmp_path / "changes", "a.parquet", [*columns, OP], changes)
    file = tmp_path / "before/a.parquet"
    content = bytearray(file.read_bytes())
    footer = pq.ParquetFile(file).metadata
    for group in (0, 2, 3) if keys else (0, 1, 2, 3):
        first, last = footer.row_group(group).column(0), footer.row_group(group).column(1)
        start = first.dictionary_page_offset
        end = last.data_page_offset + last.total_compressed_size // 2
        content[start:end] = bytes(end - start)
    file.write_bytes(content)
    with pytest.raises((OSError, pa.ArrowException)):
        pq.read_table(file)
    counts = total(reports_of(job_of(tmp_path, columns, keys, act="count")))
    assert (counts["rows_found"], counts["rows_updated"]) == (8, 1 if keys else 0)
    assert counts["rows_deleted"] == 0


def test_a_changed_key_that_is_null_is_found_beyond_the_range_of_a_row_group(
    tmp_path: Path,
) -> None:
    columns = [("id", "int"), ("value", "int")]
    write(tmp_path / "before", "a.parquet", columns, [(1, 0), (None, 0)])
    changes = [(9, 1, "U"), (None, None, "D")]
    write(tmp_path / "changes", "a.parquet", [*columns, OP], changes)
    counts = total(reports_of(job_of(tmp_path, columns, ["id"], act="count")))
    assert counts["null_keys"] == 1
    assert (counts["rows_updated"], counts["rows_deleted"]) == (0, 1)


@pytest.mark.parametrize(
    ("written", "declared", "before", "changed"),
    [
        ("string", "bigint", ["10", "9"], 10),
        ("decimal(9,0)", "bigint", [Decimal(9), Decimal(10)], 10),
        ("bigint", "string", [9, 10], "10"),
        ("bigint", "decimal(20,0)", [9, 10], Decimal(10)),
        ("int", "bigint", [9, 10], 10),
    ],
)
def test_a_key_of_another_type_than_in_an_older_file_is_found(
    tmp_path: Path, written: str, declared: str, before: Sequence[Any], changed: Any
) -> None:
    write(tmp_path / "before", "a.parquet", [("id", written)], [(key,) for key in before])
    changes = [("id", declared), OP]
    write(tmp_path / "changes", "a.parquet", changes, [(changed, "D")])
    counts = total(reports_of(job_of(tmp_path, changes[:1], ["id"], act="count")))
    assert (counts["rows_found"], counts["rows_deleted"]) == (2, 1)


def test_of_staging_only_the_rows_of_the_full_load_are_the_state_before(tmp_path: Path) -> None:
    columns = [("id", "int")]
    staged = [*columns, ("_dms_is_load", "boolean"), ("_dms_generation", "int")]
    rows_staged = [(1, True, 1), (2, True, 2), (3, False, 2), (4, True, 2)]
    write(tmp_path / "before", "one.parquet", staged, rows_staged)
    write(tmp_path / "changes", "one.parquet", [*columns, OP], [(4, "D")])
    rows, counts = run(tmp_path, columns, ["id"], load_generations=[2])
    assert rows == [(2,)]
    assert (counts["rows_found"], counts["rows_updated"], counts["rows_deleted"]) == (2, 0, 1)


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["one.parquet"], ""),
        (None, ""),
        ([], "1 more (one.parquet)"),
        (["two.parquet"], "1 more (one.parquet), 1 missing (two.parquet)"),
    ],
)
@pytest.mark.parametrize("act", ["count", "merge"])
def test_files_that_the_manifest_does_not_name_are_not_built_on(
    tmp_path: Path, names: list[str] | None, problem: str, act: str
) -> None:
    columns = [("id", "int")]
    write(tmp_path / "before", "one.parquet", columns, [(1,)])
    write(tmp_path / "changes", "one.parquet", [*columns, OP], [(2, "I")])
    before = [{"partition": None, "location": str(tmp_path / "before"), "files": names}]
    reports = reports_of(job_of(tmp_path, columns, ["id"], before=before, act=act))
    if problem:
        (report,) = reports
        assert report["changed_files"] == f"{problem} in {tmp_path / 'before'}"
    else:
        assert total(reports)["rows_found"] == 1
    assert (tmp_path / "after").exists() == (not problem and act == "merge")


def test_a_task_that_fails_leaves_no_file(tmp_path: Path) -> None:
    columns = [("id", "int")]
    write(tmp_path / "before", "one.parquet", columns, [(1,)])
    write(tmp_path / "changes", "one.parquet", [*columns, OP], [(2, "I")])
    (tmp_path / "changes/two.parquet").write_bytes(b"no parquet")
    with pytest.raises(pa.ArrowInvalid):
        run(tmp_path, columns, [])
    assert not list(tmp_path.glob("after/*"))


def test_long_values_that_repeat_are_not_all_in_memory_at_once(tmp_path: Path) -> None:
    columns = [("id", "int"), ("text", "string")]
    write(tmp_path / "before", "a.parquet", columns, [])
    table = pa.table({"id": pa.array(range(20_000), pa.int32()), "text": ["x" * 20_000] * 20_000})
    pq.write_table(table, tmp_path / "before/b.parquet")
    del table
    write(tmp_path / "changes", "one.parquet", [*columns, OP], [])
    largest = 0
    job = job_of(tmp_path, columns, ["id"])
    for task in plan_tasks(job):
        for work in task.work:
            for rows in lake_rows.chunks(work.before, job.columns):
                largest = max(largest, rows.nbytes)
    assert largest < 160 * 1024 * 1024


def test_values_that_do_not_repeat_get_no_dictionary_whatever_their_type(tmp_path: Path) -> None:
    count = 5000
    day = datetime(2020, 1, 1, tzinfo=UTC)
    distinct: dict[str, Sequence[Any]] = {
        "int": range(count),
        "bigint": range(count),
        "float": [float(n) for n in range(count)],
        "double": [float(n) for n in range(count)],
        "decimal(38,3)": [Decimal(n) for n in range(count)],
        "date": [date(2000, 1, 1) + timedelta(days=n) for n in range(count)],
        "timestamp": [day + timedelta(seconds=n) for n in range(count)],
        "string": [f"text {n}" for n in range(count)],
        "binary": [str(n).encode() for n in range(count)],
    }
    distinct["smallint"] = [None, *range(count - 1)]
    repeated = {"smallint": 7, "tinyint": None, "boolean": True, "string": "same"}
    columns = [(f"c{n}", kind) for n, kind in enumerate((*distinct, *repeated))]
    others = [[value] * count for value in repeated.values()]
    rows = list(zip(*distinct.values(), *others, strict=True))
    write(tmp_path / "before", "a.parquet", columns, rows)
    write(tmp_path / "changes", "b.parquet", [*columns, OP], [])
    assert run(tmp_path, columns, ["c0"])[0] == rows
    (file,) = (tmp_path / "after").iterdir()
    group = pq.ParquetFile(file).metadata.row_group(0)
    chunks = [group.column(place) for place in range(len(columns))]
    with_dictionary = {c.path_in_schema for c in chunks if "RLE_DICTIONARY" in c.encodings}
    # Parquet has no dictionaries of booleans.
    assert with_dictionary == {"c10", "c11", "c13"}


def test_values_that_repeat_near_or_far_or_in_few_rows_keep_their_dictionary(
    tmp_path: Path,
) -> None:
    columns = [("id", "int"), ("a_fourth", "int"), ("a_half", "int")]
    for name, count in (("many", 20_000), ("few", 3)):
        folder = tmp_path / name
        rows = [(n, n % 5000, n // 2) for n in range(count)]
        write(folder / "before", "a.parquet", columns, rows)
        write(folder / "changes", "b.parquet", [*columns, OP], [])
        assert run(folder, columns, ["id"])[0] == rows
        (file,) = (folder / "after").iterdir()
        group = pq.ParquetFile(file).metadata.row_group(0)
        for place in (1, 2):
            assert "RLE_DICTIONARY" in group.column(place).encodings


def test_lists_keep_their_dictionary() -> None:
    rows = pa.table({"id": range(5000), "absent": pa.nulls(5000, pa.list_(pa.string()))})
    assert batches.repeating_columns(rows) == ["absent"]


def test_a_look_for_long_texts_that_repeat_copies_none_of_them() -> None:
    chunk = pa.RecordBatch.from_pydict({"text": ["x" * 10_000] * 500})
    rows = pa.Table.from_batches([chunk] * 10)
    pool, usual = pa.proxy_memory_pool(pa.default_memory_pool()), pa.default_memory_pool()
    pa.set_memory_pool(pool)
    try:
        assert batches.repeating_columns(rows) == ["text"]
    finally:
        pa.set_memory_pool(usual)
    assert pool.max_memory() < rows.nbytes // 10


def test_rows_of_another_full_load_leave_no_empty_row_group(tmp_path: Path) -> None:
    columns = [("id", "int")]
    staged = [*columns, ("_dms_is_load", "boolean"), ("_dms_generation", "int")]
    of_before = [(-n, True, 1) for n in range(5000)]
    write(tmp_path / "before", "a.parquet", staged, of_before)
    write(tmp_path / "before", "b.parquet", staged, [(n, True, 2) for n in range(5000)])
    write(tmp_path / "changes", "a.parquet", [*columns, OP], [])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(batches, "ROW_GROUP_ROWS", 5000)
        rows, _ = run(tmp_path, columns, ["id"], load_generations=[2])
    assert rows == [(n,) for n in range(5000)]
    (file,) = (tmp_path / "after").iterdir()
    metadata = pq.ParquetFile(file).metadata
    assert metadata.num_row_groups == 1
    assert "RLE_DICTIONARY" not in metadata.row_group(0).column(0).encodings
