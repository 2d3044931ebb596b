"""A real S3 API on loopback: versitygw if it is installed, else moto's server.

versitygw keeps objects as files below a folder, where tests can look at them and damage them, and
is as strict as AWS about signatures, conditions and uploads in parts:
``go install github.com/versity/versitygw/cmd/versitygw@v1.8.0``.
"""

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

import boto3

from pyspark_dms.services.background import free_port

LAKE = "lake"
_START_SECONDS = 60
_KEY, _SECRET = "test-key", "test-secret"


@contextmanager
def s3_server(folder: Path, *buckets: str, host: str = "127.0.0.1") -> Iterator[dict[str, str]]:
    """Run a server with some buckets; gives the environment in which clients find it.

    Of versitygw ``buckets/`` below the folder has the objects as files. The server may be killed
    with this process: it is one of its own, because this one is busy with Spark. ``host`` is the
    address that it listens on.
    """
    port = free_port()
    endpoint = f"http://{host}:{port}"
    environment = {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": _KEY,
        "AWS_SECRET_ACCESS_KEY": _SECRET,
        "AWS_REGION": "us-east-1",
        "NO_PROXY": host,
    }
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            _versitygw(folder, host, port) if shutil.which("versitygw") else _moto(host, port),
            env=os.environ | {"ROOT_ACCESS_KEY": _KEY, "ROOT_SECRET_KEY": _SECRET},
            stdout=log,
            stderr=log,
        )
    try:
        _wait_for(endpoint)
        for bucket in buckets:
            _client(environment).create_bucket(Bucket=bucket)
        yield environment
    finally:
        server.terminate()
        server.wait()


def _client(environment: Mapping[str, str]) -> Any:
    session = boto3.Session(_KEY, _SECRET, region_name=environment["AWS_REGION"])
    return session.client("s3", endpoint_url=environment["AWS_ENDPOINT_URL"])


def upload(environment: Mapping[str, str], folder: Path, bucket: str, prefix: str) -> None:
    """Put the files below a local folder into a bucket of a server, under the same names."""
    client = _client(environment)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            client.upload_file(str(path), bucket, f"{prefix}/{path.relative_to(folder)}")


def requests_of(folder: Path) -> list[str]:
    """The requests that the server of a folder has answered so far, a line each."""
    log = folder / "access.log"
    if log.exists():
        # Its first line says when it was started.
        return log.read_text(encoding="utf-8").splitlines()[1:]
    lines = (folder / "server.log").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if " HTTP/1.1" in line]


def _versitygw(folder: Path, host: str, port: int) -> list[str]:
    for name in ("buckets", "metadata"):
        (folder / name).mkdir()
    return [
        "versitygw", "--port", f"{host}:{port}", "--access-log", str(folder / "access.log"),
        "posix", "--sidecar", str(folder / "metadata"), str(folder / "buckets"),
    ]  # fmt: skip


def _moto(host: str, port: int) -> list[str]:
    return [sys.executable, "-m", "moto.server", "-H", host, "-p", str(port)]


def _wait_for(endpoint: str) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        # It refuses who has no key, and that is an answer too.
        with suppress(URLError):
            with suppress(HTTPError):
                urllib.request.urlopen(endpoint).close()
            return
        time.sleep(0.05)
    raise TimeoutError(f"no S3 server answers at {endpoint}")
