"""What operations do with a table, as macros ask the version log."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from pyspark_dms.landing.index import EVENT_SCHEMA
from pyspark_dms.versions.manifest import Partition
from pyspark_dms.versions.metadata import write_rows
from tests.versions.logged import TABLE, commit, give_up, plan, record, state
from tests.versions.made import day, files, manifest

INDEXED = "20201115T060000000000Z"
DATES = (
    manifest(1, date=13, applied="load a", load_files=files("load")),
    manifest(2, on=1, date=14, applied="b", dates={13: 1, 14: 2}),
    manifest(3, on=2, date=15, applied="c", dates={13: 1, 14: 2, 15: 3}),
)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A lake with three dates of a table; the rows of each version are there."""
    versions = []
    for version in DATES:
        folder = tmp_path / f"rows-of-{version.version}"
        folder.mkdir()
        (folder / "0.parquet").touch()
        partition = Partition(None, str(folder), version.version, ("0.parquet",))
        versions.append(
            replace(version, partitions=(partition,), indexed_through="20201115T060000000000Z")
        )
    commit(tmp_path, *versions)
    record(tmp_path, 1, 2, 3)
    return tmp_path


def test_a_rollback_is_a_version_to_commit_and_what_is_said_of_it(lake: Path) -> None:
    found = plan(lake, "rollback")
    assert (found["commit"]["version"], found["commit"]["restored_version"]) == (4, 2)
    assert found["commit"]["excluded_files"] == [{"path": "c", "etag": "1"}]
    assert found["would"].startswith("hr.people: would go from version 3 to the state of version 2")
    assert found["did"].startswith("hr.people: went from version 3 to the state of version 2")
    # Checked before anything is done, and needed to show it.
    assert [one["version"] for one in found["builds_on"]] == [2]
    assert (found["target"], found["changed_files"]) == (2, None)
    assert (found["finishes"], found["state"]["version"]) == (False, 4)


def test_nothing_is_committed_for_the_state_that_is_there_already(lake: Path) -> None:
    found = plan(lake, "rollback_to", to="3")
    assert (found["commit"], found["did"]) == (
        None, "hr.people: is at the state of version 3 already",
    )  # fmt: skip
    assert plan(lake, "rollback_to", to=day(13))["commit"]["restored_version"] == 1


def test_a_state_whose_folders_are_gone_cannot_be_restored(lake: Path) -> None:
    (lake / "rows-of-2" / "0.parquet").unlink()
    assert "version 2 cannot be restored" in plan(lake, "rollback")["error"]
    assert plan(lake, "rollback")["error"].endswith("[E415]")


def test_files_that_were_changed_by_hand_are_named(lake: Path) -> None:
    (lake / "rows-of-2" / "1.parquet").touch()
    found = plan(lake, "rollback")["changed_files"]
    assert found == f"1 more (1.parquet) in {lake}/rows-of-2"


def test_what_a_dead_command_left_is_finished_and_nothing_else(lake: Path) -> None:
    commit(lake, manifest(4, on=3, date=16, applied="d"))
    found = plan(lake, "rollback")
    assert (found["finishes"], found["commit"]) == (True, None)
    assert "a command died, or is at work, while it published version 4" in found["did"]
    # So is a table that somebody has dropped.
    record(lake, 4)
    assert plan(lake, "rollback", table={"is_shown": False})["finishes"]


@pytest.mark.parametrize(
    ("operation", "arguments", "table", "number"),
    [
        ("rollback", {}, {"layout": "months"}, "E402"),
        ("rollback_to", {"to": "2020-01-01"}, {}, "E413"),
        ("reapply", {}, {}, "E416"),
        ("backfill", {"from_date": day(1), "to_date": "yesterday"}, {}, "E412"),
        ("backfill", {"from_date": day(1), "to_date": day(15)}, {"history": False}, "E418"),
    ],
)
def test_what_cannot_be_done_is_an_error_of_its_table(
    lake: Path, operation: str, arguments: dict[str, Any], table: dict[str, Any], number: str
) -> None:
    assert plan(lake, operation, table=table, **arguments)["error"].endswith(f"[{number}]")


def test_a_table_that_was_never_published_has_nothing_to_go_back_to(tmp_path: Path) -> None:
    assert plan(tmp_path, "rollback")["error"].endswith("Publish with dbt run. [E420]")


def test_a_backfill_makes_the_missing_dates_on_what_was_before_them(lake: Path) -> None:
    found = plan(lake, "backfill", from_date=day(11), to_date=day(15))
    assert (found["dates"], found["doubtful"]) == ([day(11), day(12)], [])
    assert found["would"] == "hr.people: would make the snapshots of 2020-11-11, 2020-11-12"
    none = plan(lake, "backfill", from_date=day(14), to_date=day(15))
    assert (none["dates"], none["did"]) == ([], "hr.people: no date is missing")
    # A date that is there is made again as if it were not.
    again = plan(lake, "backfill_date", date=day(14))
    assert (again["before"], again["built_on"]["version"]) == (day(13), 1)
    assert again["manifest"]["current_version"] == 3
    # What it was built from is known to a backfill of a date before it, too.
    assert again["manifest"]["load_files"] == again["built_on"]["load_files"] != []


def events(lake: Path, **kinds: str) -> None:
    """Write the index: the last event of each file."""
    at = datetime(2020, 11, 16, tzinfo=UTC)
    rows = [
        {
            **TABLE, "path": path, "kind": kind, "file_time": at, "size": 1, "etag": "1",
            "modified_at": at, "generation": 1, "file_seq": 1, "problem": None, "indexed_at": at,
        }
        for path, kind in kinds.items()
    ]  # fmt: skip
    table = pa.Table.from_pylist(rows, schema=EVENT_SCHEMA)
    write_rows(str(lake / "dms_files/all"), EVENT_SCHEMA, [table])


def test_files_are_included_again_if_the_index_still_has_them(lake: Path) -> None:
    undone = replace(
        manifest(4, of=2, date=14, dates={13: 1, 14: 4}, excluded="c"),
        action="rollback", base_version=1, files=DATES[1].files,
    )  # fmt: skip
    commit(lake, undone, manifest(5, on=4, date=16, applied="d", dates={16: 5}, excluded="c"))
    record(lake, 4, 5)
    events(lake, c="cdc")
    found = plan(lake, "reapply")
    assert found["commit"]["included_files"] == [{"path": "c", "etag": "1"}]
    assert "no longer excluded: 1." in found["did"]
    assert "dbt run --vars '{run_date: 2020-11-16}'" in found["did"]
    events(lake, c="missing")
    assert plan(lake, "reapply")["error"].endswith("[E417]")


def test_repair_looks_at_the_folders_of_all_versions(lake: Path) -> None:
    found = plan(lake, "repair")["repair"]
    assert [one["versions"] for one in found["folders"]] == [[1], [2], [3]]
    assert (found["shown"], found["buildable"]) == ([1, 2, 3], [1, 2, 3])


def test_the_versions_are_lines_for_people(lake: Path) -> None:
    lines = plan(lake, "versions", limit=2)["would"].splitlines()
    assert lines[0] == "hr.people (3 versions)"
    assert [line.split()[0] for line in lines[1:]] == ["version", "2", "3"]
    assert lines[-1].endswith("current")


def test_a_number_that_was_given_up_is_not_used_again(lake: Path) -> None:
    give_up(lake, 3)
    found = plan(lake, "rollback")
    # Readers still see it: first they are shown what counts.
    assert (found["finishes"], found["state"]["version"]) == (True, 4)
    with pytest.raises(AssertionError):
        commit(lake, manifest(3, on=2, date=16))
    commit(lake, manifest(4, on=2, date=16, dates={16: 4}))
    record(lake, 4)
    assert plan(lake, "rollback")["commit"]["version"] == 5


def test_what_was_published_before_is_not_known_if_it_was_given_up(lake: Path) -> None:
    commit(lake, manifest(4, on=2, date=16, dates={16: 4}))
    give_up(lake, 3)
    assert plan(lake, "rollback")["finishes"]
    assert state(lake, publishes=True, since_last=True)["before"] is None


def test_repair_learns_first_that_a_date_cannot_be_made_again(tmp_path: Path) -> None:
    of_before = manifest(1, date=13, generation=3)
    refreshed = manifest(2, date=15, dates={13: 1, 15: 2})
    made = manifest(3, on=1, date=14, dates={13: 1, 14: 3, 15: 2}, current_version=2, generation=3)
    commit(tmp_path, of_before, refreshed, made)
    record(tmp_path, 1, 2, 3)
    error = plan(tmp_path, "backfill", dates=[day(14)])["error"]
    assert "the snapshot of 2020-11-14 cannot be made: it would be built on version 1" in error
    assert error.endswith(
        "Nothing was changed. Bring the files of its version back from a copy of the lake. "
        "Another way: docs/how-to/operations.md, Dates are missing. [E423]"
    )


def test_dates_that_repair_makes_again_are_built_on_those_before_all_of_them(lake: Path) -> None:
    found = plan(lake, "backfill", dates=[day(14), day(15)])
    assert (found["dates"], found["doubtful"]) == ([day(14), day(15)], [])
