"""The version log as tables: who writes which rows where; no Spark."""

import shutil
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from pyspark_dms.stores import RefusedObject
from pyspark_dms.versions import derived
from pyspark_dms.versions.metadata import SCHEMAS, read_rows
from tests.versions.logged import LABEL, TABLE, ask, commit, record
from tests.versions.made import day, manifest

CHAIN = tuple(
    manifest(number, on=number - 1 or None, date=12 + number, dates={12 + number: number})
    for number in range(1, 9)
)
VERSIONS, DATES = derived.TABLES


class Shown:
    """The two tables, as a metastore has their partitions."""

    def __init__(self, lake: Path) -> None:
        self.lake = lake
        self.partitions: dict[str, dict[int, str]] = {name: {} for name in derived.TABLES}

    def write(
        self, second: int, shown: Sequence[int] = (), *, again: bool = False
    ) -> dict[str, Any]:
        """What the command that starts in a second says; it shows nothing yet."""
        found: dict[str, Any] = ask(
            self.lake, "derive", run=f"20201231T0600{second:02}000000Z", shown=shown,
            tables={name: str(self.lake / name) for name in derived.TABLES},
            partitions={name: [*numbers] for name, numbers in self.partitions.items()},
            again=again,
        )[""]  # fmt: skip
        return found

    def show(self, answer: dict[str, Any]) -> None:
        for one in answer["partitions"]:
            for name, location in one["locations"].items():
                self.partitions[name][one["since"]] = location

    def derive(self, second: int) -> None:
        self.show(self.write(second))

    def rows(self, table: str) -> list[dict[str, Any]]:
        folders = self.partitions[table].values()
        rows = [read_rows(folder, SCHEMAS[table]) for folder in folders]
        return pa.concat_tables(rows).to_pylist() if rows else []

    def versions(self) -> list[int]:
        return [row["version"] for row in self.rows(VERSIONS)]

    def dates(self) -> list[tuple[int, list[date]]]:
        return [(row["version"], row["dates"]) for row in self.rows(DATES)]


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    return Shown(tmp_path)


def test_before_anything_is_recorded_there_is_nothing_to_show(shown: Shown) -> None:
    commit(shown.lake, CHAIN[0])
    assert shown.write(1) == {"through": 0, "partitions": []}


def test_a_command_adds_its_rows_to_those_that_are_there(shown: Shown) -> None:
    commit(shown.lake, CHAIN[0])
    record(shown.lake, 1, indexed_through="20201113T000000000000Z")
    shown.derive(1)
    record(shown.lake, 1, dates=[day(14)], indexed_through="20201114T000000000000Z")
    commit(shown.lake, CHAIN[1])
    record(shown.lake, 2)
    shown.derive(2)
    assert shown.versions() == [1, 2]
    assert shown.dates() == [(1, []), (1, [date(2020, 11, 14)]), (2, [])]
    assert [row["indexed_through"].day for row in shown.rows(DATES)[:2]] == [13, 14]
    assert [*shown.partitions[VERSIONS]] == [1]
    row = shown.rows(VERSIONS)[1]
    assert (row["table_name"], row["base_version"], row["commit_id"]) == ("people", 1, "run 2")
    assert row["run_date"] == date(2020, 11, 14)


def test_rows_of_a_command_that_died_come_with_the_next_one(shown: Shown) -> None:
    commit(shown.lake, *CHAIN[:4])
    record(shown.lake, 1)
    shown.write(1)
    # It has committed, and not recorded; then another one is built on it.
    record(shown.lake, 3)
    shown.derive(2)
    assert shown.versions() == [1, 2, 3]
    # Version 4 belongs to a command that is still at work.
    record(shown.lake, 4)
    shown.derive(3)
    assert shown.versions() == [1, 2, 3, 4]


def test_a_version_that_was_given_up_has_no_row(shown: Shown) -> None:
    commit(shown.lake, *CHAIN[:2])
    (path,) = (shown.lake / "version_log/hr.people").glob("*-v2.json")
    path.rename(path.with_suffix(".lost"))
    commit(shown.lake, manifest(3, on=1, date=15))
    record(shown.lake, 1, 3)
    shown.derive(1)
    assert shown.versions() == [1, 3]


def test_a_partition_has_the_rows_of_so_many_commands(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived, "COMMANDS", 3)
    for number, one in enumerate(CHAIN, start=1):
        commit(shown.lake, one)
        record(shown.lake, number)
        # Some record tests only, and write no rows.
        if number not in (3, 4):
            shown.derive(number)
    assert [*shown.partitions[VERSIONS]] == [*shown.partitions[DATES]] == [1, 4, 7]
    assert shown.versions() == [*range(1, 9)]
    assert len(shown.dates()) == 8
    assert [row["version"] for row in shown.rows(VERSIONS)[3:6]] == [4, 5, 6]


def test_two_commands_at_once_double_no_row_and_hide_none(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived, "COMMANDS", 2)
    commit(shown.lake, *CHAIN[:4])
    record(shown.lake, 1)
    slow = shown.write(1)
    for number in (2, 3, 4):
        record(shown.lake, number)
        shown.derive(number)
    assert [*shown.partitions[VERSIONS]] == [1, 3]
    # It dies after that, and the next command shows the rows again.
    shown.show(slow)
    assert shown.versions() == [1, 3, 4]
    shown.derive(5)
    assert shown.versions() == [1, 2, 3, 4]
    monkeypatch.setattr(derived, "_SHOWN_AGAIN", 0)
    shown.show(slow)
    # It lives, sees that another one has recorded something, and writes again.
    assert ask(shown.lake, "recorded")[""]["number"] != slow["through"]
    shown.show(shown.write(5, shown=[1]))
    assert shown.versions() == [1, 2, 3, 4]


@pytest.mark.parametrize("lost", derived.TABLES)
def test_a_table_that_was_lost_is_made_again(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    monkeypatch.setattr(derived, "COMMANDS", 2)
    monkeypatch.setattr(derived, "_AT_ONCE", 1)
    for number, one in enumerate(CHAIN[:5], start=1):
        commit(shown.lake, one)
        record(shown.lake, number, dates=[day(12 + number)])
        shown.derive(number)
    before = [shown.rows(name) for name in derived.TABLES]
    shown.partitions[lost] = {}
    shown.derive(6)
    assert [shown.rows(name) for name in derived.TABLES] == before


def test_rows_that_are_gone_are_written_again(shown: Shown) -> None:
    commit(shown.lake, *CHAIN[:2])
    for number in (1, 2):
        record(shown.lake, number)
        shown.derive(number)
    shutil.rmtree(shown.partitions[DATES][1])
    shown.derive(3)
    assert shown.versions() == [1, 2]
    assert shown.dates() == [(1, []), (2, [])]
    assert [row["version"] for row in shown.rows(VERSIONS)] == [1, 2]
    shown.show(shown.write(4, again=True))
    assert shown.partitions[VERSIONS][1].endswith("since_command=1/20201231T060004000000Z-2")


def test_a_table_whose_object_the_store_refuses_is_not_left_out(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(shown.lake, CHAIN[0])
    record(shown.lake, 1)
    refusal = RefusedObject("E710", "a is refused: 503")
    monkeypatch.setattr("pyspark_dms.versions.log.read", lambda root, wanted: {LABEL: refusal})
    with pytest.raises(RefusedObject):
        shown.write(1)
    monkeypatch.undo()
    shown.derive(2)
    assert shown.versions() == [1]


def test_a_manifest_of_wrong_types_costs_its_own_rows_only(shown: Shown) -> None:
    commit(shown.lake, CHAIN[0])
    other = {**TABLE, **CHAIN[0].to_json(), "table_name": "cities", "generation": "one"}
    ask(shown.lake, "commit", manifest=other, token="one")
    record(shown.lake, 1)
    row = {**TABLE, "table_name": "cities", "version": 1}
    ask(shown.lake, "record", run="r", published=[row], passed=[])
    shown.derive(1)
    assert [row["table_name"] for row in shown.rows(VERSIONS)] == ["people"]


def test_what_a_table_was_tested_with_is_what_readers_see(tmp_path: Path) -> None:
    assert ask(tmp_path, "tested", tables=None) == {}
    commit(tmp_path, *CHAIN[:2])
    record(tmp_path, 1)
    row = {**TABLE, "version": 1, "indexed_at": None, "test": "keys"}
    ask(tmp_path, "record", run="t", published=[], passed=[row])
    said = ask(tmp_path, "tested", tables=None)["hr.people"]
    assert (said["newest"], said["published"], said["passed"]) == (2, 1, ["keys"])
    assert (said["current"]["version"], said["current"]["run_date"]) == (2, day(14))
    assert said["current"]["newest_date"] == day(14)
    record(tmp_path, 2, dates=[day(15), day(16)])
    said = ask(tmp_path, "tested", tables=["hr.people"])["hr.people"]["current"]
    assert (said["run_date"], said["newest_date"]) == (day(14), day(16))
    assert ask(tmp_path, "tested", tables=["hr.cities"]) == {"hr.cities": {}}
