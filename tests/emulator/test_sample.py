"""The committed sample: its files give the expected states, and its script rebuilds it."""

from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sample.build import TOTALS, build
from tests.support.replay import replay, table_files
from tests.support.source_rows import read_expected

SAMPLE = Path(__file__).parents[2] / "sample"
DATES = ("2020-11-13", "2020-11-14", "2020-11-15")
KEYS = {
    "employees/departments": ["dept_no"],
    "employees/dept_emp": ["emp_no", "dept_no"],
    "employees/employees": ["emp_no"],
    "employees/salaries": ["emp_no", "from_date"],
    "retail/product": ["product_id"],
    "retail/productorder": ["order_id"],
    "retail/store": ["store_id"],
}


@pytest.mark.parametrize("table", KEYS)
@pytest.mark.parametrize("run_date", DATES)
def test_the_files_of_the_sample_give_the_expected_state(table: str, run_date: str) -> None:
    files = table_files(SAMPLE / "dms" / table, date.fromisoformat(run_date))
    expected = read_expected(SAMPLE / "expected" / run_date / f"{table}.csv")
    assert replay(files, KEYS[table]) == expected


def test_the_script_rebuilds_the_committed_sample(tmp_path: Path) -> None:
    totals = tmp_path / "totals" / "control_totals.csv"
    build(tmp_path / "dms", tmp_path / "expected", totals)
    assert totals.read_text() == TOTALS.read_text()
    totals.unlink()
    assert _content(tmp_path) == {
        path: content for path, content in _content(SAMPLE).items() if "source" not in path
    }


def _content(root: Path) -> dict[str, object]:
    # Not the bytes of Parquet files, which name the version of pyarrow.
    parquet = {
        str(file.relative_to(root)): pq.ParquetFile(file).read() for file in root.rglob("*.parquet")
    }
    return parquet | {
        str(file.relative_to(root)): file.read_text(encoding="utf-8")
        for file in root.rglob("*.csv")
    }
