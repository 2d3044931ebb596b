"""What is done about folders of versions that were changed by hand."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyspark_dms.errors import DmsError
from pyspark_dms.merging.repairing import (
    FoundFolder,
    PublishedFolder,
    look,
    plan_repairs,
    restore,
)
from pyspark_dms.versions.written_files import RecordedFolder
from tests.declaration.harness import Macros

COLUMNS = [["id", "int"], ["name", "string"]]


def folder(*versions: int, files: tuple[str, ...] = ("a",), rows: int = 3) -> PublishedFolder:
    return PublishedFolder(RecordedFolder(None, "/lake/x", files), rows, frozenset(versions))


# Readers see versions 3 and 5; version 4 was undone, and backfill has made version 6.
@pytest.mark.parametrize(
    ("published", "names", "rows", "expected"),
    [
        (folder(5), ["a"], 3, None),
        (folder(5), ["a", "hand"], 3, ("delete", 5)),
        # Also of a version that can be had again.
        (folder(4), ["a", "hand"], 3, ("delete", 4)),
        (folder(5), ["hand"], 0, ("build", 5)),
        (folder(5), [], 0, ("build", 5)),
        (folder(5, files=("a", "b")), ["a"], 3, ("build", 5)),
        # Another content under the name, or one that is no Parquet.
        (folder(5), ["a"], 4, ("build", 5)),
        (folder(5), ["a", "hand"], 2, ("build", 5)),
        (folder(5), ["a"], None, ("build", 5)),
        # By the newest version that is shown.
        (folder(1, 2, 3, 4), ["hand"], 0, ("build", 3)),
        (folder(1, 2), ["hand"], 0, ("build", 2)),
        (folder(5, 6), ["hand"], 0, ("build", 5)),
        (folder(6), ["hand"], 0, ("backfill", 6)),
        (folder(7), ["hand"], 0, ("leave", 7)),
        # Vacuum has deleted it; of readers' dates it has deleted none.
        (folder(4), [], 0, None),
        (folder(6), [], 0, ("backfill", 6)),
        # An empty partition.
        (folder(5, files=(), rows=0), [], 0, None),
    ],
)
def test_each_folder_has_one_way_back(
    published: PublishedFolder,
    names: list[str],
    rows: int | None,
    expected: tuple[str, int] | None,
) -> None:
    repairs = plan_repairs(
        [(published, FoundFolder(tuple(names), rows))],
        shown=frozenset({3, 5, 6}),
        buildable=frozenset({1, 2, 3, 4, 5}),
    )
    assert [(repair["action"], repair["version"]) for repair in repairs] == [expected] * bool(
        expected
    )


def write(path: Path, *ids: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"id": number, "name": f"name {number}"} for number in ids]
    schema = pa.schema([("id", pa.int32()), ("name", pa.string())])
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
    (path.parent / f".{path.name}.crc").write_text("the checksum of Hadoop")


def job(location: Path, names: list[str], rows: int, built: Path | None) -> dict[str, Any]:
    folder = {"location": f"{location}", "files": names, "rows": rows}
    folders = [{**folder, "built": f"{built}" if built else None}]
    return {"table": "hr.people", "columns": COLUMNS, "folders": folders}


def restored(**given: Any) -> list[dict[str, Any]]:
    return [row for batch in restore(job(**given)) for row in batch.to_pylist()]


def test_a_folder_without_rows_gets_its_empty_files_back(tmp_path: Path) -> None:
    given = {"location": tmp_path / "v", "names": ["a.parquet"], "rows": 0}
    (report,) = restored(**given, built=tmp_path / "none")
    assert report["rows"] == 0
    assert pq.read_table(tmp_path / "v" / "a.parquet").num_rows == 0


def test_what_a_state_without_rows_is_built_from_is_a_folder_without_files() -> None:
    found = {"action": "build", "version": 2, "partition": "", "rows": 0, "location": "/lake/v2"}
    asked: list[Any] = []
    silent = ("prepare_earlier_changes", "publish_state", "publish_newer", "run_query")
    macros = Macros(
        stubs={
            **dict.fromkeys(silent, lambda *_: None),
            "write_state": lambda *_: {"partitions": []},
            "reader_settings": lambda _: {"columns": COLUMNS},
            "version_state": lambda *_: {"newest": {"version": 2}},
            "relation_beside": lambda *_: "lake.people_current",
            "_repaired": asked.append,
        }
    )
    job = {"root": "/lake", "folder": "run-repair-2"}
    jobs = {2: {"job": job, "manifest": {}}}
    table = {"declared": {"label": "hr.people"}, "relation": "lake.people_snapshot"}
    macros._repair_table(table, [found], jobs, [])
    assert asked[0]["folders"] == [{**found, "built": "/lake/run-repair-2/none"}]


def test_of_files_more_only_these_go(tmp_path: Path) -> None:
    write(tmp_path / "v" / "a.parquet", 1, 2)
    write(tmp_path / "v" / "hand.parquet", 9)
    (report,) = restored(location=tmp_path / "v", names=["a.parquet"], rows=2, built=None)
    assert (report["more"], report["rows"]) == (["hand.parquet"], 2)
    assert sorted(path.name for path in (tmp_path / "v").iterdir()) == [
        ".a.parquet.crc", "a.parquet",
    ]  # fmt: skip


@pytest.mark.parametrize("names", [["a.parquet"], ["a.parquet", "b.parquet", "c.parquet"]])
def test_rows_that_were_built_again_come_under_the_names_of_the_manifest(
    tmp_path: Path, names: list[str]
) -> None:
    write(tmp_path / "v" / "a.parquet", 7)
    write(tmp_path / "v" / "hand.parquet", 9)
    write(tmp_path / "built" / "x.parquet", 1, 2)
    write(tmp_path / "built" / "y.parquet", 3, 4)
    restored(location=tmp_path / "v", names=names, rows=4, built=tmp_path / "built")
    found = sorted(path.name for path in (tmp_path / "v").iterdir())
    assert found == (names or ["part-00000.parquet"])
    rows = pq.read_table(tmp_path / "v").to_pylist()
    assert sorted(row["id"] for row in rows) == [1, 2, 3, 4]
    # Again it finds nothing to do.
    seen = {"partition": None, "location": f"{tmp_path / 'v'}", "files": names, "rows": 4}
    looking = {"folders": [{**seen, "versions": [1]}], "shown": [1], "buildable": [1]}
    assert [row for batch in look(looking) for row in batch.to_pylist()] == []


def test_the_checksum_of_a_file_that_was_deleted_goes_before_it_is_written_again(
    tmp_path: Path,
) -> None:
    write(tmp_path / "v" / "a.parquet", 7)
    (tmp_path / "v" / "a.parquet").unlink()
    write(tmp_path / "built" / "x.parquet", 1)
    restored(location=tmp_path / "v", names=["a.parquet"], rows=1, built=tmp_path / "built")
    assert [path.name for path in (tmp_path / "v").iterdir()] == ["a.parquet"]


def test_what_is_still_not_as_recorded_is_not_called_restored(tmp_path: Path) -> None:
    write(tmp_path / "v" / "a.parquet", 7)
    write(tmp_path / "built" / "x.parquet", 1)
    with pytest.raises(DmsError, match="has 1 rows after it was restored, and 4") as raised:
        restored(location=tmp_path / "v", names=["a.parquet"], rows=4, built=tmp_path / "built")
    assert raised.value.args[0] == "E424"
