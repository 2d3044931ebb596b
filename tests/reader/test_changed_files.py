"""A file that is written again, or taken away, while it is read."""

from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.csv import write_csv

from pyspark_dms import stores
from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading import batches, csv_files, staging
from pyspark_dms.reading.change_files import read_changes
from pyspark_dms.reading.columns import parse_column
from pyspark_dms.reading.csv_format import CsvFormat
from pyspark_dms.reading.file_rows import as_indexed
from pyspark_dms.reading.indexed_files import FileProblem, FileSpan, Notes, ReadSettings


@pytest.mark.parametrize("name", ["LOAD00000001.parquet", "LOAD00000001.csv"])
@pytest.mark.parametrize("told", ["was written again", "no longer there"])
def test_a_file_that_changes_while_it_is_read_is_told_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, told: str
) -> None:
    # As if these were large.
    monkeypatch.setattr(stores, "_FETCH_WHOLE_BYTES", 0)
    monkeypatch.setattr(stores, "_BUFFER_BYTES", 1)
    monkeypatch.setattr(batches, "_BATCH_BYTES", 1024)
    monkeypatch.setattr(csv_files, "_BLOCK_BYTES", 1024)
    rows = pa.table({"Op": ["I"] * 9000, "id": range(9000)})
    write = partial(pq.write_table, row_group_size=1000) if "parquet" in name else write_csv
    write(rows, tmp_path / name)
    ((listed,),) = stores.list_objects(str(tmp_path))
    file = IndexedFile(listed.path, listed.size, "load", listed.etag, 1, 1, "")
    columns = (parse_column("id", "int"),)
    settings = ReadSettings(columns, ("id",), "Op", csv=CsvFormat(header=True))
    with as_indexed():
        changes = read_changes(FileSpan(file), settings, Notes())
        next(changes)
        if told == "no longer there":
            (tmp_path / name).unlink()
        else:
            write(rows, tmp_path / name)
    with pytest.raises(FileProblem, match=told), as_indexed():
        list(changes)


def test_a_file_that_could_not_be_opened_to_divide_it_is_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Else its rows would be in a folder that may have them from an attempt that divided it.
    for name in ("_SMALLEST_GROUP_BYTES", "_LARGEST_GROUP_BYTES"):
        monkeypatch.setattr(staging, name, 64)
    path, away = tmp_path / "LOAD00000001.parquet", tmp_path / "away"
    pq.write_table(pa.table({"Op": ["I"] * 900, "id": range(900)}), path, row_group_size=100)
    ((listed,),) = stores.list_objects(str(tmp_path))
    file = IndexedFile(listed.path, listed.size, "load", listed.etag, 1, 1, "2020-11-13")
    settings = ReadSettings((parse_column("id", "int"),), ("id",), "Op")
    assert len(staging.plan_groups([file], settings)) > 1
    path.rename(away)
    (group,) = staging.plan_groups([file], settings)
    away.rename(path)
    staged, report = str(tmp_path / "staged"), str(tmp_path / "report")
    job = staging.StagingJob(staged, report, "", "f", [file], settings)
    (summary,) = (batch.to_pylist()[0] for batch in staging.stage(job, group))
    assert (summary["row_count"], len(summary["problems"])) == (0, 1)
    assert "no longer there" in summary["problems"][0]
