"""Commit times that are later than their files are no UTC."""

import json
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyspark_dms.reading.clocks import clock_finding, minutes_ahead, zone_of
from pyspark_dms.reading.staging import parse_job, plan_groups, stage
from tests.declaration.harness import Macros


def at(text: str | None) -> datetime | None:
    """A time of the 20th of November 2026, UTC."""
    return datetime.fromisoformat(f"2026-11-20T{text}Z") if text else None


@pytest.mark.parametrize(
    ("said", "written", "minutes"),
    [
        ("07:59:58", "08:00:00", 0),
        # Clocks differ by so much, and time zones do not.
        ("08:05:00", "08:00:00", 0),
        ("08:05:01", "08:00:00", 15),
        # The last row is some seconds or minutes older than its file.
        ("09:59:55", "08:00:00", 120),
        ("09:51:00", "08:00:00", 120),
        ("10:00:30", "08:00:00", 120),
        ("13:29:00", "08:00:00", 330),
        ("23:59:00", "09:59:30", 840),
        # No zone is so far ahead: the time is wrong otherwise.
        ("23:59:00", "08:00:00", 0),
        # West of UTC looks like a delay.
        ("03:00:00", "08:00:00", 0),
        (None, "08:00:00", 0),
        ("08:00:00", None, 0),
    ],
)
def test_a_commit_time_is_ahead_by_an_offset_of_a_time_zone(
    said: str | None, written: str | None, minutes: int
) -> None:
    assert minutes_ahead(at(said), at(written)) == minutes


@pytest.mark.parametrize("minutes", [60, 120, 270, 330, 345, 390, 570, 720, 840])
def test_the_zone_that_is_named_has_the_offset(minutes: int) -> None:
    zone = zone_of(minutes)
    assert zone
    for month in (1, 7):
        offset = datetime(2026, month, 1, tzinfo=ZoneInfo(zone)).utcoffset()
        assert offset is not None
        assert offset.total_seconds() == 60 * minutes


def test_where_no_zone_has_the_offset_none_is_named() -> None:
    assert zone_of(15) is None


@pytest.mark.parametrize(
    ("first", "last", "written", "first_change", "minutes", "zone"),
    [
        # A load of an hour, whose changes are written when it is over.
        ("08:00:00", "09:00:00", "09:00:05", "09:01:00", 0, None),
        # The same after a copy into another bucket.
        ("08:00:00", "09:00:00", "23:00:00", "09:01:00", 0, None),
        # All of it two hours ahead.
        ("10:00:00", "11:00:00", "09:00:05", "09:01:00", 120, "Etc/GMT-2"),
        # After a copy, the changes show that it is ahead, and by how much at least.
        ("10:00:00", "11:00:00", "23:00:00", "09:01:00", 60, None),
        # A task begun before the load of another one.
        ("10:00:00", "11:00:00", "11:00:05", "10:01:00", 0, None),
        (None, None, "11:00:05", "10:01:00", None, None),
    ],
)
def test_a_full_load_is_compared_with_its_file_and_with_the_changes_behind_it(
    first: str, last: str, written: str, first_change: str, minutes: int | None, zone: str | None
) -> None:
    found = clock_finding("load", "LOAD1", at(first), at(last), at(written), at(first_change))
    assert (found.minutes if found else None) == minutes
    assert (found.zone if found else None) == zone


# --------------------------------------------------------------------- through staging


def staged(folder: Path, *files: tuple[str, str, str | None, list[str]]) -> list[str]:
    """What staging says of the clocks: kind, time of the file, time of the store, commit times."""
    planned = []
    for number, (kind, name, modified_at, times) in enumerate(files, start=1):
        path = folder / f"{number}.parquet"
        ops = {} if kind == "load" else {"Op": ["I"] * len(times)}
        pq.write_table(pa.table({**ops, "ts": times, "id": [*range(len(times))]}), path)
        written = at(name)
        assert written
        place = number if kind == "load" else int(written.timestamp()) * 10**9
        planned.append({
            "path": str(path), "size": path.stat().st_size, "kind": kind, "etag": "",
            "generation": 1, "file_seq": place, "indexed_at": "2026-11-20 12:00:00.000000",
            "modified_at": modified_at and f"2026-11-20 {modified_at}.000000",
        })  # fmt: skip
    settings = {
        "columns": [["id", "int"]], "primary_keys": ["id"], "op_column": "Op", "csv": {},
        "timestamp_column": "ts", "renamed_from": {}, "transaction_table": None,
    }  # fmt: skip
    given = {
        "location": str(folder / "staged"), "report": str(folder / "report"), "rejects": "",
        "fingerprint": "", "files": planned, "settings": settings,
    }  # fmt: skip
    job = parse_job(json.dumps(given))
    [group] = plan_groups(job.files, job.settings)
    [summary] = [row for batch in stage(job, group) for row in batch.to_pylist()]
    clocks: list[str] = summary["clocks"]
    return clocks


def warning(clocks: list[str], **declared: Any) -> str:
    said: list[str] = []
    Macros(
        stubs={
            "warn_of_table": lambda _, *parts: said.append(". ".join(parts)),
            "run_command": lambda *_, **__: "dbt run",
        }
    ).warn_of_clocks(
        SimpleNamespace(timestamp_timezone="UTC", table_name="people", **declared)
        if not declared
        else SimpleNamespace(table_name="people", **declared),
        clocks,
    )
    return "".join(said)


def test_local_times_of_load_and_changes_are_named_with_the_zone_that_fits(tmp_path: Path) -> None:
    clocks = staged(
        tmp_path,
        ("load", "08:00:00", "08:00:10", ["2026-11-20 10:00:00", "2026-11-20 10:00:05"]),
        ("cdc", "08:30:00", None, ["2026-11-20 10:29:00"]),
        ("cdc", "08:31:00", None, ["2026-11-20 10:30:58"]),
    )
    assert warning(clocks) == (
        "commit times of its changes are 2:00 h ahead of UTC: 3.parquet, of 2026-11-20 08:31:00, "
        "has 2026-11-20 10:30:58. If they are local times, declare timestamp_timezone: Etc/GMT-2 "
        "(or the zone of the source), then: dbt run"
    )
    # Where a zone is declared, it is not the right one.
    assert warning(clocks, timestamp_timezone="Europe/London").endswith(
        "timestamp_timezone is Europe/London: declare the zone of the source."
    )


def test_a_full_load_in_local_time_beside_changes_in_utc_fits_no_zone(tmp_path: Path) -> None:
    clocks = staged(
        tmp_path,
        ("load", "08:00:00", "08:00:10", ["2026-11-20 10:00:00"]),
        ("cdc", "08:30:00", None, ["2026-11-20 08:29:30"]),
    )
    found = warning(clocks)
    assert "of its full load are 2:00 h ahead of UTC: 1.parquet, of 2026-11-20 08:00:10" in found
    assert "Those of its changes differ, so no timestamp_timezone fits both." in found


@pytest.mark.parametrize(("written", "is_warned_of"), [("07:00:05", False), ("12:00:00", True)])
def test_changes_that_were_written_before_the_full_load_say_nothing_of_it(
    tmp_path: Path, written: str, is_warned_of: bool
) -> None:
    # A copied file has the time of the copy, and is behind the load by its name.
    clocks = staged(
        tmp_path,
        ("cdc", "07:00:00", written, ["2026-11-20 06:59:00"]),
        ("load", "13:00:00", "13:00:00", ["2026-11-20 08:00:00"]),
    )
    assert bool(warning(clocks)) is is_warned_of


def test_what_fits_is_not_warned_of(tmp_path: Path) -> None:
    clocks = staged(
        tmp_path,
        ("load", "08:00:00", "08:00:10", ["2026-11-20 08:00:00"]),
        # Committed while the load was under way.
        ("cdc", "08:30:00", None, ["2026-11-20 07:59:00", "2026-11-20 08:29:30"]),
    )
    assert warning(clocks) == ""
    assert warning([]) == ""
