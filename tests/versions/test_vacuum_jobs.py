"""What vacuum asks the version log: which folders of a table must stay."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from pyspark_dms.versions import log
from pyspark_dms.versions.history_jobs import OPEN
from pyspark_dms.versions.manifest import Manifest, StagedFolder
from tests.versions.logged import LABEL, TABLE, commit, plan, record
from tests.versions.made import day, manifest

CHAIN = tuple(
    replace(
        manifest(number, on=number - 1 or None, date=12 + number),
        feed_location=f"lake/people/{number}-beside/feed",
        staged=(StagedFolder(day(12 + number), f"stg/{number}", f"rep/{number}", None, "1"),),
    )
    for number in range(1, 6)
)


def planned(lake: Path, days: float | None, *histories: dict[str, Any]) -> dict[str, Any]:
    """What vacuum keeps at the end of the year."""
    table = {"days": days, "roots": roots(lake), "histories": histories}
    return plan(lake, "vacuum", table=table)


def roots(lake: Path) -> dict[str, str]:
    """Where the files of the table are, beside those of its versions."""
    names = {"reports": "dms_staged_files", "rejects": "dms_rejects"}
    folders = {kind: str(lake / name / LABEL) for kind, name in names.items()}
    return {**folders, "staged": str(lake / "stg")}


def publish(lake: Path, *versions: Manifest) -> None:
    """Publish versions, each finished on its day of December."""
    for one in versions:
        said = {**TABLE, **one.to_json()}
        log.create(str(lake / "version_log"), said, f"run {one.version}")
    record(lake, *(one.version for one in versions))


def needed(plan: dict[str, Any], root: str) -> list[str]:
    """What must stay below an area."""
    (area,) = (area for area in plan["areas"] if area["root"] == root)
    return [folder.removeprefix(f"{root}/") for folder in area["needed"]]


def history(*closed: int) -> dict[str, Any]:
    """A history whose partitions these versions have closed."""
    dates, folders = [OPEN], [f"lake/history/{closed[0]}/run/open"]
    dates += [day(12 + version) for version in closed]
    folders += [f"lake/history/{version}/run/closed" for version in closed]
    return {"root": "lake/history", "dates": dates, "folders": folders}


def test_all_versions_are_kept_without_a_retention(tmp_path: Path) -> None:
    publish(tmp_path, *CHAIN[:2])
    found = planned(tmp_path, None)
    assert found["kept"] == "2 of 2 versions"
    assert needed(found, "lake/people") == ["1", "2", "1-beside/feed", "2-beside/feed"]
    assert needed(found, str(tmp_path / "stg")) == ["1", "2"]
    assert needed(found, str(tmp_path / f"dms_staged_files/{LABEL}")) == ["1", "2"]
    assert needed(found, str(tmp_path / f"dms_rejects/{LABEL}")) == []


def test_what_readers_have_not_seen_for_long_goes(tmp_path: Path) -> None:
    publish(tmp_path, *CHAIN)
    found = planned(tmp_path, 1)
    # The newest one, and what the same date would start from.
    assert found["kept"] == "2 of 5 versions, the last 1 day and what is shown"
    assert needed(found, "lake/people") == ["4", "5", "4-beside/feed", "5-beside/feed"]
    assert planned(tmp_path, 27)["kept"].startswith("3 of 5 versions, the last 27 days")


def test_a_version_that_was_given_up_is_none_of_them(tmp_path: Path) -> None:
    publish(tmp_path, *CHAIN)
    commit(tmp_path, manifest(6, on=5, date=18))
    (path,) = (tmp_path / "version_log" / LABEL).glob("*-v6.json")
    path.rename(path.with_suffix(".lost"))
    for days, kept in ((None, "5 of 5"), (1, "2 of 5")):
        assert planned(tmp_path, days)["kept"].startswith(f"{kept} versions")


def test_a_history_keeps_what_it_would_go_on_from(tmp_path: Path) -> None:
    publish(tmp_path, *CHAIN[:3])
    found = planned(tmp_path, 1, history(3, 2, 1))
    # Version 2 is kept for a run of the same date, and the history would go back to its rows.
    assert needed(found, "lake/history") == [
        "3/run/open", "3/run/closed", "2/run/closed", "1/run/closed", "2/run/open",
    ]  # fmt: skip


def test_a_history_keeps_the_open_rows_of_before_two_full_refreshes(tmp_path: Path) -> None:
    refreshes = (manifest(2, date=13), manifest(3, date=15))
    publish(tmp_path, CHAIN[0], *refreshes)
    of_before = {**history(1), "folders": ["lake/history/9/run/open", "lake/history/1/run/closed"]}
    assert "1/run/open" in needed(planned(tmp_path, 1, of_before), "lake/history")


def test_a_table_that_was_never_published_is_an_error(tmp_path: Path) -> None:
    assert planned(tmp_path, None)["error"].endswith("[E420]")
