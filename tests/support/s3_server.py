"""A real S3 API on loopback: versitygw, whose objects are files below a folder."""

import os
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError, URLError

import boto3

from pyspark_dms.services.background import free_port

LAKE = "lake"
_VERSION = "v1.8.0"
_START_SECONDS = 30
_KEY, _SECRET = "test-key", "test-secret"


def server_program() -> str:
    """The server: the one that is installed, or one that Go builds, some minutes the first time."""
    if found := shutil.which("versitygw"):
        return found
    folder = Path.home() / ".cache/dms-snapshots"
    if not (folder / "versitygw").exists():
        subprocess.run(
            ["go", "install", f"github.com/versity/versitygw/cmd/versitygw@{_VERSION}"],
            env=os.environ | {"GOBIN": str(folder)},
            check=True,
        )
    return str(folder / "versitygw")


@contextmanager
def s3_server(folder: Path, *buckets: str) -> Iterator[dict[str, str]]:
    """Run a server with some buckets; gives the environment in which clients find it.

    ``buckets/`` below the folder has the objects as files, ``access.log`` a line per request.
    """
    for name in ("buckets", "metadata"):
        (folder / name).mkdir(parents=True)
    port = free_port()
    endpoint = f"http://127.0.0.1:{port}"
    command = [server_program(), "--port", f"127.0.0.1:{port}"]
    command += ["--access-log", str(folder / "access.log")]
    command += ["posix", "--sidecar", str(folder / "metadata"), str(folder / "buckets")]
    server = subprocess.Popen(
        command,
        env=os.environ | {"ROOT_ACCESS_KEY": _KEY, "ROOT_SECRET_KEY": _SECRET},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    environment = {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": _KEY,
        "AWS_SECRET_ACCESS_KEY": _SECRET,
        "AWS_REGION": "us-east-1",
        "NO_PROXY": "127.0.0.1",
    }
    try:
        _wait_for(endpoint)
        client = boto3.client(
            "s3",
            endpoint_url=endpoint,
            aws_access_key_id=_KEY,
            aws_secret_access_key=_SECRET,
            region_name="us-east-1",
        )
        for bucket in buckets:
            client.create_bucket(Bucket=bucket)
        yield environment
    finally:
        server.terminate()
        server.wait()


def _wait_for(endpoint: str) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        with suppress(URLError):
            try:
                urllib.request.urlopen(endpoint).close()
            except HTTPError:
                return
        time.sleep(0.05)
    raise TimeoutError(f"no S3 server answers at {endpoint}")
