"""A file that is written again, or taken away, while it is read."""

from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.csv import write_csv

from pyspark_dms import stores
from pyspark_dms.reading import batches, csv_files
from pyspark_dms.reading.change_files import read_changes
from pyspark_dms.reading.columns import parse_column
from pyspark_dms.reading.csv_files import CsvFormat
from pyspark_dms.reading.file_rows import as_indexed
from pyspark_dms.reading.indexed_files import (
    FileProblem,
    FileSpan,
    IndexedFile,
    Notes,
    ReadSettings,
)


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
