"""Merges of tables whose files have ranges of the key: what no change touches is not written.

``DMS_MERGE_EXAMPLES`` is the number of random tables, ``DMS_MERGE_DAYS`` how long one is followed.
"""

import os
import random
import shutil
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyspark_dms.errors import DmsError
from pyspark_dms.merging import key_passes
from pyspark_dms.merging.copying import merge
from pyspark_dms.merging.tasks import plan_tasks, together
from pyspark_dms.reading import batches, output
from pyspark_dms.store_copy import can_copy
from tests.merge.test_merging import (
    OP,
    PASSES,
    PLACE,
    examples,
    job_of,
    passes_of,
    reports_of,
    total,
    write,
)

DAYS = int(os.environ.get("DMS_MERGE_DAYS", "60"))
DAY_ONE = datetime(2020, 1, 1, tzinfo=UTC)

# Values of a type by their place in its order.
ORDERED: Mapping[str, Any] = {
    "bigint": lambda n: n - 20,
    "decimal(20,3)": lambda n: Decimal(n - 20) / 8,
    "date": lambda n: date(2020, 1, 1) + timedelta(days=n),
    "timestamp": lambda n: DAY_ONE + timedelta(microseconds=n),
    "string": lambda n: ("", "a", "ä", "z", "é", "🐑")[n % 6] + f"{n:03}",
    "binary": lambda n: bytes([n * 3 % 256, n]),
}


@pytest.fixture(autouse=True)
def small_row_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups of a few rows."""
    monkeypatch.setattr(output, "ROW_GROUP_ROWS", 4)
    monkeypatch.setattr(batches, "ROW_GROUP_ROWS", 4)


def rows_in(folder: Path) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in pq.read_table(folder).to_pylist()]


def taken_over(folder: Path) -> list[Path]:
    """The files of a folder that were not written, but have a second name."""
    return [path for path in folder.iterdir() if path.stat().st_nlink > 1]


@examples
@given(data=st.data())
def test_day_after_day_the_state_is_that_of_a_dict(
    tmp_path_factory: Any, data: st.DataObject
) -> None:
    kinds = data.draw(st.lists(st.sampled_from(sorted(ORDERED)), min_size=1, max_size=2))
    names = [f"k{place}" for place in range(len(kinds))]
    columns = [*zip(names, kinds, strict=True), ("value", "bigint")]
    numbers = st.tuples(*(st.integers(0, 40) for _ in kinds))
    keys = numbers.map(lambda ns: tuple(ORDERED[k](n) for k, n in zip(kinds, ns, strict=True)))
    state = dict.fromkeys(data.draw(st.lists(keys, min_size=20, max_size=60, unique=True)), 0)
    in_order = sorted(state) if data.draw(st.booleans()) else [*state]
    folder = tmp_path_factory.mktemp("days")
    for part in range(0, len(state), 7):
        rows = [(*k, 0) for k in in_order[part : part + 7]]
        write(folder / "before", f"{part:03}.parquet", columns, rows)
    for day in range(1, 4):
        changes = data.draw(st.dictionaries(keys, st.sampled_from("IUD"), max_size=6))
        limits: dict[str, Any] = {"file_bytes": 600}
        if data.draw(st.booleans()):
            # An earlier change of each key is in staging, too.
            staged = [
                (*k, value, 1, day, 2 * place + value // day)
                for place, k in enumerate(changes)
                for value in (0, day)
            ]
            write(folder / f"staged{day}", "a.parquet", [*columns, *PLACE], staged)
            limits["staged"] = str(folder / f"staged{day}")
            changed = [
                (*k, 1, day, 2 * place + 1, op) for place, (k, op) in enumerate(changes.items())
            ]
            of_changes = [*columns[:-1], *PLACE, OP]
        else:
            changed = [(*k, day, op) for k, op in changes.items()]
            of_changes = [*columns, OP]
        write(folder / "changes", "a.parquet", of_changes, changed[:3])
        write(folder / "changes", "b.parquet", of_changes, changed[3:])
        # In a lake each merge has a folder of its own.
        key_passes._read_once.cache_clear()
        with passes_of(data.draw(PASSES)) as pass_keys:
            limits["pass_keys"] = pass_keys
            arranged = folder / f"arranged{day}"
            arranging = job_of(folder, columns, names, act="arrange", **limits)
            reports_of(replace(arranging, location=str(arranged)))
            limits |= {"arranged": str(arranged) if arranged.exists() else None}
            job = job_of(folder, columns, names, replaced=str(folder / f"old{day}"), **limits)
            counts = total(reports_of(job))
        replaced = [(*k, v) for k, v in state.items() if k in changes]
        before = len(state)
        for key, op in changes.items():
            if op == "D":
                state.pop(key, None)
            else:
                state[key] = day
        assert sorted(rows_in(folder / "after")) == sorted((*k, v) for k, v in state.items())
        assert sorted(rows_in(folder / f"old{day}")) == sorted(replaced)
        assert (counts["rows_found"], counts["rows_written"]) == (before, len(state))
        for path in taken_over(folder / "after"):
            assert not {row[:-1] for row in rows_in(path)} & changes.keys()
        for path in (folder / "before").iterdir():
            path.unlink()
        (folder / "before").rmdir()
        (folder / "after").rename(folder / "before")


@examples
@given(
    kind=st.sampled_from(sorted(ORDERED)),
    changes=st.dictionaries(st.integers(0, 40), st.sampled_from("IUD"), max_size=3),
)
def test_a_file_is_taken_over_only_if_it_holds_no_changed_key_and_if_none_is_near(
    tmp_path_factory: Any, kind: str, changes: dict[int, str]
) -> None:
    values = sorted(map(ORDERED[kind], range(41)))
    folder = tmp_path_factory.mktemp("taken")
    # The keys of a file, and those that come into it: between its own, and up to the next one.
    files = {first: values[first : first + 13 : 2] for first in (0, 14, 28)}
    for first, keys in files.items():
        write(folder / "before", f"{first:02}.parquet", [("id", kind)], [(key,) for key in keys])
    changed = [(values[n], op) for n, op in changes.items()]
    write(folder / "changes", "a.parquet", [("id", kind), OP], changed)
    size = min(path.stat().st_size for path in (folder / "before").iterdir())
    reports_of(job_of(folder, [("id", kind)], ["id"], file_bytes=size))
    taken = [[key for (key,) in rows_in(path)] for path in taken_over(folder / "after")]
    for keys in taken:
        assert not {*keys} & {key for key, _ in changed}
    for first, keys in files.items():
        assert keys in taken or changes.keys() & {*range(first, first + 14)}


def test_a_file_that_is_written_again_while_it_is_taken_over_is_named(tmp_path: Path) -> None:
    for number in (0, 100):
        rows = [(number + n,) for n in range(20)]
        write(tmp_path / "before", f"{number}.parquet", [("id", "bigint")], rows)
    write(tmp_path / "changes", "a.parquet", [("id", "bigint"), OP], [(5, "D")])
    size = (tmp_path / "before/100.parquet").stat().st_size
    tasks = plan_tasks(job := job_of(tmp_path, [("id", "bigint")], ["id"], file_bytes=size))
    (tmp_path / "before/100.parquet").unlink()
    write(tmp_path / "before", "100.parquet", [("id", "bigint")], [(5,)])
    told = [row for task in tasks for some in merge(job, task) for row in some.to_pylist()]
    (named,) = (row["changed_files"] for row in told if row["changed_files"])
    assert "before/100.parquet had" in named


@pytest.mark.parametrize("kind", sorted(ORDERED))
def test_a_change_rewrites_the_file_of_its_range_and_no_other(tmp_path: Path, kind: str) -> None:
    columns = [("id", kind), ("value", "bigint")]
    values = sorted(map(ORDERED[kind], range(40)))
    for part in range(0, 40, 10):
        rows = [(value, 0) for value in values[part : part + 10]]
        write(tmp_path / "before", f"{part}.parquet", columns, rows)
    write(tmp_path / "changes", "a.parquet", [*columns, OP], [(values[15], 1, "U")])
    counts = total(reports_of(job_of(tmp_path, columns, ["id"], file_bytes=2000)))
    assert counts["rows_found"] == counts["rows_written"] == 40
    assert counts["rows_updated"] == 1
    (written,) = {*(tmp_path / "after").iterdir()} - {*taken_over(tmp_path / "after")}
    assert sorted(rows_in(written)) == [
        (value, int(value == values[15])) for value in values[10:20]
    ]


def test_a_new_key_is_written_into_the_file_that_has_those_around_it(
    tmp_path: Path,
) -> None:
    columns = [("id", "bigint")]
    for first in (0, 100, 200):
        write(tmp_path / "before", f"{first}.parquet", columns, [(first + n,) for n in range(20)])
    for new, others in ((-1, range(20)), (99, range(20)), (150, range(100, 120))):
        write(tmp_path / "changes", "a.parquet", [*columns, OP], [(new, "I")])
        key_passes._read_once.cache_clear()
        reports_of(job_of(tmp_path, columns, ["id"], file_bytes=2000))
        (written,) = {*(tmp_path / "after").iterdir()} - {*taken_over(tmp_path / "after")}
        assert {key for (key,) in rows_in(written)} == {new, *others}
        shutil.rmtree(tmp_path / "after")


def test_many_changes_all_over_a_table_are_put_in_order_before_they_are_merged(
    tmp_path: Path,
) -> None:
    columns = [("id", "bigint"), ("text", "string")]
    for first in range(0, 100, 10):
        rows = [(n, "x" * 50) for n in range(first, first + 10)]
        write(tmp_path / "before", f"{first:03}.parquet", columns, rows)
    changed = [(n, "y" * 50, "D" if n % 10 == 0 else "U") for n in range(1, 150, 3)]
    random.Random(1).shuffle(changed)
    write(tmp_path / "changes", "a.parquet", [*columns, OP], changed)
    limits: dict[str, Any] = {"file_bytes": (tmp_path / "before/010.parquet").stat().st_size}
    assert plan_tasks(job_of(tmp_path, columns, ["id"], **limits))[0].cluster is None
    arranging = job_of(tmp_path, columns, ["id"], act="arrange", **limits)
    (report,) = reports_of(replace(arranging, location=str(tmp_path / "arranged")))
    assert report["files"] == ["part-00000.parquet"]
    arranged = [key for key, _ in rows_in(tmp_path / "arranged")]
    assert arranged == sorted(n for n, _, op in changed if op != "D")
    job = job_of(tmp_path, columns, ["id"], arranged=str(tmp_path / "arranged"), **limits)
    assert len([task for task in plan_tasks(job) if task.cluster]) >= 10
    reports_of(job)
    gone = {n for n, *_ in changed}
    assert sorted(rows_in(tmp_path / "after")) == sorted(
        [(n, "x" * 50) for n in range(100) if n not in gone]
        + [(n, text) for n, text, op in changed if op != "D"]
    )
    # Each file has a range of its own, as before.
    files = sorted((tmp_path / "after").iterdir())
    ranges = [(min(rows_in(path))[0], max(rows_in(path))[0]) for path in files]
    assert all(last < first for (_, last), (first, _) in pairwise(ranges))


def test_files_that_no_row_comes_to_share_a_task(tmp_path: Path) -> None:
    columns = [("id", "bigint"), ("text", "string")]
    for first in range(100, 500, 10):
        rows = [(n, "x" * 50) for n in range(first, first + 10)]
        write(tmp_path / "before", f"{first:03}.parquet", columns, rows)
    write(tmp_path / "changes", "a.parquet", [*columns, OP], [(495, "y", "U")])
    job = job_of(
        tmp_path, columns, ["id"], file_bytes=(tmp_path / "before/100.parquet").stat().st_size
    )
    tasks = plan_tasks(job)
    groups = together(tasks)
    assert [len(group) for group in groups] == [1, 16, 16, 7]
    assert sorted(task.number for group in groups for task in group) == [*range(40)]
    assert groups[0] == [tasks[39]]


def test_a_row_without_a_key_is_written_so_that_a_check_can_refuse_it(tmp_path: Path) -> None:
    columns = [("id", "bigint")]
    for first in (0, 100, 200):
        write(tmp_path / "before", f"{first}.parquet", columns, [(first + n,) for n in range(20)])
    write(tmp_path / "changes", "a.parquet", [*columns, OP], [(150, "I"), (None, "I")])
    reports_of(job_of(tmp_path, columns, ["id"], file_bytes=2000))
    assert {None, 150} < {key for (key,) in rows_in(tmp_path / "after")}


def test_a_key_that_comes_twice_is_named_where_rows_are_put_in_order(tmp_path: Path) -> None:
    columns = [("id", "bigint")]
    for first in range(0, 100, 10):
        write(tmp_path / "before", f"{first}.parquet", columns, [(first + n,) for n in range(10)])
    places = [(n, 1, 1, n // 2) for n in range(100)]
    random.Random(1).shuffle(places)
    write(tmp_path / "staged", "a.parquet", [*columns, *PLACE], places)
    changed = [(*place, "U") for place in places]
    write(tmp_path / "changes", "a.parquet", [*columns, *PLACE, OP], changed)
    size = (tmp_path / "before/0.parquet").stat().st_size
    staged = str(tmp_path / "staged")
    job = job_of(tmp_path, columns, ["id"], staged=staged, act="arrange", file_bytes=size)
    with pytest.raises(DmsError, match="E506"):
        reports_of(job)


def test_a_file_in_another_store_or_too_large_for_one_request_is_written_again() -> None:
    for source, target, size, is_copied in (
        ("s3://staging/a", "s3://lake/a", 1, False),
        ("/staging/a", "s3://lake/a", 1, False),
        ("s3://lake/a", "s3a://lake/b", 5_000_000_000, True),
        ("s3://lake/a", "s3://lake/b", 5_000_000_001, False),
        ("/lake/a", "/lake/b", 5_000_000_001, True),
    ):
        assert can_copy(source, target, size) == is_copied


def test_rows_are_added_to_a_table_without_a_key_and_its_large_files_go_on(tmp_path: Path) -> None:
    columns = [("id", "bigint"), ("text", "string")]
    for name, first, count in (("a", 0, 30), ("b", 100, 30), ("c", 200, 2)):
        rows = [(n, "x") for n in range(first, first + count)]
        write(tmp_path / "before", f"{name}.parquet", columns, rows)
    size = (tmp_path / "before/a.parquet").stat().st_size
    write(tmp_path / "changes", "a.parquet", [*columns, OP], [(0, "x", "I"), (7, "y", "I")])
    job = job_of(tmp_path, columns, [], file_bytes=size)
    counts = total(reports_of(job))
    assert (counts["rows_found"], counts["rows_written"]) == (62, 64)
    ids = [*range(30), *range(100, 130), 200, 201, 0, 7]
    assert sorted(id_ for id_, _ in rows_in(tmp_path / "after")) == sorted(ids)
    taken = [{id_ for id_, _ in rows_in(path)} for path in taken_over(tmp_path / "after")]
    assert sorted(map(min, taken)) == [0, 100]
    # What is small is packed with what comes.
    (written,) = {*(tmp_path / "after").iterdir()} - {*taken_over(tmp_path / "after")}
    assert sorted(rows_in(written)) == [(0, "x"), (7, "y"), (200, "x"), (201, "x")]


@pytest.mark.parametrize(("loads", "is_taken"), [([1, 1], [True, True]), ([1, 2], [True, False])])
def test_files_of_a_load_become_those_of_the_first_version_and_of_the_next(
    tmp_path: Path, loads: list[int], is_taken: list[bool]
) -> None:
    columns = [("id", "bigint"), ("text", "string")]
    of_staging = [*columns, ("_dms_is_load", "boolean"), ("_dms_generation", "int")]
    for place, generation in enumerate(loads):
        rows = [(n, "x", True, generation) for n in range(9 * place, 9 * place + 9)]
        write(tmp_path / "before", f"{place}.parquet", of_staging, rows)
    size = (tmp_path / "before/0.parquet").stat().st_size
    write(tmp_path / "changes", "a.parquet", [*columns, OP], [])
    job = job_of(tmp_path, columns, ["id"], load_generations=[1], file_bytes=size)
    counts = total(reports_of(job))
    wanted = [(n, "x") for n in range(9 * loads.count(1))]
    assert [row[:2] for row in rows_in(tmp_path / "after")] == wanted
    assert counts["rows_found"] == counts["rows_written"] == len(wanted)
    files = sorted((tmp_path / "after").iterdir())
    assert [path in taken_over(tmp_path / "after") for path in files] == is_taken
    if not all(is_taken):
        return
    # The next merge takes over what no change touches, too.
    (tmp_path / "after").rename(tmp_path / "next")
    write(tmp_path / "changes", "a.parquet", [*columns, OP], [(12, "y", "U"), (99, "y", "I")])
    key_passes._read_once.cache_clear()
    before = [{"partition": None, "location": str(tmp_path / "next")}]
    reports_of(job_of(tmp_path, columns, ["id"], before, file_bytes=size))
    after = sorted((tmp_path / "after").iterdir())
    assert after[0].samefile(tmp_path / "next/part-00000-000.parquet")
    assert rows_in(after[0]) == [(n, "x", True, 1) for n in range(9)]
    assert "_dms_is_load" not in pq.read_schema(after[-1]).names


def test_a_file_that_is_split_gives_files_with_ranges_of_their_own(tmp_path: Path) -> None:
    columns = [("id", "bigint"), ("text", "string")]
    for first in range(0, 400, 100):
        rows = [(n, f"{n * 7919:020}") for n in range(first, first + 100)]
        write(tmp_path / "before", f"{first}.parquet", columns, rows)
    size = (tmp_path / "before/0.parquet").stat().st_size
    changes = [(n, "y" * 20, "U") for n in range(0, 400, 7)]
    write(tmp_path / "changes", "a.parquet", [*columns, OP], changes)
    # As large that each becomes two.
    reports_of(job_of(tmp_path, columns, ["id"], file_bytes=int(size / 1.8)))
    files = sorted((tmp_path / "after").iterdir())
    assert len(files) > 4
    ranges = [(min(rows_in(path))[0], max(rows_in(path))[0]) for path in files]
    assert all(last < first for (_, last), (first, _) in pairwise(ranges))


def test_files_stay_of_one_size_and_a_day_of_changes_to_recent_keys_costs_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 8000
    monkeypatch.setattr(output, "ROW_GROUP_ROWS", 50)
    monkeypatch.setattr(batches, "ROW_GROUP_ROWS", 50)
    columns = [("id", "bigint"), ("value", "bigint"), ("text", "string")]
    chance = random.Random(7)

    def text() -> str:
        return f"{chance.getrandbits(200):050x}"

    state = {key: (0, text()) for key in range(1000)}
    write(tmp_path / "before", "one.parquet", columns, [(key, *state[key]) for key in state])
    whole = pq.read_table(tmp_path / "before")
    for part in range(0, 1000, 90):
        pq.write_table(whole.slice(part, 90), tmp_path / f"before/{part:03}.parquet")
    (tmp_path / "before/one.parquet").unlink()
    written = []
    for day in range(1, DAYS + 1):
        newest = max(state)
        changes: dict[int, tuple[Any, ...]] = {newest + n: (day, text(), "I") for n in (1, 2)}
        recent = [key for key in state if key > newest - 100]
        changes |= {key: (day, text(), "U") for key in chance.sample(recent, 5)}
        changes[chance.choice(recent)] = (None, None, "D")
        changed = [(key, *values) for key, values in changes.items()]
        write(tmp_path / "changes", "a.parquet", [*columns, OP], changed)
        key_passes._read_once.cache_clear()
        reports_of(job_of(tmp_path, columns, ["id"], file_bytes=size))
        for key, (value, words, op) in changes.items():
            state.pop(key, None)
            if op != "D":
                state[key] = (value, words)
        files = {*(tmp_path / "after").iterdir()}
        written.append(len(files) - len(taken_over(tmp_path / "after")))
        shutil.rmtree(tmp_path / "before")
        (tmp_path / "after").rename(tmp_path / "before")
    found = sorted(rows_in(tmp_path / "before"))
    assert found == sorted((key, *values) for key, values in state.items())
    sizes = [path.stat().st_size for path in (tmp_path / "before").iterdir()]
    assert max(sizes) < 2 * size
    assert len(sizes) < 2 * sum(sizes) / size
    assert max(written) <= 3
