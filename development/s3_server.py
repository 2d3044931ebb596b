"""An S3 API on loopback to try a lake on S3: moto's server, which keeps all in its memory."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.request import ProxyHandler, Request, build_opener

import obstore
from obstore.store import S3Store

from pyspark_dms.errors import DmsError
from pyspark_dms.services.background import (
    STOP_SECONDS,
    Background,
    RunningServer,
    port_is_taken,
    python_environment,
)

HOST = "127.0.0.1"
DEFAULT_PORT = 9000
START_SECONDS = 60.0
LAKE, LANDING = "trial-lake", "trial-landing"
_MODULE = "moto.server"


@dataclass(frozen=True)
class S3Server:
    """The server, and what clients must find in their environment.

    Attributes:
        folder: where its log and its pid file are; an absolute path.
        port: TCP port on loopback.
    """

    folder: Path
    port: int = DEFAULT_PORT

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which every client of S3 finds it; it takes any key."""
        return {
            "AWS_ENDPOINT_URL": f"http://{HOST}:{self.port}",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
        }

    def running(self) -> RunningServer | None:
        """The server that was started in this folder, if its process is alive."""
        return self._process.running()

    def start(self) -> bool:
        """Start it with the buckets of a landing area and a lake; False if it was running already.

        Raises:
            DmsError: the port is taken, or it did not start; the text has the end of its log.
        """
        if self.running() is not None:
            return False
        if port_is_taken(HOST, self.port):
            raise DmsError(
                "E680",
                f"Port {self.port} on {HOST} is taken by another program. Stop it, or choose a "
                "port with --port.",
            )
        command = [sys.executable, "-m", _MODULE, "-H", HOST, "-p", str(self.port)]
        self._process.launch(command, self.port, python_environment())
        self._process.wait_until(lambda: port_is_taken(HOST, self.port), START_SECONDS)
        # No proxy, whatever the environment says: it is on this machine.
        opener = build_opener(ProxyHandler({}))
        for bucket in (LAKE, LANDING):
            # obstore knows no such request.
            request = Request(f"http://{HOST}:{self.port}/{bucket}", method="PUT")
            opener.open(request).close()
        return True

    def stop(self) -> bool:
        """End it; all that was in its buckets is gone. False if none was running."""
        return self._process.stop(STOP_SECONDS)

    def upload(self, folder: Path, prefix: str) -> int:
        """Put the files below a folder into the landing area; returns how many.

        Args:
            folder: a local folder.
            prefix: what their keys begin with, without a slash at its end.
        """
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        store = self._store(LANDING)
        for path in files:
            obstore.put(store, f"{prefix}/{path.relative_to(folder).as_posix()}", path)
        return len(files)

    @property
    def _process(self) -> Background:
        return Background(self.folder, "s3", "The S3 server", _MODULE)

    def _store(self, bucket: str) -> S3Store:
        return S3Store(
            bucket,
            endpoint=f"http://{HOST}:{self.port}",
            access_key_id="test",
            secret_access_key="test",
            region="us-east-1",
            client_options={"allow_http": True},
        )
