"""A full load with a business date, which is staged in a file for each date."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyspark_dms.landing.indexed_file import IndexedFile
from pyspark_dms.reading.columns import parse_column
from pyspark_dms.reading.dates import DatedOutput, Dates
from pyspark_dms.reading.indexed_files import ReadSettings
from pyspark_dms.reading.staging import StagingJob, plan_groups, stage

NUMBER, DAY = parse_column("number", "int"), parse_column("day", "date")
FIRST = date(2020, 1, 1).toordinal()


def rows(first: int, days: Sequence[int | None]) -> pa.Table:
    """Rows with numbers from the first one, and days counted from the first of January 2020."""
    dates = [None if day is None else date.fromordinal(FIRST + day) for day in days]
    numbers = range(first, first + len(days))
    return pa.table({"number": pa.array(numbers, pa.int32()), "day": pa.array(dates, pa.date32())})


def files_of(folder: Path) -> dict[str, list[int]]:
    return {
        file.name: pq.ParquetFile(file).read()["number"].to_pylist()
        for file in sorted(folder.iterdir())
    }


def staged(folder: Path, kind: str, dates: Dates, days: Sequence[int | None]) -> dict[str, Any]:
    ops = {"Op": ["I"] * len(days)} if kind == "cdc" else {}
    given = rows(0, days)
    path = folder / "given.parquet"
    pq.write_table(pa.table(ops | {name: given[name] for name in given.column_names}), path)
    file = IndexedFile(str(path), path.stat().st_size, kind, "", 1, 1, "2020-11-14T00:00:00+00:00")
    changes, report, rejects = (str(folder / part) for part in ("changes", "report", "rejects"))
    settings = ReadSettings((NUMBER, DAY), ("number",), "Op")
    job = StagingJob(changes, report, rejects, "f", [file], settings, dates)
    (group,) = plan_groups([file], settings)
    (summary,) = stage(job, group)
    assert summary.to_pylist()[0]["row_count"] == len(days)
    return files_of(folder / "changes")


def test_a_load_has_a_file_for_each_date_and_one_for_rows_without(tmp_path: Path) -> None:
    assert staged(tmp_path, "load", Dates(DAY, "day"), [1, 0, None, 1]) == {
        "part-00000-2020-01-01.parquet": [1],
        "part-00000-2020-01-02.parquet": [0, 3],
        "part-00000.parquet": [2],
    }


def test_a_load_by_month_has_a_file_for_each_month(tmp_path: Path) -> None:
    assert staged(tmp_path, "load", Dates(DAY, "month"), [0, 31, 30]) == {
        "part-00000-2020-01-01.parquet": [0, 2],
        "part-00000-2020-02-01.parquet": [1],
    }


@pytest.mark.parametrize(
    ("kind", "days"), [("cdc", [0, 1]), ("load", [*range(65)]), ("load", []), ("load", [None])]
)
def test_changes_and_loads_of_many_dates_or_none_have_one_file(
    tmp_path: Path, kind: str, days: list[int | None]
) -> None:
    found = staged(tmp_path, kind, Dates(DAY, "day"), days)
    assert found == {"part-00000.parquet": [*range(len(days))]}


def test_dates_past_the_sixty_fourth_share_a_file(tmp_path: Path) -> None:
    schema = pa.schema([("number", pa.int32()), ("day", pa.date32())])
    with DatedOutput(str(tmp_path / "part.parquet"), schema, Dates(DAY, "day")) as output:
        output.write(rows(0, [0]))
        output.write(rows(1, range(65)))
    found = files_of(tmp_path)
    assert len(found) == 65
    assert found["part-2020-01-01.parquet"] == [0, 1]
    assert found["part.parquet"] == [65]


def test_a_failure_leaves_no_file(tmp_path: Path) -> None:
    schema = pa.schema([("number", pa.int32()), ("day", pa.date32())])

    def fail() -> None:
        with DatedOutput(str(tmp_path / "part.parquet"), schema, Dates(DAY, "day")) as output:
            output.write(rows(0, [0, 1]))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert files_of(tmp_path) == {}
