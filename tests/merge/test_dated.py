"""A full load that is written in a folder for each business date."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyspark_dms.reading.columns import parse_column
from tests.merge.test_merging import job_of, reports_of

DAY = date(2020, 1, 1).toordinal()


def days(*numbers: int | None) -> list[date | None]:
    """Days, counted from the first of January 2020."""
    return [None if one is None else date.fromordinal(DAY + one) for one in numbers]


def written(
    folder: Path,
    *files: Sequence[Any],
    kind: str = "date",
    granularity: str = "day",
    file_bytes: int = 64 * 1024 * 1024,
) -> dict[str, list[int]]:
    """The numbers of the rows of each partition, if staging has files of these dates."""
    (folder / "before").mkdir()
    (folder / "changes").mkdir()
    number = 0
    for place, dates in enumerate(files):
        rows = {
            "number": pa.array(range(number, number + len(dates)), pa.int32()),
            "day": pa.array(dates, parse_column("day", kind).arrow_type),
            "_dms_is_load": pa.repeat(True, len(dates)),
            "_dms_generation": pa.repeat(pa.scalar(1, pa.int32()), len(dates)),
        }
        pq.write_table(pa.table(rows), folder / f"before/{place}.parquet", row_group_size=3)
        number += len(dates)
    columns, dates = [("number", "int"), ("day", kind)], ["day", granularity]
    limits: dict[str, Any] = {"load_generations": [1], "file_bytes": file_bytes}
    counts = reports_of(job_of(folder, columns, ["number"], dates=dates, **limits))
    found: dict[str, list[int]] = {}
    for count in counts:
        in_files = 0
        for name in count["files"]:
            file = folder / f"after/partition_date={count['partition']}/{name}"
            rows_of_file = pq.ParquetFile(file).read()
            # Files that go on as they are keep what staging has added.
            assert rows_of_file.column_names[:2] == ["number", "day"]
            in_files += rows_of_file.num_rows
            found.setdefault(count["partition"], []).extend(rows_of_file["number"].to_pylist())
        assert in_files == count["rows_written"]
    assert len(list((folder / "after").rglob("*.parquet"))) == sum(len(c["files"]) for c in counts)
    return found


def test_rows_of_a_date_come_together_in_the_order_in_which_they_were(tmp_path: Path) -> None:
    assert written(tmp_path, days(1, 0, 1, 0), days(1, 2)) == {
        "2020-01-01": [1, 3], "2020-01-02": [0, 2, 4], "2020-01-03": [5],
    }  # fmt: skip


def test_each_task_has_files_of_dates_that_are_beside_each_other(tmp_path: Path) -> None:
    # All of it together are too many dates for one task; two files are as large as one has.
    files = [days(*range(start, start + 30)) for start in (90, 0, 60, 30)]
    found = written(tmp_path, *files, file_bytes=15_000)
    assert [len(rows) for rows in found.values()] == [1] * 120
    assert found["2020-01-01"] == [30]


@pytest.mark.parametrize(
    ("kind", "granularity", "dates", "wanted"),
    [
        ("date", "month", days(0, 30, 31), {"2020-01-01": [0, 1], "2020-02-01": [2]}),
        ("date", "year", days(-1, 0, 365), {"2019-01-01": [0], "2020-01-01": [1, 2]}),
        (
            "timestamp", "day",
            [datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC)],
            {"1969-12-31": [0], "1970-01-01": [1]},
        ),
        ("date", "day", [date(1, 1, 1), date(1, 1, 2)], {"0001-01-01": [0], "0001-01-02": [1]}),
        ("date", "day", [date(9999, 12, 31)], {"9999-12-31": [0]}),
    ],
)  # fmt: skip
def test_a_partition_has_the_first_day_of_its_rows(
    tmp_path: Path, kind: str, granularity: str, dates: list[Any], wanted: dict[str, list[int]]
) -> None:
    assert written(tmp_path, dates, kind=kind, granularity=granularity) == wanted


@pytest.mark.parametrize("dates", [days(*range(65)), days(0, 64), days(0, None)])
def test_many_dates_and_rows_without_one_are_left_to_spark(
    tmp_path: Path, dates: list[Any]
) -> None:
    assert written(tmp_path, days(0), dates) == {}


def test_a_load_without_rows_has_no_partition(tmp_path: Path) -> None:
    assert written(tmp_path, []) == {}


def test_a_file_of_one_date_goes_on_as_it_is(tmp_path: Path) -> None:
    found = written(tmp_path, days(1, 1), days(1, 2), days(0))
    assert found == {"2020-01-01": [4], "2020-01-02": [2, 0, 1], "2020-01-03": [3]}
    assert names_of(tmp_path, 0) == ["partition_date=2020-01-02/part-00001-000.parquet"]
    assert names_of(tmp_path, 2) == ["partition_date=2020-01-01/part-00001-000.parquet"]
    assert names_of(tmp_path, 1) == []


def test_small_files_of_one_date_are_packed(tmp_path: Path) -> None:
    assert written(tmp_path, days(1), days(1), days(2)) == {"2020-01-02": [0, 1], "2020-01-03": [2]}
    assert [names_of(tmp_path, file) != [] for file in range(3)] == [False, False, True]


def test_files_of_one_date_that_are_large_enough_stay_apart(tmp_path: Path) -> None:
    written(tmp_path, days(1), days(1), file_bytes=1)
    assert [len(names_of(tmp_path, file)) for file in range(2)] == [1, 1]


def test_sixteen_files_that_go_on_are_a_task(tmp_path: Path) -> None:
    found = written(tmp_path, *(days(day) for day in range(33)))
    assert [*found.values()] == [[day] for day in range(33)]
    assert {file.name for file in (tmp_path / "after").rglob("*.parquet")} == {
        f"part-0000{task}-000.parquet" for task in range(3)
    }


def names_of(folder: Path, place: int) -> list[str]:
    """The other names of a file of staging."""
    file = folder / f"before/{place}.parquet"
    after = folder / "after"
    return [f"{one.relative_to(after)}" for one in after.rglob("*.parquet") if one.samefile(file)]
