"""What Python and the macros both have to know, each by itself, is the same in both."""

import re

from pyspark_dms.landing.full_loads import GENERATIONS_OF_A_FOLDER
from pyspark_dms.reading.columns import sql_type
from pyspark_dms.reading.indexed_files import CHANGE_FIELDS
from pyspark_dms.scaffold import MANY_PARTITIONS_A_YEAR
from tests.declaration.harness import MACROS, Macros


def test_sql_and_python_count_the_load_generations_of_a_folder_alike() -> None:
    assert Macros().folder_number_sql("it") == f"(it - 1) div {GENERATIONS_OF_A_FOLDER}"


def test_runs_and_scaffold_call_the_same_number_of_partitions_a_year_many() -> None:
    text = (MACROS / "checks/check_version.sql").read_text()
    assert re.findall(r"growth > (\d+)", text) == [f"{MANY_PARTITIONS_A_YEAR}"]


def test_staging_has_the_columns_that_python_writes_and_the_run_date() -> None:
    written = {name: sql_type(data_type) for name, data_type in CHANGE_FIELDS}
    # No declared column is a list, so it has no declarable type.
    written["_dms_absent"] = "array<string>"
    *columns, partition = Macros().staging_columns()
    assert {one["name"]: one["data_type"] for one in columns} == written
    assert [one["name"] for one in columns] == [*written]
    assert partition["name"] == "_dms_run_date"
