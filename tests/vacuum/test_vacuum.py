"""Which files `vacuum` takes for those of a run at work, and which for needed."""

import json
import os
import time
from pathlib import Path

import pytest

from pyspark_dms.errors import DmsError
from pyspark_dms.versions.vacuum import parse_job, vacuum

HOUR = 3600.0
RUN, LATER_RUN = "20201114T100000000000Z", "20201115T100000000000Z"


def write(path: Path, hours_ago: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("rows")
    at = time.time() - hours_ago * HOUR
    os.utime(path, (at, at))
    return path


def vacuumed(root: Path, *needed: str, grace_hours: float) -> set[str]:
    """Delete what is not needed; the paths below the root that are left."""
    areas = [{"root": str(root), "needed": [f"{root}/{folder}" for folder in needed]}]
    written_before = time.time() - grace_hours * HOUR
    job = {"areas": areas, "written_before": written_before, "delete": True}
    list(vacuum(parse_job(json.dumps(job))))
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_a_run_that_has_written_lately_keeps_all_it_wrote(tmp_path: Path) -> None:
    write(tmp_path / f"{RUN}-beside/changes/a.parquet", hours_ago=30)
    write(tmp_path / RUN / "rows/a.parquet", hours_ago=1)
    write(tmp_path / f"{LATER_RUN}-replay" / "rows/a.parquet", hours_ago=30)
    at_work = {f"{RUN}-beside/changes/a.parquet", f"{RUN}/rows/a.parquet"}
    assert vacuumed(tmp_path, grace_hours=24) == at_work
    assert vacuumed(tmp_path, grace_hours=0) == set()


def test_only_the_needed_folders_of_a_run_stay(tmp_path: Path) -> None:
    # The last two are where earlier versions of this project wrote them.
    for name in (
        f"{RUN}-beside/changes",
        f"{RUN}-beside/replaced",
        f"{RUN}-replay-beside/changes",
        f"{RUN}/rows/partition_date=2020-06-01",
        f"{RUN}/rows/partition_date=2020-05-01",
        f"{RUN}/changes",
        f"{RUN}/rows-replaced",
    ):
        write(tmp_path / name / "a.parquet", hours_ago=30)
    write(tmp_path / f"{RUN}-beside/feed/a.parquet", hours_ago=30)
    for name in ("open", "rows"):
        write(tmp_path / "3" / RUN / name / "a.parquet", hours_ago=30)
    write(tmp_path / "notes/a.parquet", hours_ago=30)
    needed = (f"{RUN}/rows/partition_date=2020-05-01", f"{RUN}-beside/feed", f"3/{RUN}/open")
    assert vacuumed(tmp_path, *needed, grace_hours=24) == {
        f"{RUN}/rows/partition_date=2020-05-01/a.parquet", f"{RUN}-beside/feed/a.parquet",
        f"3/{RUN}/open/a.parquet", "notes/a.parquet",
    }  # fmt: skip


def test_a_needed_folder_elsewhere_is_refused(tmp_path: Path) -> None:
    area = {"root": str(tmp_path / "table"), "needed": [str(tmp_path / "moved" / RUN)]}
    with pytest.raises(DmsError, match="Nothing was deleted"):
        parse_job(json.dumps({"areas": [area], "written_before": 0, "delete": True}))
