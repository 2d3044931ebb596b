"""Queries in a process of their own: ``python -m tests.support.query_process JOB`` (`ask`).

It has an embedded session on the lake and metastore of a target ``local`` that has ended.
"""

import pickle
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.dms_files import Row
from tests.support.engines import REPOSITORY, LocalEngine, set_spark_environment


def ask(
    lake: str, metastore: Path, queries: Mapping[str, str], environment: Mapping[str, str]
) -> dict[str, list[Row]]:
    """The rows of some queries, by their names.

    Args:
        lake: a folder, which may be on S3.
        metastore: the local folder that has the metastore.
        queries: SQL by name.
        environment: of the process.
    """
    job = metastore / "queries.pickle"
    job.write_bytes(pickle.dumps((lake, metastore, dict(queries))))
    command = [sys.executable, "-m", "tests.support.query_process", str(job)]
    done = subprocess.run(
        command, env=environment, cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    answers: dict[str, list[Row]] = pickle.loads(job.read_bytes())
    return answers


def main() -> None:
    job = Path(sys.argv[1])
    lake, metastore, queries = pickle.loads(job.read_bytes())
    set_spark_environment()
    engine = LocalEngine(lake, metastore)
    answers = {name: engine.query(sql) for name, sql in queries.items()}
    engine.stop()
    job.write_bytes(pickle.dumps(answers))


if __name__ == "__main__":
    main()
