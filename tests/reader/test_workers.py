"""What a task costs a worker of Spark beside its work."""

import os
import subprocess
import sys
from pathlib import Path

import pyspark

_HOOKS = Path(__file__).resolve().parents[2] / "python_hooks"
# As the path of a worker begins.
_ARCHIVES = sorted((Path(pyspark.__file__).parent / "python/lib").glob("*.zip"))

_A_TASK = """
import importlib, sys

opened = []
sys.addaudithook(lambda event, told: opened.append(str(told[0])) if event == "open" else None)
import pyspark.sql.worker.plan_data_source_read
{imported}
assert any(path.endswith("pyspark.zip") for path in opened)
opened.clear()
importlib.invalidate_caches()
print(sum(path.endswith(".zip") for path in opened))
"""


def archives_read(imported: str) -> int:
    """How often a task has archives read again, in a worker that has imported a module."""
    path = os.pathsep.join(map(str, (*_ARCHIVES, _HOOKS)))
    told = subprocess.run(
        [sys.executable, "-c", _A_TASK.format(imported=imported)],
        env=os.environ | {"PYTHONPATH": path}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return int(told.stdout)


def test_no_task_reads_the_archives_of_spark_again() -> None:
    assert archives_read("import json") > 5
    assert archives_read("import pyspark_dms_merge") == 0
