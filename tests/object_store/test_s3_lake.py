"""What Spark is told of a lake on S3, and what a person is told if it cannot be reached."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml
from jinja2 import Environment

from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.services.s3_lake import (
    check_lake,
    local_folder,
    spark_settings,
    take_folder,
)
from pyspark_dms.services.thrift import ThriftServer
from pyspark_dms.stores import list_objects, open_for_writing, read_object
from tests.support.engines import PYTHON_HOOKS, REPOSITORY
from tests.support.s3_server import LAKE, requests_of, s3_server

ENVIRONMENTS: Mapping[str, dict[str, str]] = {
    "nothing": {},
    "region": {"AWS_DEFAULT_REGION": "eu-central-1"},
    "endpoint": {"AWS_ENDPOINT_URL": "http://127.0.0.1:9000", "AWS_REGION": "us-east-1"},
    "endpoint of S3": {"AWS_ENDPOINT_URL_S3": "https://s3.here", "AWS_ENDPOINT_URL": "https://x"},
    "encryption": {"AWS_SERVER_SIDE_ENCRYPTION": "AES256"},
    "key": {"AWS_SERVER_SIDE_ENCRYPTION": "aws:kms", "AWS_SSE_KMS_KEY_ID": "arn:aws:kms:a:1:key/b"},
}


def local_target(environment: Mapping[str, str]) -> dict[str, str]:
    """The Spark settings of the target `local`, as dbt reads them in an environment."""

    def env_var(name: str, default: str | None = None) -> str:
        return environment[name] if default is None else environment.get(name, default)

    text = (REPOSITORY / "profiles/profiles.yml").read_text(encoding="utf-8")
    jinja = Environment()
    settings: dict[str, str] = yaml.safe_load(text)["dms_snapshots"]["outputs"]["local"][
        "server_side_parameters"
    ]
    return {
        name: jinja.from_string(str(value)).render(env_var=env_var)
        for name, value in settings.items()
    }


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_embedded_session_and_the_server_are_told_the_same(name: str) -> None:
    environment = ENVIRONMENTS[name]
    told = spark_settings(environment)
    assert {key: local_target(environment)[key] for key in told} == told


def test_the_endpoint_of_s3_goes_before_that_of_all_services() -> None:
    told = spark_settings(ENVIRONMENTS["endpoint of S3"])
    assert told["spark.hadoop.fs.s3a.endpoint"] == "https://s3.here"
    assert told["spark.hadoop.fs.s3a.path.style.access"] == "true"


@pytest.mark.parametrize("lake", ["s3://bucket", "s3a://bucket/a/lake/", "s3n://bucket/x", "/here"])
def test_a_lake_on_s3_has_its_metastore_in_a_local_folder(lake: str) -> None:
    settings = local_target({"DMS_LAKE": lake})
    url = settings["spark.hadoop.javax.jdo.option.ConnectionURL"]
    assert url == f"jdbc:derby:;databaseName={local_folder(lake)}/metastore;create=true"
    assert settings["spark.sql.warehouse.dir"] == f"{lake.rstrip('/')}/warehouse"


def test_the_same_bucket_has_one_metastore_however_its_address_is_written() -> None:
    folders = {local_folder(f"{scheme}://bucket/lake") for scheme in ("s3", "s3a", "s3n")}
    assert folders == {Path("lake/bucket-lake")}


def test_two_lakes_whose_addresses_give_one_name_do_not_share_a_metastore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = "s3a://acme/lake/", "s3://acme-lake"
    assert local_folder(first) == local_folder(second)
    for lake in (first, "s3://acme/lake"):
        take_folder(local_folder(lake), lake)
    refused = r"lake s3://acme-lake cannot use .* which the lake s3://acme/lake uses"
    with pytest.raises(DmsError, match=refused):
        take_folder(local_folder(second), second)
    # Also of a server, whether it is to start or to end: it would be that of the other.
    with pytest.raises(DmsError, match=refused):
        ThriftServer.of_lake(second)
    # A write that was killed leaves no lake without its folder.
    (local_folder(first) / "lake_on_s3.txt").write_text("")
    take_folder(local_folder(first), first)
    assert (local_folder(first) / "lake_on_s3.txt").read_text() == "acme/lake"


def test_a_server_takes_its_local_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = ThriftServer.of_lake("s3://acme/lake", taken.getsockname()[1])
        with pytest.raises(DmsError, match=r"\[E680\]"):
            server.start()
    owner = tmp_path / "lake/acme-lake/lake_on_s3.txt"
    assert owner.read_text() == "acme/lake"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "lake").write_text("a file")
    with pytest.raises(DmsError, match=r"lake_on_s3.txt could not be written: Not a directory"):
        take_folder(tmp_path / "lake/acme", "s3://acme")


def test_a_server_has_its_tables_on_s3_and_the_rest_in_a_local_folder() -> None:
    server = ThriftServer.of_lake("s3://bucket/lake/", 10001)
    assert server.warehouse == "s3://bucket/lake/thrift/warehouse"
    assert server.folder == Path("lake/bucket-lake/thrift").absolute()
    assert ThriftServer.of_lake("/a/lake").warehouse is None


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("s3_lake")
    with s3_server(folder, LAKE) as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield


def test_a_lake_that_can_be_listed_is_taken(s3: None) -> None:
    check_lake(f"s3://{LAKE}/empty")
    check_lake(f"s3a://{LAKE}")


@pytest.mark.parametrize(
    ("lake", "answer"),
    [("s3://no-such-bucket/lake", "NoSuchBucket"), ("s3://", "names no bucket")],
)
def test_a_lake_that_cannot_be_listed_is_refused_before_spark_starts(
    s3: None, lake: str, answer: str
) -> None:
    with pytest.raises(DmsError) as refused:
        check_lake(lake)
    assert lake in str(refused.value)
    assert answer in str(refused.value)


def test_sparks_start_script_refuses_the_folder_of_another_lake(s3: None, tmp_path: Path) -> None:
    # With Hadoop's client among Spark's own jars nothing is fetched.
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars/hadoop-aws-3.4.1.jar").touch()

    def start(lake: str, **environment: str) -> str:
        ended = subprocess.run(
            [sys.executable, "-m", "pyspark_dms.services.s3_lake"],
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(PYTHON_HOOKS),
                "SPARK_HOME": str(tmp_path),
                "DMS_LAKE": lake,
                **environment,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        return ended.stderr

    assert start(f"s3://{LAKE}/a/b") == ""
    assert start(f"s3a://{LAKE}/a/b/") == ""
    assert "which the lake s3://" in start(f"s3://{LAKE}/a-b")
    # A server has looked in its own folder.
    assert start(f"s3://{LAKE}/a-b", DMS_SERVER="true") == ""


def test_sparks_start_script_says_in_one_line_why_a_lake_is_refused(s3: None) -> None:
    script = REPOSITORY / "profiles/spark/spark-env.sh"
    ended = subprocess.run(
        ["bash", "-c", f"source {script}; echo started"],
        env={
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": str(PYTHON_HOOKS),
            "SPARK_HOME": "/nowhere",
            "DMS_LAKE": "s3://no-such-bucket/lake",
            "AWS_ENDPOINT_URL": os.environ["AWS_ENDPOINT_URL"],
            "AWS_ACCESS_KEY_ID": "id",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "PATH": "/usr/bin:/bin",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert line.startswith("Error: DMS_LAKE is s3://no-such-bucket/lake")


def test_a_file_is_sent_in_one_request_so_that_a_kill_leaves_no_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with s3_server(tmp_path, LAKE) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        contents = {"small": b"1" * 7_000_000, "larger": os.urandom(20 * 1024 * 1024)}
        for name, content in contents.items():
            with open_for_writing(f"s3://{LAKE}/sent/{name}") as file:
                file.write(content)
        sent = [line for line in requests_of(tmp_path) if "/sent/" in line]
        assert len(sent) == len(contents), sent
        # What is larger than a request may be is sent in parts.
        monkeypatch.setattr(stores, "_REQUEST_BYTES", 17 * 1024 * 1024)
        with open_for_writing(f"s3://{LAKE}/sent/in_parts") as file:
            file.write(contents["larger"])
        assert len([line for line in requests_of(tmp_path) if "/sent/in_parts" in line]) > 2
        for name, content in (*contents.items(), ("in_parts", contents["larger"])):
            assert bytes(read_object(f"s3://{LAKE}/sent/{name}")) == content


def test_keys_may_come_from_an_address_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """EMR Serverless is said to name such an address to its jobs, without a file of a token."""
    with s3_server(tmp_path, LAKE) as environment, keys_server(environment) as address:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", address)
        # The other one counts.
        monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
        root = f"s3://{LAKE}/of_a_job"
        with open_for_writing(f"{root}/one") as file:
            file.write(b"1")
        assert [one.path for page in list_objects(root) for one in page] == [f"{root}/one"]


@contextmanager
def keys_server(environment: Mapping[str, str]) -> Iterator[str]:
    """Gives the keys of an environment to whoever asks, as the metadata service of a job does."""
    answer = {
        "AccessKeyId": environment["AWS_ACCESS_KEY_ID"],
        "SecretAccessKey": environment["AWS_SECRET_ACCESS_KEY"],
        "Token": "",
        "Expiration": "2100-01-01T00:00:00Z",
    }

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Keys)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/keys"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
