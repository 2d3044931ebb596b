"""Which version a run starts from, and what the index is told of versions."""

from pathlib import Path
from typing import Any

import pytest

from pyspark_dms.landing.facts import parse_table
from pyspark_dms.versions.manifest import Manifest
from pyspark_dms.versions.run_versions import base_of_run
from tests.versions.logged import LABEL, ask, commit
from tests.versions.made import day, files, manifest

DECLARED = {
    "label": LABEL, "path": "people/", "on_missing_files": "warn", "full_refresh": False,
    "run_command": "", "rebuild_command": "",
}  # fmt: skip


def index(lake: Path, **wanted: Any) -> dict[str, Any]:
    """What the index is told for a run of the 16th."""
    wanted = {"run_date": day(16), **wanted}
    found = ask(lake, "read", wanted={LABEL: wanted}, recorded=False)[LABEL]
    said: dict[str, Any] = found["index"]
    return said


@pytest.mark.parametrize(
    ("why", "run_date", "full_refresh", "base"),
    [
        ("a later date", day(16), False, 5),
        ("the same date starts where it started before", day(15), False, 4),
        ("nothing", day(16), True, None),
        ("nothing, for the same date too", day(15), True, None),
    ],
)
def test_what_a_run_starts_from(
    why: str, run_date: str, full_refresh: bool, base: int | None
) -> None:
    assert base_of_run(5, 4, day(15), run_date, full_refresh=full_refresh) == base, why


def test_before_the_first_version_there_is_nothing(tmp_path: Path) -> None:
    assert index(tmp_path) == {
        "newest": None, "current": None, "base": None, "load_files": [], "excluded": [],
        "included": [],
    }  # fmt: skip


def test_before_the_first_run_there_is_no_log() -> None:
    wanted = {LABEL: {"run_date": day(16)}}
    found = ask(Path(), "read", root="", wanted=wanted, recorded=True)[LABEL]
    assert (found["newest"], found["next"], found["index"]["newest"]) == (0, 1, None)
    assert found["known"] == {"newest": None, "current": None, "base": None}


def test_the_index_learns_of_the_versions_what_its_rules_need(tmp_path: Path) -> None:
    dated = manifest(3, on=1, date=14, dates={13: 1, 14: 3, 17: 2}, current_version=2,
                     excluded="c", included="b")  # fmt: skip
    commit(
        tmp_path, manifest(1, date=13, applied="load", load_files=files("load")),
        manifest(2, on=1, date=15, applied="a", load_files=files("load")), dated,
    )  # fmt: skip
    said = index(tmp_path, run_date=day(15))
    assert (said["newest"], said["load_files"]) == (3, [["load", "1"]])
    facts = parse_table({**DECLARED, **said}, {})
    assert facts.current
    assert facts.base
    assert (facts.current.version, facts.base.version) == (2, 1)
    assert facts.current.files == {("a", "1")}
    # The newest date of all that readers see, of whatever version.
    assert (f"{facts.current.newest_date}", f"{facts.base.newest_date}") == (day(17), day(13))
    assert facts.excluded == {("c", "1")}
    assert facts.included == {("b", "1")}


FOLDERS = (
    manifest(1, date=13, shards={"eu": 1, "us": 7}, load_files=files("eu/load us/load")),
    manifest(2, on=1, date=14, shards={"eu": 1}, load_files=files("eu/load")),
)


@pytest.mark.parametrize(
    ("why", "versions", "shards", "loads"),
    [
        ("a folder that is declared again", FOLDERS, [["eu", "eu/"], ["us", "us/"]],
         ["eu/load", "us/load"]),
        ("no folder more", FOLDERS, [["eu", "eu/"]], ["eu/load"]),
        ("a folder that is new", FOLDERS, [["eu", "eu/"], ["asia", "asia/"]], ["eu/load"]),
        ("a table that had one folder", [manifest(1, load_files=files("load"))],
         [["eu", "eu/"]], ["load"]),
    ],
)  # fmt: skip
def test_full_loads_of_a_folder_that_is_declared_again_are_known(
    tmp_path: Path, why: str, versions: list[Manifest], shards: list[list[str]], loads: list[str]
) -> None:
    commit(tmp_path, *versions)
    assert [path for path, _ in index(tmp_path, shards=shards)["load_files"]] == loads, why
