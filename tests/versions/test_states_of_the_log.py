"""Where a table stands, as macros ask the version log."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pyspark_dms.errors import DmsError
from pyspark_dms.versions.lineage import counting
from pyspark_dms.versions.log import create
from pyspark_dms.versions.manifest import ShownDate
from pyspark_dms.versions.numbered import Outcome
from pyspark_dms.versions.read_state import LoggedVersions, logged_versions
from tests.versions.logged import LABEL, TABLE, ask, commit, give_up, plan, record, state
from tests.versions.made import day, files, manifest

DATES = (
    manifest(1, date=13, applied="load a"),
    manifest(2, on=1, date=14, applied="b", dates={13: 1, 14: 2}),
    manifest(3, on=2, date=15, applied="c", dates={13: 1, 14: 2, 15: 3}),
)


def test_a_table_without_versions_has_nothing(tmp_path: Path) -> None:
    assert state(tmp_path) == {"newest": None, "current": None, "base": None, "dates": {}}


def test_a_state_has_whole_manifests_and_what_each_date_shows(tmp_path: Path) -> None:
    commit(tmp_path, *DATES)
    record(tmp_path, 1, 2)
    record(tmp_path, 3, dates=[day(16)], indexed_through="through 16")
    found = state(tmp_path, base=2)
    assert [found[name]["version"] for name in ("newest", "current", "base")] == [3, 3, 2]
    # Who has committed it, and what its unchanged dates have looked at of the index.
    assert found["newest"]["commit_id"] == "run 3"
    assert found["current"]["indexed_through"] == "through 16"
    assert found["dates"] == {day(13): 1, day(14): 2, day(15): 3, day(16): 3}
    assert "partitions" not in found


def test_what_is_published_has_the_partitions_of_the_dates_that_differ(tmp_path: Path) -> None:
    commit(tmp_path, *DATES)
    record(tmp_path, 1, 2)
    found = state(tmp_path, publishes=True, since_last=True)
    assert found["before"]["dates"] == {day(13): 1, day(14): 2}
    assert [*found["partitions"]] == ["3"]
    assert [*state(tmp_path, publishes=True)["partitions"]] == ["1", "2", "3"]
    # Of an earlier version, as a command sees it that was overtaken.
    assert state(tmp_path, number=2)["dates"] == {day(13): 1, day(14): 2}


def test_a_date_that_a_run_recorded_meanwhile_is_recorded_of_a_copy(tmp_path: Path) -> None:
    copy = replace(
        DATES[2], version=4, action="vacuum", current_version=4, restored_version=3,
        dates=tuple(ShownDate(day(one), one - 12) for one in (13, 14, 15)),
    )  # fmt: skip
    commit(tmp_path, *DATES, copy)
    record(tmp_path, 1, 2)
    record(tmp_path, 3, dates=[day(16)], indexed_through="through 16")
    found = state(tmp_path)
    assert found["dates"][day(16)] == 4
    assert found["record"] == {
        "version": 4, "dates": [day(16)], "indexed_from": None, "indexed_through": "through 16",
    }  # fmt: skip


def published(lake: Path, number: int, *dates: int) -> dict[str, Any]:
    """Record a version, of which readers see these dates."""
    found: dict[str, Any] = ask(
        lake, "published", run="r", number=number, dates=[*map(day, dates)], **TABLE
    )[LABEL]
    return found


def test_who_commits_to_publish_is_told_what_readers_are_to_see(tmp_path: Path) -> None:
    commit(tmp_path, *DATES[:2])
    record(tmp_path, 1, 2)
    job = {"manifest": {**TABLE, **DATES[2].to_json()}, "token": "run 3", "publishes": True}
    found = ask(tmp_path, "commit", **job)[LABEL]
    assert found["outcome"] == "created"
    assert found["state"] == state(tmp_path, number=3, publishes=True, since_last=True)
    assert ask(tmp_path, "commit", **job)[LABEL] == found
    taken = ask(tmp_path, "commit", **{**job, "token": "another"})[LABEL]
    assert taken == {"outcome": "taken"}


def test_what_is_published_is_recorded_and_a_newer_version_is_told(tmp_path: Path) -> None:
    commit(tmp_path, *DATES)
    record(tmp_path, 1)
    assert published(tmp_path, 2, 13, 14) == {"newest": 3}
    assert state(tmp_path, publishes=True, since_last=True)["before"]["newest"]["version"] == 2


def test_nothing_is_recorded_before_a_date_that_came_meanwhile_is_published(
    tmp_path: Path,
) -> None:
    commit(tmp_path, *DATES)
    record(tmp_path, 1, 2)
    record(tmp_path, 3, dates=[day(16)])
    found = published(tmp_path, 3, 13, 14, 15)["state"]
    assert found == state(tmp_path, number=3, publishes=True)
    assert found["dates"][day(16)] == 3
    # Whatever readers see now.
    assert [*found["partitions"]] == ["1", "2", "3"]
    assert published(tmp_path, 3, 13, 14, 15, 16) == {"newest": 3}


def test_a_damaged_manifest_is_named(tmp_path: Path) -> None:
    commit(tmp_path, *DATES)
    (path,) = (tmp_path / "version_log" / LABEL).glob("*-v3.json")
    path.write_text(path.read_text().replace('"generation":1', '"generation":"one"'))
    error = state(tmp_path)["error"]
    assert error.startswith(f"{LABEL}: {path} is damaged (generation is 'one'")
    assert error.endswith("[E425]")


def test_versions_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    commit(tmp_path, *DATES)
    folder = tmp_path / "version_log" / LABEL
    (lost,) = folder.glob("*-v2.json")
    lost.rename(lost.with_suffix(".lost"))
    versions = logged_versions(str(tmp_path / "version_log"), LABEL)
    assert (versions.newest, [*versions]) == (3, [1, 3])
    assert 2 not in versions
    assert versions[3].files == DATES[2].files
    with pytest.raises(DmsError, match="number 2 was given up"):
        versions[2]
    with pytest.raises(KeyError):
        versions[4]


def test_a_state_says_what_the_next_version_has_of_it(tmp_path: Path) -> None:
    last = replace(DATES[2], excluded_files=files("x"), included_files=files("y"))
    commit(tmp_path, *DATES[:2], last)
    coming = {
        "run_date": day(16), "version": 4, "layout": "dates", "history": True, "change_feed": True,
    }  # fmt: skip
    found = state(tmp_path, base=2, next=coming)
    every = [{"run_date": day(12 + number), "version": number} for number in (1, 2, 3, 4)]
    assert found["next"] == {
        "dates": every, "feed_dates": every,
        "excluded_files": [{"path": "x", "etag": "1"}],
        "included_files": [{"path": "y", "etag": "1"}],
    }  # fmt: skip
    # What the version of the date is built on; else what the newest date before it shows.
    assert found["feed_base"]["version"] == 2
    rebuilt = state(tmp_path, next={**coming, "run_date": day(15)})
    assert [one["version"] for one in rebuilt["next"]["dates"]] == [1, 2, 4]
    assert (rebuilt["feed_base"]["version"], len(rebuilt["feed_base"]["partitions"])) == (2, 1)
    without_feed = state(tmp_path, next={**coming, "change_feed": False})
    assert (without_feed["next"]["feed_dates"], without_feed["feed_base"]) == (None, None)


@pytest.mark.parametrize("differing", [{"history": False}, {"layout": "months"}])
def test_without_history_or_in_another_layout_only_its_own_date_is_shown(
    tmp_path: Path, differing: dict[str, Any]
) -> None:
    commit(tmp_path, *DATES)
    coming = {
        "run_date": day(16), "version": 4, "layout": "dates", "history": True, "change_feed": False,
    }  # fmt: skip
    found = state(tmp_path, next={**coming, **differing})["next"]
    assert found["dates"] == [{"run_date": day(16), "version": 4}]


def long_log(lake: Path, count: int = 100) -> LoggedVersions:
    """A table with many versions, none of which is read yet."""
    root = str(lake / "version_log")
    for number in range(1, count + 1):
        own = manifest(number, on=number - 1 or None, date=13)
        assert create(root, {**TABLE, **own.to_json()}, "t") is Outcome.CREATED
    return logged_versions(root, LABEL)


def test_versions_that_are_walked_are_read_side_by_side(
    tmp_path: Path, at_once: list[int], asked: list[str]
) -> None:
    versions = long_log(tmp_path)
    asked.clear()
    at_once.clear()
    # From the newest to the first, whether they are asked for or only whether they count.
    assert all(number in versions.read_with() for number in range(100, 0, -1))
    assert (at_once, len(asked)) == ([16, 16, 16, 16, 16, 16, 4], 101)
    again = logged_versions(str(tmp_path / "version_log"), LABEL)
    at_once.clear()
    assert [again.read_with()[number].version for number in (100, 99, 84, 83)]
    assert at_once == [16, 16]
    at_once.clear()
    assert len([*logged_versions(str(tmp_path / "version_log"), LABEL).read_with()]) == 100
    assert at_once == [16, 16, 16, 16, 16, 16, 4]


def test_which_of_some_versions_count_is_asked_from_the_newest(
    tmp_path: Path, at_once: list[int]
) -> None:
    versions = long_log(tmp_path, 40)
    give_up(tmp_path, 2, 30)
    at_once.clear()
    assert counting(versions.read_with(), range(1, 43)) == {*range(1, 41)} - {2, 30}
    assert at_once == [16, 16, 8]


def test_the_lines_of_the_versions_read_no_older_ones(tmp_path: Path, asked: list[str]) -> None:
    long_log(tmp_path)
    record(tmp_path, *range(1, 101))
    give_up(tmp_path, 99)
    asked.clear()
    lines = plan(tmp_path, "versions", limit=20)["would"].splitlines()
    assert lines[0] == "hr.people (100 versions)"
    assert [int(line.split()[0]) for line in lines[2:]] == [*range(80, 99), 100]
    assert sum("-v" in one for one in asked) <= 35
