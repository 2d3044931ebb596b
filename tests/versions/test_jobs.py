"""What SQL asks of the version log, on a folder of this machine; no Spark."""

import json
from pathlib import Path
from typing import Any

import pytest

from pyspark_dms.errors import DmsError
from pyspark_dms.release import RELEASE
from pyspark_dms.versions.jobs import answer, parse_job

TABLE = {"source_name": "hr", "table_name": "people"}


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return tmp_path


def ask(lake: Path, act: str, **job: Any) -> dict[str, Any]:
    job = {"act": act, "root": str(lake / "version_log"), "release": RELEASE, **job}
    rows = answer(parse_job(json.dumps(job))).to_pylist()
    return {row["label"]: json.loads(row["content"]) for row in rows}


def manifest(version: int, **more: Any) -> dict[str, Any]:
    own = {
        "version": version, "action": "merge", "run_date": f"2020-11-{12 + version}",
        "current_version": version, "base_version": version - 1 or None, "generation": 1,
        "fingerprint": "f", "declarations": {"f": "{}"}, "run": f"run {version}",
        "partitions": [{"partition": None, "location": "/a", "rows": 1, "files": ["part"]}],
        "dates": [{"run_date": "2020-11-13", "version": 1}],
    }  # fmt: skip
    return {**TABLE, **own, **more}


def commit(lake: Path, version: int, token: str = "one") -> str:
    found = ask(lake, "commit", manifest=manifest(version), token=token)
    outcome: str = found["hr.people"]["outcome"]
    return outcome


def record(lake: Path, *published: dict[str, Any]) -> None:
    rows = [{**TABLE, **one} for one in published]
    ask(lake, "record", run="r", published=rows, passed=[])


def read(lake: Path, **wanted: Any) -> dict[str, Any]:
    said = ask(lake, "read", wanted={"hr.people": wanted}, recorded=True)
    of_table: dict[str, Any] = said["hr.people"]
    return of_table


def test_a_version_is_committed_once(lake: Path) -> None:
    assert commit(lake, 1) == "created"
    # Who lost the answer asks again, and another command has to begin again.
    assert commit(lake, 1) == "created"
    assert commit(lake, 1, "two") == "taken"
    assert read(lake)["newest"] == 1
    row = read(lake, versions=[1])["manifests"]["1"]
    assert (row["action"], row["commit_id"]) == ("merge", "one")
    assert row["finished_at"] is not None


def test_a_run_reads_what_it_builds_on_in_one_go(lake: Path) -> None:
    for version in (1, 2, 3):
        commit(lake, version)
    known = read(lake, run_date="2020-11-15")["known"]
    # A manifest that is there under another name is that name.
    assert (known["newest"]["version"], known["current"], known["base"]["version"]) == (
        3, "newest", 2,
    )  # fmt: skip
    assert read(lake, run_date="2020-11-16")["known"]["base"] == "newest"
    assert read(lake, run_date="2020-11-16", full_refresh=True)["known"]["base"] is None
    found = read(lake, versions=[2])["manifests"]
    assert (found["2"]["run"], found["2"]["declarations"]) == ("run 2", {"f": "{}"})
    assert [one["version"] for one in read(lake, lineage=True)["lineage"]] == [1, 2, 3]


def test_a_table_that_was_never_published_has_no_version(lake: Path) -> None:
    found = ask(lake, "read", wanted={"hr.people": {"run_date": "2020-11-13"}}, recorded=True,
                probes=True)["hr.people"]  # fmt: skip
    assert (found["newest"], found["published"]) == (0, None)
    assert found["known"] == {"newest": None, "current": None, "base": None}


def test_the_first_command_tries_the_store(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = {"hr.people": {"run_date": "2020-11-13"}}
    monkeypatch.setattr("pyspark_dms.stores.create_object", lambda path, content: None)
    with pytest.raises(DmsError, match=r"\[E713\]"):
        ask(lake, "read", wanted=wanted, recorded=True, probes=True)
    monkeypatch.undo()
    record(lake, {"version": 1})
    monkeypatch.setattr("pyspark_dms.stores.create_object", lambda path, content: None)
    assert ask(lake, "read", wanted=wanted, recorded=True, probes=True)["hr.people"]["newest"] == 0


def test_what_is_recorded_is_read_with_the_versions(lake: Path) -> None:
    commit(lake, 1)
    assert read(lake)["recorded"] == {}
    record(lake, {"version": 1, "indexed_through": "20201113T000000000000Z"})
    record(
        lake, {"version": 1, "dates": ["2020-11-14"], "indexed_through": "20201114T000000000000Z"}
    )
    found = read(lake)
    assert found["published"] == 1
    assert found["recorded"]["1"]["dates"] == ["2020-11-14"]
    assert found["indexed_at"] == "20201114T000000000000Z"


def test_what_passed_counts_for_the_newest_version_and_what_its_runs_have_looked_at(
    lake: Path,
) -> None:
    commit(lake, 1)
    record(lake, {"version": 1, "indexed_through": "20201113T000000000000Z"})

    def passes(test: str, version: int, indexed_at: str) -> None:
        row = {**TABLE, "version": version, "indexed_at": indexed_at, "test": test}
        ask(lake, "record", run="t", published=[], passed=[row])

    passes("keys", 1, "20201113T000000000000Z")
    passes("before a run had looked at a file", 1, "20201112T000000000000Z")
    assert read(lake)["passed"] == ["keys"]
    # As an operation records it.
    record(lake, {"version": 1})
    assert read(lake)["passed"] == ["keys"]
    record(
        lake, {"version": 1, "dates": ["2020-11-14"], "indexed_through": "20201114T000000000000Z"}
    )
    assert read(lake)["passed"] == []


def test_a_damaged_log_is_said_of_its_table_only(lake: Path) -> None:
    commit(lake, 1)
    other = {**manifest(1), "table_name": "cities"}
    ask(lake, "commit", manifest=other, token="one")
    (path,) = (lake / "version_log/hr.people").iterdir()
    path.write_text("{")
    found = ask(lake, "read", wanted={"hr.people": {}, "hr.cities": {}}, recorded=False)
    assert "[E425]" in found["hr.people"]["error"]
    assert found["hr.cities"]["newest"] == 1


def test_macros_of_another_release_are_refused(lake: Path) -> None:
    with pytest.raises(DmsError, match="E107"):
        parse_job(json.dumps({"act": "read", "root": str(lake), "release": "0.0.0"}))


def commit_of(lake: Path, version: int, day: int, action: str, **more: Any) -> dict[str, Any]:
    own = {"run_date": f"2020-11-{day}", "action": action, **more}
    found = ask(lake, "commit", manifest=manifest(version, **own), token=f"{version} {action}")
    outcome: dict[str, Any] = found["hr.people"]
    return outcome


CREATED = {"outcome": "created"}
LATE = {"outcome": "late", "date": "2020-11-16"}


@pytest.mark.parametrize("action", ["build", "merge", "alter"])
def test_a_run_does_not_commit_before_a_date_that_another_has_recorded_meanwhile(
    lake: Path, action: str
) -> None:
    commit_of(lake, 1, 13, "build")
    commit_of(lake, 2, 14, "merge")
    record(lake, {"version": 1}, {"version": 2, "dates": ["2020-11-15", "2020-11-16"]})
    assert commit_of(lake, 3, 15, action) == LATE
    assert read(lake)["newest"] == 2
    # Of that date, or of a later one.
    assert commit_of(lake, 3, 16, action) == CREATED
    # Its answer was lost, and it asks again.
    record(lake, {"version": 3, "dates": ["2020-11-17"]})
    assert commit_of(lake, 3, 16, action) == CREATED


def test_the_date_counts_that_is_recorded_of_the_current_version(lake: Path) -> None:
    commit_of(lake, 1, 13, "build")
    record(lake, {"version": 1, "dates": ["2020-11-16"]})
    # A date that a backfill has made leaves the state as it is.
    commit_of(lake, 2, 12, "backfill", current_version=1)
    record(lake, {"version": 2})
    assert commit_of(lake, 3, 14, "merge") == LATE


def test_an_operation_takes_a_date_with_it_that_was_recorded_meanwhile(lake: Path) -> None:
    commit_of(lake, 1, 13, "build")
    record(lake, {"version": 1, "dates": ["2020-11-16"]})
    assert commit_of(lake, 2, 13, "vacuum", restored_version=1) == CREATED


def test_a_date_of_a_version_that_was_rolled_back_refuses_none(lake: Path) -> None:
    commit_of(lake, 1, 13, "build")
    commit_of(lake, 2, 14, "merge")
    record(lake, {"version": 1}, {"version": 2, "dates": ["2020-11-16"]})
    commit_of(lake, 3, 13, "rollback", restored_version=1)
    record(lake, {"version": 3})
    assert commit_of(lake, 4, 15, "merge") == CREATED


def test_a_date_of_a_version_that_was_given_up_refuses_none(lake: Path) -> None:
    commit_of(lake, 1, 13, "build")
    commit_of(lake, 2, 14, "merge")
    record(lake, {"version": 1}, {"version": 2, "dates": ["2020-11-16"]})
    (path,) = (lake / "version_log/hr.people").glob("*-v2.json")
    path.rename(path.with_suffix(".lost"))
    assert commit_of(lake, 3, 15, "merge") == CREATED


def test_a_run_that_another_has_overtaken_is_told_so(lake: Path) -> None:
    commit_of(lake, 1, 13, "build")
    record(lake, {"version": 1, "dates": ["2020-11-16"]})
    commit_of(lake, 2, 17, "merge")
    # Whatever date: it has to begin again.
    assert commit_of(lake, 2, 14, "build") == {"outcome": "taken"}
