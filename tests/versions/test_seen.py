"""What readers see of tables under their dates."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.versions.manifest import Manifest
from pyspark_dms.versions.published import PublishedVersion, asked_versions, newest_versions
from tests.versions.logged import LABEL, ask, commit, give_up, record
from tests.versions.made import day, manifest

CHAIN = tuple(
    manifest(
        one,
        on=one - 1 or None,
        date=12 + one,
        dates={12 + date: date for date in range(1, one + 1)},
    )
    for one in range(1, 4)
)


def seen(lake: Path, until: str | None = None, limit: int | None = None) -> dict[str, Any]:
    found: dict[str, Any] = ask(lake, "seen", until=until, limit=limit).get(LABEL, {})
    return found


def published(lake: Path, *versions: Manifest) -> None:
    for version in versions:
        commit(lake, version)
        record(lake, version.version)


def test_before_the_first_version_nothing_is_seen(tmp_path: Path) -> None:
    assert ask(tmp_path, "seen", until=None, limit=None) == {}


def test_an_unchanged_date_shows_the_current_version(tmp_path: Path) -> None:
    published(tmp_path, *CHAIN[:2])
    record(tmp_path, 2, dates=[day(15)])
    found = seen(tmp_path, limit=2)
    assert (found["date"], found["version"]["version"]) == (day(15), 2)
    assert found["dates"] == {day(13): 1, day(14): 2, day(15): 2}
    assert found["newest"] == [2]


@pytest.mark.parametrize(
    ("until", "date", "version"),
    [(None, day(15), 3), (day(14), day(14), 2), (day(13), day(13), 1)],
)
def test_the_newest_date_up_to_one_counts(
    tmp_path: Path, until: str | None, date: str, version: int
) -> None:
    published(tmp_path, *CHAIN)
    found = seen(tmp_path, until)
    assert (found["date"], found["version"]["version"]) == (date, version)
    assert "dates" not in found


def test_nothing_is_seen_before_the_first_date(tmp_path: Path) -> None:
    published(tmp_path, *CHAIN)
    assert seen(tmp_path, day(12)) == {}


def test_what_is_not_published_whole_is_not_seen(tmp_path: Path) -> None:
    published(tmp_path, *CHAIN[:2])
    commit(tmp_path, CHAIN[2])
    assert seen(tmp_path)["date"] == day(14)


def test_after_a_rollback_a_date_shows_an_older_version(tmp_path: Path) -> None:
    undone = manifest(4, of=1, date=13, dates={13: 1})
    published(tmp_path, *CHAIN, undone)
    found = seen(tmp_path, limit=9)
    assert (found["date"], found["version"]["version"], found["newest"]) == (day(13), 1, [1])


def test_a_date_whose_version_was_given_up_is_not_the_newest(tmp_path: Path) -> None:
    published(tmp_path, *CHAIN[:2], manifest(3, of=1, date=13, dates={13: 1, 14: 2}))
    give_up(tmp_path, 2)
    assert seen(tmp_path)["date"] == day(13)


def test_what_is_seen_costs_the_same_at_every_age(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    read_object = stores.read_object

    def count(path: str) -> Any:
        reads.append(path)
        return read_object(path)

    monkeypatch.setattr(stores, "read_object", count)
    counts = []
    for age in (30, 300):
        lake = tmp_path / str(age)
        dates = dict.fromkeys(range(10, 29), 1)
        published(lake, *(manifest(one, on=one - 1 or None, dates=dates) for one in range(1, age)))
        reads.clear()
        seen(lake, limit=10)
        counts.append(len(reads))
    assert counts == [4, 4]


class Asked:
    """Stands for dbt, which asks the version log of a lake."""

    def __init__(self, lake: Path) -> None:
        self.lake = lake

    def call(self, macro: str, until: str | None) -> Any:
        assert macro == "print_seen"
        return ask(self.lake, "seen", until=until, limit=None)


def counts(lake: Path, run_date: str | None = None, tables: Sequence[str] = ()) -> list[object]:
    versions: list[PublishedVersion] = newest_versions(Asked(lake), run_date, tables)  # type: ignore[arg-type]
    return [
        (one.run_date, one.action, one.rows_before, one.rows_inserted, one.rows_after)
        for one in versions
    ]


@pytest.mark.parametrize(
    ("date", "expected"),
    [(14, ("merge", 1, 3, 2)), (15, ("unchanged", 2, 0, 2))],
)
def test_of_an_unchanged_date_nothing_was_inserted(
    tmp_path: Path, date: int, expected: tuple[object, ...]
) -> None:
    merged = manifest(
        2, on=1, date=14, dates={13: 1, 14: 2}, rows_before=1, rows_inserted=3, rows_deleted=2
    )
    published(tmp_path, CHAIN[0], merged)
    record(tmp_path, 2, dates=[day(15)])
    assert counts(tmp_path, day(date)) == [(day(date), *expected)]


@pytest.mark.parametrize("name", ["hr.people", "people", "people_snapshot"])
def test_a_table_has_three_names(tmp_path: Path, name: str) -> None:
    published(tmp_path, CHAIN[0])
    assert len(counts(tmp_path, tables=[name])) == 1


@pytest.mark.parametrize(
    ("run_date", "tables", "message"),
    [
        (None, ["hr.poeple"], "hr.poeple is not published. There are: hr.people"),
        (day(13), ["a"], f"a is not published up to {day(13)}. There are: hr.people"),
        (day(12), ["hr.people"], f"Nothing is published up to {day(12)}. Publish with: dbt run"),
    ],
)
def test_what_is_not_published_is_an_error(
    tmp_path: Path, run_date: str | None, tables: list[str], message: str
) -> None:
    published(tmp_path, CHAIN[0])
    with pytest.raises(DmsError) as caught:
        asked_versions(Asked(tmp_path), run_date, tables)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


def test_a_damaged_log_is_an_error_of_its_table_only(tmp_path: Path) -> None:
    published(tmp_path, CHAIN[0])
    other = {**CHAIN[0].to_json(), "source_name": "hr", "table_name": "cities"}
    ask(tmp_path, "commit", manifest=other, token="one")
    row = {"source_name": "hr", "table_name": "cities", "version": 1}
    ask(tmp_path, "record", run="r", published=[row], passed=[])
    (path,) = (tmp_path / "version_log" / "hr.cities").iterdir()
    path.write_text("{")
    assert len(counts(tmp_path, tables=["hr.people"])) == 1
    with pytest.raises(DmsError, match=r"hr\.cities: .* was cut, or is no JSON"):
        counts(tmp_path)
