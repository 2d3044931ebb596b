"""What commands recorded: as one list of all records would say it, in two objects."""

import json
import random
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyspark_dms.errors import DmsError
from pyspark_dms.versions import recorded
from pyspark_dms.versions.numbered import CHECKPOINT, checkpoint_of, object_name
from pyspark_dms.versions.recorded import Records, fold, record

DAYS = [f"{date(2020, 11, 13) + timedelta(days=number)}" for number in range(400)]
# The second object that says all, behind the first.
WHOLE = next(number for number in range(2, 60) if checkpoint_of(recorded.FOLDER, number) == number)
LABELS = ("hr.people", "hr.teams")


def row(label: str, version: int, **more: Any) -> dict[str, Any]:
    source_name, _, table_name = label.partition(".")
    return {"source_name": source_name, "table_name": table_name, "version": version, **more}


def random_records(seed: int, count: int) -> list[tuple[list[Any], list[Any]]]:
    """What some commands record: rows of published versions, and of passed tests."""
    chosen = random.Random(seed)
    records = []
    for number in range(count):
        published, passed = [], []
        for label in LABELS:
            version = max(number // 3 + chosen.randint(-3, 1), 1)
            dates = chosen.sample(DAYS[number : number + 4], chosen.randint(0, 3))
            seen = f"seen by {number}" if chosen.random() < 0.7 else None
            published.append(
                row(label, version, dates=dates, indexed_from=seen, indexed_through=seen)
            )
            test = f"test {chosen.randint(0, 3)}"
            passed.append(row(label, version, test=test, indexed_at=f"{seen}"))
        records.append((published, passed))
    return records


def plain(records: list[tuple[list[Any], list[Any]]]) -> tuple[Any, Any]:
    """The same by the rules, one record after the other: versions and tests of `LABELS`."""
    versions: dict[str, dict[int, Any]] = {label: {} for label in LABELS}
    tests: dict[str, dict[str, Any]] = {label: {} for label in LABELS}
    last: dict[Any, str] = {}
    for published, passed in records:
        for of in published:
            label, version = f"{of['source_name']}.{of['table_name']}", of["version"]
            known = versions[label].setdefault(
                version, {"dates": [], "indexed_from": None, "indexed_through": None}
            )
            known["dates"] = sorted({*known["dates"], *of["dates"]})
            day = max(of["dates"], default="")
            if of["indexed_through"] and last.get((label, version), "") <= day:
                last[label, version] = day
                known |= {name: of[name] for name in ("indexed_from", "indexed_through")}
        for of in passed:
            label, test = f"{of['source_name']}.{of['table_name']}", of["test"]
            tests[label][test] = max(
                [of["version"], of["indexed_at"]],
                tests[label].get(test, [0, ""]),
                key=itemgetter(0),
            )
    for of_table in tests.values():
        newest = max((version for version, _ in of_table.values()), default=0)
        for test in [test for test, (version, _) in of_table.items() if version < newest]:
            del of_table[test]
    return versions, tests


def check_same(found: Records, records: list[tuple[list[Any], list[Any]]]) -> None:
    versions, tests = plain(records)
    for label in LABELS:
        assert found.versions(label) == dict(sorted(versions[label].items()))
        shown = [of["version"] for published, _ in records for of in published
                 if f"{of['source_name']}.{of['table_name']}" == label]  # fmt: skip
        assert found.last(label) == (shown[-1] if shown else 0)
        for version, indexed_at in tests[label].values():
            expected = [test for test, on in tests[label].items() if on == [version, indexed_at]]
            assert found.passed(label, version, indexed_at) == sorted(expected)


@pytest.mark.parametrize("seed", range(3))
def test_what_was_recorded_comes_back(tmp_path: Path, seed: int) -> None:
    records = random_records(seed, 2 * CHECKPOINT + 3)
    for number, (published, passed) in enumerate(records, 1):
        assert record(str(tmp_path), "run", published, passed) == number
        if number in (1, 2, WHOLE - 1, WHOLE, WHOLE + 1, WHOLE + 31, WHOLE + 32):
            check_same(recorded.read(str(tmp_path)), records[:number])
    found = recorded.read(str(tmp_path))
    assert found.number == len(records)
    check_same(found, records)


@given(st.integers(0, 1_000_000), st.integers(0, 20), st.integers(0, 20))
def test_records_may_be_folded_in_any_groups(seed: int, first: int, second: int) -> None:
    records = [
        one
        for published, passed in random_records(seed, 20)
        for one in (*map(recorded._of_published, published), *map(recorded._of_passed, passed))
    ]
    start, stop = sorted((first, second))
    groups = (records[:start], records[start:stop], records[stop:])
    expected = fold(records)
    assert fold(map(fold, groups)) == expected
    assert fold([fold(groups[0]), fold(map(fold, groups[1:]))]) == expected
    assert fold([expected, {}]) == expected == json.loads(json.dumps(expected))


def test_commands_at_once_record_all(tmp_path: Path) -> None:
    def write(number: int) -> int | None:
        return record(str(tmp_path), "run", [row("hr.people", number, dates=[DAYS[number]])])

    with ThreadPoolExecutor(16) as commands:
        numbers = [*commands.map(write, range(1, 71))]
    assert sorted(number or 0 for number in numbers) == [*range(1, 71)]
    found = recorded.read(str(tmp_path)).versions("hr.people")
    assert {version: of["dates"] for version, of in found.items()} == {
        number: [DAYS[number]] for number in range(1, 71)
    }


def test_nothing_is_recorded_of_nothing(tmp_path: Path) -> None:
    assert record(str(tmp_path), "run") is None
    assert recorded.read(str(tmp_path)) == Records()
    assert [*tmp_path.iterdir()] == []


def test_many_unchanged_dates_are_small(tmp_path: Path) -> None:
    for day in DAYS[: 3 * CHECKPOINT]:
        record(str(tmp_path), "run", [row("hr.people", 1, dates=[day])])
    [newest, *_] = sorted((tmp_path / recorded.FOLDER).iterdir())
    assert newest.stat().st_size < 300
    assert recorded.read(str(tmp_path)).version("hr.people", 1)["dates"] == DAYS[: 3 * CHECKPOINT]


@pytest.mark.parametrize("age", [5, 100])
def test_recording_and_reading_cost_the_same_at_any_age(
    tmp_path: Path, asked: list[str], age: int
) -> None:
    for number in range(age):
        record(str(tmp_path), "run", [row("hr.people", number + 1)])
    asked.clear()
    recorded.read(str(tmp_path))
    assert len(asked) == 3
    asked.clear()
    record(str(tmp_path), "run", [row("hr.people", 1)])
    assert len(asked) == 3


@pytest.mark.parametrize("number", [1, 5, WHOLE, WHOLE + 1, 40])
def test_a_record_that_is_given_up_is_missing_and_no_other(tmp_path: Path, number: int) -> None:
    def write(count: int) -> None:
        for one in range(count):
            record(str(tmp_path), "run", [row("hr.people", 1, dates=[DAYS[one]])])

    write(40)
    path = tmp_path / recorded.FOLDER / object_name(number)
    path.write_text(path.read_text()[:-10])
    if number in (WHOLE, 40):
        with pytest.raises(DmsError, match=rf"v{number}.json was cut.*\[E425\]") as problem:
            recorded.read(str(tmp_path))
        source, target = str(problem.value).split(": mv ")[1].split(" [")[0].split()
        Path(source).rename(target)
    assert recorded.read(str(tmp_path)).number == 40
    dates = recorded.read(str(tmp_path)).version("hr.people", 1)["dates"]
    lost = {WHOLE: WHOLE - 1, 40: 39}.get(number)
    assert dates == [day for place, day in enumerate(DAYS[:40]) if place != lost]
    assert record(str(tmp_path), "run", [row("hr.people", 1, dates=[DAYS[300]])]) == 41
    assert len(recorded.read(str(tmp_path)).version("hr.people", 1)["dates"]) == len(dates) + 1


def test_an_object_without_records_is_damaged(tmp_path: Path) -> None:
    record(str(tmp_path), "run", [row("hr.people", 1)])
    path = tmp_path / recorded.FOLDER / object_name(1)
    content: Mapping[str, Any] = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "tables": None}))
    with pytest.raises(DmsError, match=r"v1.json is damaged \(tables\).*\[E425\]"):
        recorded.read(str(tmp_path))
