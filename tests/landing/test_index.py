"""What a run writes to the index, on a folder of this machine; no Spark."""

import json
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pyspark_dms.landing.index import EVENT_SCHEMA, index, parse_job
from pyspark_dms.release import RELEASE
from pyspark_dms.versions import recorded
from pyspark_dms.versions.manifest import FileRef
from pyspark_dms.versions.metadata import arrow_table, read_rows, with_files
from tests.versions import logged
from tests.versions.made import manifest

STARTED = datetime(2020, 11, 14, 1)


def run_name(number: int) -> str:
    return f"{STARTED + timedelta(hours=number):%Y%m%dT%H%M%S%fZ}"


def entry(folder: Path, **values: Any) -> dict[str, Any]:
    """What the macro landing_tables says of a table that was never published."""
    return {
        "label": "hr.people", "source_name": "hr", "table_name": "people", "path": f"{folder}/",
        "transaction_path": None, "timezone": "UTC", "cdc_start_date": None,
        "on_missing_files": "warn", "full_refresh": False, "run_command": "dbt run",
        "rebuild_command": "dbt run --full-refresh", "newest": None, "current": None, "base": None,
        "load_files": [], "excluded": [], "included": [], **values,
    }  # fmt: skip


def run_index(
    lake: Path,
    number: int,
    partitions: list[str],
    tables: list[dict[str, Any]],
    version_log: Path | None = None,
    late_file_days: int | None = None,
) -> dict[str, Any]:
    """Index once; the plan of each table by its label, and under "" what was added."""
    job = {
        "release": RELEASE, "run_date": "2020-11-14", "run": run_name(number),
        "tables": tables,
        "files": {"root": str(lake / "files"), "partitions": partitions},
        "version_log": version_log and str(version_log), "late_file_days": late_file_days,
    }  # fmt: skip
    rows = index(parse_job(json.dumps(job))).to_pylist()
    return {row["label"]: json.loads(row["plan"]) for row in rows}


def write_changes(folder: Path, number: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"20201114-{number:06d}000.parquet").write_bytes(b"x" * number)


def test_late_file_days_lists_behind_the_last_file_that_is_so_much_older(tmp_path: Path) -> None:
    folder = tmp_path / "dms"
    folder.mkdir()
    names = [f"202011{day}-100000000.parquet" for day in (10, 12, 14)]
    for name in names:
        (folder / name).write_bytes(b"x")
    partition = f"2020-11-14/{run_name(0)}"
    assert run_index(tmp_path, 0, [], [entry(folder)])[""]["added"] == 3
    # Behind none of all: the two that are gone are missed, and a file of the 9th is seen.
    for name in (f"202011{day}-100000000.parquet" for day in (10, 12)):
        (folder / name).unlink()
    (folder / "20201109-100000000.parquet").write_bytes(b"x")
    (folder / "20201113-100000000.parquet").write_bytes(b"x")
    again = {
        days: run_index(tmp_path, 1, [partition], [entry(folder)], late_file_days=days)[""]["added"]
        for days in (2, 1, None)
    }
    # Behind the 10th the 12th is missed; behind the 12th nothing is; the 13th is new to both.
    assert again == {2: 2, 1: 1, None: 4}


def test_a_run_without_new_files_writes_no_partition(tmp_path: Path) -> None:
    write_changes(tmp_path / "dms", 1)
    first = run_index(tmp_path, 0, [], [entry(tmp_path / "dms")])
    assert first[""] == {"added": 1, "replaced": []}
    partition = f"2020-11-14/{run_name(0)}"
    second = run_index(tmp_path, 1, [partition], [entry(tmp_path / "dms")])
    assert second[""] == {"added": 0, "replaced": []}
    assert not (tmp_path / "files/2020-11-14" / run_name(1)).exists()
    # The plan is recorded all the same, for commands that do not list.
    assert (tmp_path / "files/plans/20201114" / run_name(1) / "rows.parquet").exists()


def test_the_declared_format_decides_what_is_indexed(tmp_path: Path) -> None:
    write_changes(tmp_path / "dms", 1)
    (tmp_path / "dms/20201114-000001000.csv").write_bytes(b"1,Ann")
    told = run_index(tmp_path, 0, [], [entry(tmp_path / "dms")])
    assert told[""]["added"] == 1
    assert told["hr.people"]["error"].endswith(" [E215]")
    partition = f"2020-11-14/{run_name(0)}"
    tables = [entry(tmp_path / "dms", format="parquet")]
    told = run_index(tmp_path, 1, [partition], tables)
    assert told[""]["added"] == 2
    assert [file["size"] for file in told["hr.people"]["files"]] == [1]
    rows = read_rows(str(tmp_path / f"files/2020-11-14/{run_name(1)}"), EVENT_SCHEMA)
    assert sorted(rows["kind"].to_pylist()) == ["cdc", "unknown"]


def test_what_may_be_missing_is_recorded(tmp_path: Path) -> None:
    folder = tmp_path / "dms"
    for number in (1, 2):
        write_changes(folder, number)
    partitions = [f"2020-11-14/{run_name(number)}" for number in range(3)]
    run_index(tmp_path, 0, [], [entry(folder)])
    (folder / "20201114-000002000.parquet").unlink()
    assert run_index(tmp_path, 1, partitions[:1], [entry(folder)])["hr.people"]["error"]
    tables = [entry(folder, allows_missing=True)]
    assert run_index(tmp_path, 2, partitions[:2], tables)["hr.people"]["error"] is None
    # It is said once.
    told = run_index(tmp_path, 3, partitions, [entry(folder)])
    assert (told[""]["added"], told["hr.people"]["error"]) == (0, None)
    assert [file["size"] for file in told["hr.people"]["files"]] == [1]


def test_many_partitions_are_put_together_and_no_event_is_lost(tmp_path: Path) -> None:
    partitions: list[str] = []
    for number in range(1, 25):
        write_changes(tmp_path / "dms", number)
        assert run_index(tmp_path, number, partitions, [entry(tmp_path / "dms")])[""] == {
            "added": 1, "replaced": [],
        }  # fmt: skip
        partitions.append(f"2020-11-14/{run_name(number)}")
    write_changes(tmp_path / "dms", 25)
    plans = run_index(tmp_path, 25, partitions, [entry(tmp_path / "dms")])
    assert plans[""] == {"added": 1, "replaced": partitions}
    newest = tmp_path / "files/2020-11-14" / run_name(25)
    events = read_rows(str(newest), EVENT_SCHEMA)
    assert events.num_rows == 25
    assert len(plans["hr.people"]["files"]) == 25
    # A reader that comes before the old partitions are gone finds each event twice, and takes one.
    both = [*partitions, f"2020-11-14/{run_name(25)}"]
    plans = run_index(tmp_path, 26, both, [entry(tmp_path / "dms")])
    assert plans[""]["added"] == 0
    assert len(plans["hr.people"]["files"]) == 25
    # So does the next run that puts them together, if a command died before they were dropped.
    write_changes(tmp_path / "dms", 26)
    plans = run_index(tmp_path, 26, both, [entry(tmp_path / "dms")])
    assert plans[""] == {"added": 1, "replaced": both}
    events = read_rows(str(tmp_path / "files/2020-11-14" / run_name(26)), EVENT_SCHEMA)
    assert events.num_rows == 26


def test_a_file_that_two_runs_have_added_is_taken_once(tmp_path: Path) -> None:
    # Neither knew of the other, and one died before it could take back what it had added.
    path = tmp_path / "dms/20201113-100000000.parquet"
    path.parent.mkdir()
    path.write_bytes(b"x")
    for number in (0, 1):
        assert run_index(tmp_path, number, [], [entry(tmp_path / "dms")])[""]["added"] == 1
    both = [f"2020-11-14/{run_name(number)}" for number in (0, 1)]
    # Version 1 took it as the first run has it, and version 2 another file.
    version = {
        "version": 2, "run_date": "2020-11-13", "newest_date": "2020-11-13", "generation": 1,
        "last_file_seq": 1, "run": "", "base_version": 1, "rows_after": 1,
        "indexed_from": run_name(0), "indexed_through": run_name(2), "files": [["other", "etag"]],
    }  # fmt: skip
    table = entry(tmp_path / "dms", newest=2, current=version, base=version)
    plan = run_index(tmp_path, 3, both, [table])["hr.people"]
    assert (plan["action"], plan["files"], plan["warnings"]) == ("none", [], [])
    # As it was written again, it is another upload.
    path.write_bytes(b"other")
    plan = run_index(tmp_path, 4, both, [table])["hr.people"]
    assert [file["path"] for file in plan["files"]] == [str(path)]


def test_an_unchanged_date_moves_the_newest_published_date(tmp_path: Path) -> None:
    write_changes(tmp_path / "dms", 1)
    run_index(tmp_path, 0, [], [entry(tmp_path / "dms")])
    partition = f"2020-11-14/{run_name(0)}"
    (path,) = (tmp_path / "dms").iterdir()
    etag = read_rows(str(tmp_path / "files" / partition), EVENT_SCHEMA)["etag"][0].as_py()
    version = {
        "version": 1, "run_date": "2020-11-13", "newest_date": "2020-11-13", "generation": 1,
        "last_file_seq": 1, "run": "",
        "base_version": None, "rows_after": 1, "indexed_from": None, "indexed_through": run_name(0),
        "files": [[str(path), etag]],
    }  # fmt: skip
    table = entry(tmp_path / "dms", newest=1, current=version, base=version)
    record = {"source_name": "hr", "table_name": "people", "version": 1}
    for dates in (["2020-11-15"], ["2020-11-15", "2020-11-16"]):
        recorded.record(str(tmp_path / "log"), "run", [record | {"dates": dates}])
    plan = run_index(tmp_path, 1, [partition], [table], tmp_path / "log")["hr.people"]
    assert plan["unchanged_dates"] == ["2020-11-15", "2020-11-16"]
    assert plan["is_published"]
    assert "run_date 2020-11-14 is before the newest published one, 2020-11-16" in plan["error"]
    # A version that no command has recorded was committed by one that died.
    plan = run_index(tmp_path, 2, [partition], [table])["hr.people"]
    assert plan["error"] is None
    assert not plan["is_published"]


def test_a_manifest_names_the_files_of_each_partition(tmp_path: Path) -> None:
    for name in (
        "part-1.parquet",
        "_SUCCESS",
        ".part-1.parquet.crc",
        "_temporary/0/part-2.parquet",
    ):
        path = tmp_path / "written by SQL" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    partitions = [
        {"partition": "2020-11-01", "location": str(tmp_path / "written by SQL"), "rows": 1},
        {"partition": "2020-12-01", "location": "/copied", "rows": 1, "files": ["part-0.parquet"]},
    ]
    manifest = with_files({"partitions": partitions})
    named = [one["files"] for one in manifest["partitions"]]
    assert named == [["part-1.parquet"], ["part-0.parquet"]]


def test_what_is_written_of_a_version_is_read_as_it_was_given(tmp_path: Path) -> None:
    manifest = {
        "action": "merge", "run_date": "2020-11-14", "declarations": {"f": "{}"},
        "partitions": [{"partition": None, "location": "/a", "rows": 3, "files": ["part"]}],
        "dates": [{"run_date": "2020-11-14", "version": 2}], "indexed_from": run_name(0),
        "started_at": "2020-11-14 01:00:00.000001", "finished_at": "2020-11-14 01:00:00.000002",
    }  # fmt: skip
    (row,) = arrow_table("snapshot_versions", [manifest]).to_pylist()
    assert row["dates"] == [{"run_date": date(2020, 11, 14), "version": 2}]
    assert row["partitions"] == manifest["partitions"]
    assert row["declarations"] == [("f", "{}")]
    assert row["indexed_from"].replace(tzinfo=None) == STARTED
    assert row["started_at"].microsecond == 1
    assert row["finished_at"].microsecond == 2


def replace_text(path: Path, text: str, by: str) -> None:
    content = path.read_text()
    assert text in content
    path.write_text(content.replace(text, by))


class Published:
    """A lake whose table hr.people has a version for its full load, and for each of three changes.

    Version 2 restores, as a rollback does, the first one, so that 3 is built on 1 without it.
    """

    def __init__(self, lake: Path) -> None:
        self.lake, self.folder, self.others = lake, lake / "dms", lake / "others"
        self.log = lake / "version_log/hr.people"
        self.folder.mkdir()
        self.write_load(b"load")
        for number in (11, 12, 13):
            (self.folder / f"202011{number}-100000000.parquet").write_bytes(b"x" * number)
        write_changes(self.others, 1)
        plan = run_index(lake, 0, [], [entry(self.folder)])["hr.people"]
        taken = [FileRef(file["path"], file["etag"]) for file in plan["files"]]
        own: dict[str, Any] = {"load_files": (taken[0],), "indexed_from": run_name(0)}
        for version, (on, of, applied) in enumerate(
            [(None, None, 0), (1, None, 1), (None, 1, None), (3, None, 2), (4, None, 3)], 1
        ):
            files = () if applied is None else (taken[applied],)
            own |= {"files": files, "last_file_seq": version, "indexed_through": run_name(0)}
            logged.commit(lake, manifest(version, on=on, of=of, date=8 + version, **own))
        logged.record(lake, 1, 2, 3, 4, 5)

    def write_load(self, content: bytes) -> None:
        (self.folder / "LOAD00000001.parquet").write_bytes(content)

    def path(self, version: int) -> Path:
        return self.log / f"{99_999_999 - version}-v{version}.json"

    def known(self) -> dict[str, Any]:
        """What a run is told of the table's versions."""
        wanted = {"hr.people": {"run_date": "2020-11-15"}}
        read = logged.ask(self.lake, "read", wanted=wanted, recorded=True)
        known: dict[str, Any] = read["hr.people"]["index"]
        return known

    def plan(self, number: int, known: dict[str, Any]) -> dict[str, Any]:
        """Index hr.people and hr.other, which was never published."""
        other = entry(self.others, label="hr.other", table_name="other")
        tables = [entry(self.folder, **known), other]
        partitions = [f"2020-11-14/{run_name(one)}" for one in range(number)]
        return run_index(self.lake, number, partitions, tables, self.lake / "version_log")


@pytest.fixture
def published(tmp_path: Path) -> Published:
    return Published(tmp_path)


def test_a_plan_reads_no_version_if_nothing_of_long_ago_is_asked(published: Published) -> None:
    known = published.known()
    for version in range(1, 6):
        published.path(version).write_text("{")
    (published.folder / "20201114-100000000.parquet").write_bytes(b"new")
    plan = published.plan(1, known)["hr.people"]
    assert (plan["error"], plan["action"], len(plan["files"])) == (None, "merge", 1)


def test_a_plan_reads_no_version_that_the_state_has_nothing_of(published: Published) -> None:
    known = published.known()
    published.path(2).write_text("{")
    published.write_load(b"load again")
    plan = published.plan(1, known)["hr.people"]
    assert (plan["error"], plan["action"], len(plan["files"])) == (None, "build", 1)


@pytest.mark.parametrize(
    ("version", "change", "said"),
    [
        (1, lambda path: path.write_text("{"), "was cut, or is no JSON"),
        (4, lambda path: path.unlink(), "is gone"),
        (5, lambda path: path.write_text("[]"), "is not of this project"),
        (3, lambda path: path.write_bytes(b"\xff"), "was cut, or is no JSON"),
        (4, lambda path: replace_text(path, '"base_version":3', '"base_version":"3"'),
         "is damaged (base_version is '3', which is not a whole number)"),
        (5, lambda path: replace_text(path, '"lineage":[[', '"lineage":[[0,'),
         "is damaged (lineage)"),
    ],
)  # fmt: skip
def test_a_damaged_version_that_is_needed_fails_its_table_only(
    published: Published, version: int, change: Callable[[Path], Any], said: str
) -> None:
    known = published.known()
    change(published.path(version))
    published.write_load(b"load again")
    found = published.plan(1, known)
    error = found["hr.people"]["error"]
    assert error.startswith(f"hr.people: {published.path(version)} {said}")
    assert "Nothing of this table was published. Bring it back" in error
    assert error.endswith("[E425]")
    assert (found["hr.people"]["action"], found["hr.people"]["files"]) == ("none", [])
    assert (found["hr.other"]["error"], len(found["hr.other"]["files"])) == (None, 1)


def test_a_version_that_was_given_up_and_is_needed_fails_its_table_only(
    published: Published,
) -> None:
    logged.give_up(published.lake, 3)
    # DMS loads the table again.
    published.write_load(b"load again")
    found = published.plan(1, published.known())
    paths = [(published.path(one), published.path(one).with_suffix(".lost")) for one in (4, 5)]
    commands = " && ".join(f"mv {path} {lost}" for path, lost in paths)
    assert found["hr.people"]["error"] == (
        f"hr.people: number 3 was given up ({published.path(3).with_suffix('.lost')}), and is "
        "needed. Nothing of this table was published. Bring 99999996-v3.json back, or give up "
        f"numbers 4 and 5 too, which were built on it: {commands} [E425]"
    )
    assert (found["hr.other"]["error"], len(found["hr.other"]["files"])) == (None, 1)
    # As it says.
    logged.give_up(published.lake, 4, 5)
    plan = published.plan(2, published.known())["hr.people"]
    assert plan["error"] is None
    assert {file["path"].rsplit("/")[-1][:8] for file in plan["files"]} >= {"LOAD0000"}
