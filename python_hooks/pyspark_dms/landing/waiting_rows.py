"""How many rows wait in files that no run has taken yet, from what Parquet files say themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.side_by_side import side_by_side


def row_count(files: Sequence[Mapping[str, Any]]) -> int | None:
    """The rows of some files, with their path and size; None if one of them does not say."""
    counts = side_by_side(_rows_of_file, files)
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _rows_of_file(file: Mapping[str, Any]) -> int | None:
    if ".parquet" not in file["path"].rsplit("/", 1)[-1].lower():
        return None
    try:
        with stores.open_for_reading(file["path"], file["size"]) as content:
            return int(pq.ParquetFile(content).metadata.num_rows)
    except (OSError, pa.ArrowException, DmsError):
        # What cannot be read is for the run to say.
        return None
