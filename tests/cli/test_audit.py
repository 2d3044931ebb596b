"""``make audit``: what is known against packages, and that what was not asked is not good news."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pyspark_dms.services.background import free_port
from tests.support.engines import REPOSITORY

HASH = "--hash=sha256:" + "0" * 64
KNOWN = {
    "vulns": [
        {
            "id": "TEST-1",
            "summary": "reads what it must not",
            "affected": [
                {
                    "package": {"name": "holed", "ecosystem": "PyPI"},
                    "ranges": [
                        {
                            "type": "ECOSYSTEM",
                            "events": [{"introduced": "0"}, {"fixed": "1.3"}],
                        }
                    ],
                }
            ],
        }
    ]
}


class Advisories(BaseHTTPRequestHandler):
    """Answers as OSV does: it knows something against one package, and nothing against others."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = KNOWN if asked["package"]["name"] == "holed" else {}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Advisories)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/query"
    server.shutdown()


def audit(folder: Path, packages: Mapping[str, str], url: str) -> tuple[int, str]:
    lock = folder / "some.lock"
    lock.write_text("".join(f"{name}=={version} {HASH}\n" for name, version in packages.items()))
    return audit_locks([lock], url)


def audit_locks(locks: Sequence[Path], url: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "requirements/audit.py"), *map(str, locks)],
        env={**os.environ, "PIP_AUDIT_OSV_URL": url, "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_what_is_known_against_a_package_is_told_and_fails(tmp_path: Path, service: str) -> None:
    code, printed = audit(tmp_path, {"holed": "1.2", "sound": "3.0"}, service)
    assert code == 1
    assert "holed 1.2: TEST-1, mended in 1.3: reads what it must not" in printed
    assert "2 packages audited, 0 not; 1 problems are known." in printed
    assert audit(tmp_path, {"sound": "3.0"}, service)[0] == 0


def test_a_service_that_is_away_fails_nothing_and_is_told(tmp_path: Path) -> None:
    code, printed = audit(tmp_path, {"holed": "1.2"}, f"http://127.0.0.1:{free_port()}/")
    assert (code, "NOTHING WAS AUDITED: " in printed) == (0, True)
    assert "packages audited" not in printed


def test_a_lock_that_cannot_be_read_fails(tmp_path: Path, service: str) -> None:
    code, printed = audit(tmp_path, {"holed": "of no version"}, service)
    assert (code, "could not read the lock" in printed) == (1, True)


def test_every_lock_of_the_project_can_be_audited(service: str) -> None:
    locks = sorted((REPOSITORY / "requirements").glob("*.lock"))
    code, printed = audit_locks(locks, service)
    assert (code, printed.count("packages audited, 0 not; 0 problems")) == (0, len(locks)), printed
