"""A host with tables and snapshots of its own in Delta, beside the tables of DMS in Parquet.

``python -m tests.host.test_delta FOLDER`` is what the test runs: a process of its own, because
Delta has to be there when Spark starts. It fetches Delta from Maven once.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from tests.support.dms_files import Row
from tests.support.engines import REPOSITORY, set_spark_environment
from tests.support.host import Host

# The release of Delta for each Spark.
DELTA = {
    "4.0": "io.delta:delta-spark_2.13:4.0.0",
    "4.1": "io.delta:delta-spark_4.1_2.13:4.4.0",
}
SPARK = ".".join(pyspark.__version__.split(".")[:2])


class DeltaEngine:
    """The session that dbt has started in this process."""

    target = "delta"

    def __init__(self, lake: Path) -> None:
        self.environment: Mapping[str, str] = {
            "DMS_LAKE": str(lake),
            "DMS_DELTA_PACKAGE": DELTA[SPARK],
        }

    def query(self, sql: str) -> list[Row]:
        return [tuple(row) for row in SparkSession.builder.getOrCreate().sql(sql).collect()]


def play(folder: Path) -> dict[str, object]:
    """Runs the host three times; returns what its tables have become."""
    host = Host(folder, DeltaEngine(folder / "lake"))
    host.write_load((1, "sales"), (2, "stock"))
    host.write_changes("20201114-100000000", ("U", 2, "sales"), ("I", 3, "stock"))
    host.dbt("deps")
    delta = ("--target", "delta", "--exclude-resource-type", "test")
    for date in ("2020-11-13", "2020-11-14"):
        built = host.run("build", date, *delta)
        assert built.ok, built.errors
    (host.folder / "seeds/teams.csv").write_text("team,floor\nsales,1\nstock,7\n")
    moved = host.run("build", "2020-11-14", "--select", "teams teams_history", *delta)
    assert moved.ok, moved.errors
    (host.folder / "target/manifest.json").rename(host.folder / "manifest.json")
    cloned = host.dbt(
        "clone", "--select", "people_by_team", "--state", str(host.folder), "--target", "delta",
        schema="cloned",
    )  # fmt: skip
    assert cloned.ok, cloned.errors
    headcount = f"{host.schema}_reports.headcount"
    return {
        "schema": host.schema,
        "headcount": host.rows("reports.headcount", "team, people"),
        "writes": len(host.query(f"describe history {headcount}")),
        "clone": host.rows("reports.headcount", "team, people", schema="cloned"),
        "teams": host.rows("teams_history", "team, floor, dbt_valid_to is null"),
        "people": host.rows("people_history", "id, team, dbt_valid_to is null"),
        "providers": {
            table: next(
                row[1]
                for row in host.query(f"describe extended {host.schema}{table}")
                if row[0] == "Provider"
            )
            for table in ("_reports.headcount", ".people_snapshot", ".people_current")
        },
    }


@pytest.mark.thorough
@pytest.mark.skipif(SPARK not in DELTA, reason="there is no Delta for this Spark yet")
def test_tables_and_snapshots_of_the_host_in_delta_stay_dbt_sparks(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.host.test_delta", str(tmp_path)]
    ran = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-2000:]
    found = json.loads(ran.stdout.splitlines()[-1])
    assert found["headcount"] == found["clone"] == [["sales", 2], ["stock", 1]]
    # Replaced, not dropped and made again: Delta still knows the first one.
    assert found["writes"] == 2
    assert found["teams"] == [["sales", 1, True], ["stock", 2, False], ["stock", 7, True]]
    assert found["people"] == [
        [1, "sales", True], [2, "sales", True], [2, "stock", False], [3, "stock", True],
    ]  # fmt: skip
    assert {table.lstrip("."): kind.lower() for table, kind in found["providers"].items()} == {
        "_reports.headcount": "delta", "people_snapshot": "parquet", "people_current": "parquet",
    }  # fmt: skip


if __name__ == "__main__":
    set_spark_environment()
    os.environ["SPARK_LOCAL_HOSTNAME"] = "localhost"
    print(json.dumps(play(Path(sys.argv[1]))))
