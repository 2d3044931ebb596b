"""What a group of files says of itself when it is staged, or cannot be."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading.columns import parse_column
from pyspark_dms.reading.indexed_files import ReadSettings
from pyspark_dms.reading.staging import StagingJob, plan_groups, stage

COLUMNS = (parse_column("id", "int"), parse_column("name", "string"))
SEEN = "2020-11-14T00:00:00+00:00"


def staged(folder: Path, files: list[dict[str, Any]], **settings: Any) -> dict[str, Any]:
    indexed = []
    for number, columns in enumerate(files):
        path = folder / f"{number}.parquet"
        pq.write_table(pa.table(columns), path)
        indexed.append(IndexedFile(str(path), path.stat().st_size, "cdc", "", 1, number, SEEN))
    changes, report, rejects = (str(folder / part) for part in ("changes", "report", "rejects"))
    chosen = ReadSettings(COLUMNS, ("id",), "Op", **settings)
    job = StagingJob(changes, report, rejects, "f", indexed, chosen)
    (group,) = plan_groups(indexed, job.settings)
    (summary,) = stage(job, group)
    (row,) = summary.to_pylist()
    return dict(row)


def test_a_group_says_which_files_lack_columns_that_may_have_values(tmp_path: Path) -> None:
    files = [{"Op": [op], "id": [1]} for op in ("D", "U", "I", "U")]
    summary = staged(tmp_path, files, on_schema_change="ignore")
    assert summary["nulled"] == [f"{tmp_path}/1.parquet (name)", f"{tmp_path}/3.parquet (name)"]
    assert (summary["row_count"], summary["problems"]) == (4, [])


def test_no_more_files_are_looked_at_for_advice_than_a_message_shows(tmp_path: Path) -> None:
    summary = staged(tmp_path, [{"Op": ["U"], "id": [1]}] * 8)
    advised = ["image: partial" in problem for problem in summary["problems"]]
    assert advised == [True] * 5 + [False] * 3
    assert summary["nulled"] == []
