"""The Thrift server of a cluster as the template starts it: no authentication, on loopback.

It gets nothing from here that it needs and deploy/thrift-server does not give it.
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyhive import hive
from pyspark.find_spark_home import _find_spark_home

from pyspark_dms.services.metastore import Metastore
from pyspark_dms.services.missing_class import MISSING_CLASS
from tests.support.engines import QUICK_JVM, REPOSITORY

pytestmark = pytest.mark.thorough
PORT, START_SECONDS = 10001, 120
DATES = ("2020-11-13", "2020-11-14", "2020-11-15")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The server, with a metastore and a warehouse of its own; gives what dbt needs."""
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "project").symlink_to(REPOSITORY)
    metastore = Metastore(folder, str(folder / "warehouse"))
    environment = {
        **os.environ,
        "SPARK_HOME": _find_spark_home(),
        "DMS_HOME": str(folder),
        "DMS_PYTHON": sys.executable,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(REPOSITORY / "python_hooks"),
    }
    settings = {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.driver.extraJavaOptions": QUICK_JVM,
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        # Where many sessions end at once, an embedded Derby has each wait for 20 s.
        "spark.hadoop.hive.metastore.uris": metastore.start(),
        # What the template says beside the arguments.
        "spark.hadoop.hive.server2.enable.doAs": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.variable.substitute": "false",
    }
    command = [str(REPOSITORY / "deploy/thrift-server")]
    command += [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
    try:
        _wait_for(server, folder / "server.log")
        yield environment | {
            "DMS_TARGET": "emr",
            "DMS_ROOT": str(REPOSITORY / "sample/dms"),
            "DBT_TARGET_PATH": str(folder / "target"),
            "DBT_LOG_PATH": str(folder / "logs"),
        }
    finally:
        server.terminate()
        server.wait()
        metastore.stop()


def _wait_for(server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", PORT)) == 0:
                return
        time.sleep(0.2)
    raise AssertionError(log.read_text(encoding="utf-8")[-3000:])


def dbt(environment: dict[str, str], *arguments: str) -> str:
    places = ["--project-dir", str(REPOSITORY), "--profiles-dir", str(REPOSITORY)]
    done = subprocess.run(
        [str(Path(sys.executable).with_name("dbt")), *arguments, *places],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    return done.stdout


def test_the_server_has_the_class_that_spark_lacks_and_a_metastore_with_classes_of_its_own(
    environment: dict[str, str],
) -> None:
    """Else some sessions cannot be closed, and later ones wait for ever."""
    with (
        contextlib.closing(hive.connect("127.0.0.1", PORT, "dbt", auth="NOSASL")) as connection,
        contextlib.closing(connection.cursor()) as cursor,
    ):
        cursor.execute(f"select java_method('java.lang.Class', 'forName', '{MISSING_CLASS}')")
        assert cursor.fetchall() == [(f"interface {MISSING_CLASS}",)]
        cursor.execute("set spark.sql.hive.metastore.jars")
        assert cursor.fetchall() == [("spark.sql.hive.metastore.jars", "path")]
    log = (Path(environment["DMS_HOME"]) / "server.log").read_text(encoding="utf-8")
    assert f"{MISSING_CLASS} is in no jar, so an empty one was put into " in log


def test_dbt_runs_the_sample_on_the_server_of_a_cluster(environment: dict[str, str]) -> None:
    for run_date in DATES:
        printed = dbt(environment, "run", "--vars", f"{{run_date: {run_date}}}")
        assert f"Tables of {run_date}: " in printed
        assert "ERROR=0" in printed
    # They read every row again: keys, counts, order and completeness.
    assert "ERROR=0" in dbt(environment, "test")
