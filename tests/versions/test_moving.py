"""A lake from before the version log is moved into it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pyspark_dms.errors import DmsError
from pyspark_dms.versions.manifest import FileRef, Manifest, ShownDate, StagedFolder
from pyspark_dms.versions.metadata import arrow_table, write_rows
from tests.versions.logged import LABEL, TABLE, ask, plan, state
from tests.versions.made import day, manifest

INDEXED = ("20201114T060000000001Z", "20201115T060000000000Z")
VERSIONS = (
    manifest(1, date=13, applied="load a"),
    replace(
        manifest(2, on=1, date=15, applied="b", excluded="c", dates={13: 1, 14: 1, 15: 2}),
        indexed_from=INDEXED[0],
        indexed_through=INDEXED[1],
        staged=(StagedFolder(day(15), "staged/2", "report/2", None, "1"),),
        feed_dates=(ShownDate(day(15), 2),),
        load_files=(FileRef("load", "1"),),
    ),
)


def write_before(lake: Path, version: Manifest) -> dict[str, Any]:
    """Write the row of a version as the code of before did."""
    folder = str(lake / f"snapshot_versions/{LABEL}/20201120T0{version.version}-{version.version}")
    rows = arrow_table("snapshot_versions", [version.to_json()])
    rows = rows.drop_columns(["commit_id", "source_name", "table_name", "version"])
    write_rows(folder, rows.schema, [rows])
    return {**TABLE, "version": version.version, "folder": folder}


def write_dates(lake: Path, *rows: dict[str, Any]) -> str:
    folder = str(lake / "snapshot_dates/1")
    table = arrow_table("snapshot_dates", [{**TABLE, **row} for row in rows])
    write_rows(folder, table.schema, [table])
    return folder


def test_every_manifest_and_date_is_as_it_was(tmp_path: Path) -> None:
    rows = [write_before(tmp_path, one) for one in VERSIONS]
    dates = write_dates(
        tmp_path,
        {"version": 1, "dates": [day(14)], "indexed_through": INDEXED[0]},
        {"version": 2, "dates": [], "indexed_from": INDEXED[0], "indexed_through": INDEXED[1]},
    )
    for _ in range(2):
        assert ask(tmp_path, "move", versions=rows, dates=[dates]) == {LABEL: {"moved": 2}}
    for version in VERSIONS:
        found = state(tmp_path, number=version.version)
        assert Manifest.from_json(found["newest"]) == version
    assert found["dates"] == {day(13): 1, day(14): 1, day(15): 2}
    # Its row is found where the code of before has put it.
    assert found["newest"]["commit_id"] == "20201120T02"
    assert state(tmp_path, number=1)["dates"] == {day(13): 1, day(14): 1}
    assert plan(tmp_path, "versions", limit=9)["would"].count("\n") == 3


def test_a_version_that_is_missing_stops_its_table(tmp_path: Path) -> None:
    with pytest.raises(DmsError, match="version 1 is missing in snapshot_versions"):
        ask(tmp_path, "move", versions=[write_before(tmp_path, VERSIONS[1])], dates=[])


def test_what_was_published_since_is_not_overwritten(tmp_path: Path) -> None:
    other = {**TABLE, **VERSIONS[0].to_json()}
    ask(tmp_path, "commit", manifest=other, token="another")
    with pytest.raises(DmsError, match="another command has published version 1"):
        ask(tmp_path, "move", versions=[write_before(tmp_path, VERSIONS[0])], dates=[])


def test_a_row_that_is_gone_is_named(tmp_path: Path) -> None:
    rows = [write_before(tmp_path, one) for one in VERSIONS]
    gone = str(tmp_path / "gone-1")
    with pytest.raises(DmsError, match=f"{gone} of snapshot_versions is gone"):
        ask(tmp_path, "move", versions=[{**rows[0], "folder": gone}], dates=[])
