"""What Python and the macros both have to know, each by itself, is the same in both."""

import re
from typing import Any

import pytest

from pyspark_dms.landing.full_loads import GENERATIONS_OF_A_FOLDER
from pyspark_dms.landing.index import MOST_PARTITIONS
from pyspark_dms.reading.columns import sql_type
from pyspark_dms.reading.indexed_files import CHANGE_FIELDS
from pyspark_dms.scaffold import MANY_PARTITIONS_A_YEAR
from tests.declaration.harness import MACROS, Macros


def test_sql_and_python_count_the_load_generations_of_a_folder_alike() -> None:
    assert Macros().folder_number_sql("it") == f"(it - 1) div {GENERATIONS_OF_A_FOLDER}"


@pytest.mark.parametrize("count", [MOST_PARTITIONS - 1, MOST_PARTITIONS])
def test_macros_fold_a_metadata_table_at_as_many_partitions_as_python_folds_the_index(
    count: int,
) -> None:
    folds: list[bool] = []
    stubs: dict[str, Any] = {
        "list_partitions": lambda relation: [{"run": f"{number}"} for number in range(count)],
        "ask_versions": lambda act, job: folds.append(job["folds"]),
        "named_relation": lambda name: name,
        "log_location": lambda name: name,
        "run_name": lambda: "now",
        "add_partitions": lambda relation, added: None,
        "drop_partitions": lambda relation, partitions: None,
    }
    Macros(stubs=stubs).record_command([{"version": 1}])
    assert folds == [count >= MOST_PARTITIONS]


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
