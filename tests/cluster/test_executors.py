"""What the executors of a cluster are sent: the modules, and how the stores are reached."""

import os
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql.datasource import InputPartition

from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.services import cluster, thrift
from pyspark_dms.services.thrift import ThriftServer
from pyspark_dms.store_reader import StoreReader
from tests.object_store.test_s3_lake import local_target
from tests.support.engines import PYTHON_HOOKS, REPOSITORY

MASTER = "spark://127.0.0.1:7077"
KEYS = {"AWS_ACCESS_KEY_ID": "the-id", "AWS_SECRET_ACCESS_KEY": "the-secret"}


def start_script(folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """What Spark's start script leaves in the environment of Spark."""
    script = REPOSITORY / "profiles/spark/spark-env.sh"
    return subprocess.run(
        ["bash", "-c", f"source {script} && env"],
        env={
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": str(PYTHON_HOOKS),
            "SPARK_HOME": str(folder),
            "PATH": "/usr/bin:/bin",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def variables(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    assert done.returncode == 0, done.stderr
    lines = (line.partition("=") for line in done.stdout.splitlines())
    return {name: value for name, _, value in lines}


def test_the_modules_and_the_address_of_the_driver_are_all_that_a_cluster_adds(
    tmp_path: Path,
) -> None:
    given = {"DMS_MASTER": MASTER, "SPARK_SUBMIT_OPTS": "-Dx=y", **KEYS}
    told = variables(start_script(tmp_path, given))
    (modules,) = (tmp_path / "dms-modules").iterdir()
    assert told["DMS_DRIVER_HOST"] == "127.0.0.1"
    # Anyone on this machine can read it: no keys.
    assert told["SPARK_SUBMIT_OPTS"] == (
        f'"-Dspark.files={modules.as_uri()}" "-Dspark.executorEnv.PYTHONPATH={modules.name}" -Dx=y'
    )


def test_an_embedded_session_gets_nothing_of_a_cluster(tmp_path: Path) -> None:
    told = variables(start_script(tmp_path, {"DMS_MASTER": "local[2]"}))
    assert "SPARK_SUBMIT_OPTS" not in told
    assert list(tmp_path.iterdir()) == []


def test_the_client_of_s3_is_where_the_driver_has_it(tmp_path: Path) -> None:
    settings = cluster.executor_settings(tmp_path, "/spark/s3-jars/*")
    assert settings["spark.executor.extraClassPath"] == "/spark/s3-jars/*"
    assert "spark.executor.extraClassPath" not in cluster.executor_settings(tmp_path, "")


def test_the_start_script_says_in_one_line_that_a_master_has_no_address(tmp_path: Path) -> None:
    done = start_script(tmp_path, {"DMS_MASTER": "spark://somewhere"})
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: DMS_MASTER is spark://somewhere, and no way to it was found")


def test_a_host_that_nobody_knows_is_named() -> None:
    with pytest.raises(DmsError, match=r"spark://no-such-host\.invalid:7077.*DMS_DRIVER_HOST"):
        cluster.driver_host("spark://no-such-host.invalid:7077")


def test_the_first_of_some_masters_says_which_way_the_cluster_is() -> None:
    assert cluster.driver_host("spark://127.0.0.1:7077,other.invalid:7077") == "127.0.0.1"


def test_a_folder_that_takes_no_modules_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DmsError, match=f"{tmp_path}/file/.*could not be written"):
        cluster.zip_modules(tmp_path / "file")


def test_the_zip_has_every_module_and_keeps_its_name_until_one_changes(tmp_path: Path) -> None:
    path = cluster.zip_modules(tmp_path)
    with zipfile.ZipFile(path) as packed:
        names = set(packed.namelist())
    assert {"pyspark_dms/__init__.py", "pyspark_dms_merge.py"} <= names
    modules = {one.relative_to(PYTHON_HOOKS).as_posix() for one in PYTHON_HOOKS.rglob("*.py")}
    assert names == modules
    assert cluster.zip_modules(tmp_path) == path
    assert list(tmp_path.iterdir()) == [path]


def test_each_data_source_is_imported_from_the_zip_alone(tmp_path: Path) -> None:
    path = cluster.zip_modules(tmp_path)
    sources = sorted(one.stem for one in PYTHON_HOOKS.glob("pyspark_dms_*.py"))
    script = (
        f"import {', '.join(sources)}, sys\n"
        "ours = {one.__file__ for name, one in sys.modules.items() if 'pyspark_dms' in name}\n"
        "print({file for file in ours if '.zip' not in file})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": path.name},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("set()\n", "")


@pytest.mark.parametrize(
    ("given", "host"),
    [
        ({}, "127.0.0.1"),
        ({"DMS_MASTER": MASTER}, "${env:DMS_DRIVER_HOST}"),
        ({"DMS_MASTER": MASTER, "DMS_DRIVER_HOST": "10.0.0.9"}, "10.0.0.9"),
    ],
)
def test_the_driver_of_an_embedded_session_is_on_loopback_or_where_the_cluster_finds_it(
    given: dict[str, str], host: str
) -> None:
    settings = local_target(given)
    assert settings["spark.driver.host"] == host
    assert settings["spark.driver.bindAddress"] == host


@pytest.mark.parametrize(
    ("given", "host"),
    [
        ({}, "127.0.0.1"),
        ({"DMS_MASTER": MASTER}, "way to spark://127.0.0.1:7077"),
        ({"DMS_MASTER": MASTER, "DMS_DRIVER_HOST": "10.0.0.9"}, "10.0.0.9"),
    ],
)
def test_the_driver_of_a_server_is_on_loopback_or_where_the_cluster_finds_it(
    given: dict[str, str], host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(thrift, "driver_host", "way to {}".format)
    command = ThriftServer(tmp_path)._command(tmp_path, {})
    assert f"spark.driver.host={host}" in command
    assert f"spark.driver.bindAddress={host}" in command
    assert f"spark.master={given.get('DMS_MASTER', 'local[*]')}" in command


class _Told(StoreReader):
    """Says what its process knows of the stores."""

    def batches(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pylist([stores.store_variables()])


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """An environment without a word of stores, which is put back."""
    before = dict(os.environ)
    for name in stores.store_variables():
        monkeypatch.delenv(name)
    yield monkeypatch
    for name in set(stores.store_variables()) - set(before):
        os.environ.pop(name)


def told(reader: bytes) -> dict[str, str]:
    (batch,) = pickle.loads(reader).read(InputPartition(0))
    found: dict[str, str] = batch.to_pylist()[0]
    return found


def test_a_worker_reaches_the_stores_as_the_driver_does(bare: pytest.MonkeyPatch) -> None:
    given = {**KEYS, "AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL": "http://10.0.0.1:9000"}
    for name, value in given.items():
        bare.setenv(name, value)
    bare.setenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/of-this-machine")
    reader = pickle.dumps(_Told())
    for name in given:
        bare.delenv(name)
    # Keys of its own are no longer asked, and their token would fit none of those it is sent.
    bare.setenv("AWS_SESSION_TOKEN", "of the worker")
    assert told(reader) == given


def test_a_worker_keeps_its_own_keys_if_the_driver_has_none(bare: pytest.MonkeyPatch) -> None:
    bare.setenv("AWS_REGION", "eu-central-1")
    reader = pickle.dumps(_Told())
    for name, value in KEYS.items():
        bare.setenv(name, value)
    assert told(reader) == {**KEYS, "AWS_REGION": "eu-central-1"}
