"""The version log on a real S3 API: who commits, and how many requests a command costs."""

import json
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from bench.version_log import manifest_of
from pyspark_dms.errors import DmsError
from pyspark_dms.versions import log, recorded
from pyspark_dms.versions.log import TableVersions, Wanted, create
from pyspark_dms.versions.numbered import CHECKPOINT, Outcome, object_name, probe
from tests.support.s3_server import LAKE, requests_of, s3_server

RUN = Wanted("2999-12-31")
AGE = 2 * CHECKPOINT + 8


class Server:
    """Where the log is, and what was asked of it since the last look."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = f"s3://{LAKE}/log"
        self._seen = 0

    def requests(self) -> list[str]:
        requests = requests_of(self.folder)
        new, self._seen = requests[self._seen :], len(requests)
        return new


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("s3")
    with s3_server(folder, LAKE) as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        server = Server(folder)
        for number in range(1, AGE + 1):
            create(server.root, manifest_of("hr.people", number), "token")
        server.requests()
        yield server


def read(server: Server, wanted: Wanted, label: str = "hr.people") -> TableVersions:
    found = log.read(server.root, {label: wanted})[label]
    assert isinstance(found, TableVersions), found
    return found


def test_a_command_asks_as_little_of_an_old_table_as_of_a_new_one(server: Server) -> None:
    for wanted, count in (
        (RUN, 2),
        (Wanted(manifest_of("hr.people", AGE)["run_date"]), 3),
        (Wanted(lineage=True), 3),
        (Wanted(versions=(AGE,)), 3),
        (Wanted(versions=(AGE - 1, AGE), fields=()), 3),
    ):
        found = read(server, wanted)
        assert found.newest == AGE
        assert len(server.requests()) == count, wanted
    every = read(server, Wanted(after=0))
    assert every.manifests[AGE]["staged"] == manifest_of("hr.people", AGE)["staged"]
    assert len(every.manifests) == AGE == len(server.requests()) - 1


def test_a_commit_is_one_request_behind_three_that_read(server: Server) -> None:
    for number in (1, 2):
        create(server.root, manifest_of("hr.few", number), "token")
    server.requests()
    assert create(server.root, manifest_of("hr.few", 3), "token") is Outcome.CREATED
    assert len(server.requests()) == 4
    assert create(server.root, manifest_of("hr.few", 3), "other") is Outcome.TAKEN
    assert log.tables(server.root) == ["hr.few", "hr.people"]


def test_many_tables_are_read_side_by_side(server: Server) -> None:
    labels = ["hr.people", *(f"hr.none_{number}" for number in range(40))]
    server.requests()
    found = log.read(server.root, dict.fromkeys(labels, RUN))
    newest = {label: of.newest for label, of in found.items() if isinstance(of, TableVersions)}
    assert newest == {label: AGE if label == "hr.people" else 0 for label in labels}
    assert len(server.requests()) == 42


def test_a_command_records_with_as_few_requests_at_any_age(server: Server) -> None:
    row = {"source_name": "hr", "table_name": "people", "version": 1, "dates": ["2020-11-13"]}
    for number in range(1, CHECKPOINT + 5):
        assert recorded.record(server.root, "run", [row]) == number
        assert len(server.requests()) <= 4
        assert recorded.read(server.root).last("hr.people") == 1
        assert len(server.requests()) <= 3


@pytest.mark.skipif(not shutil.which("versitygw"), reason="moto looks first, and then writes")
def test_of_64_writers_at_once_one_wins(server: Server) -> None:
    for number in range(1, 4):

        def write(writer: int, number: int = number) -> Outcome:
            return create(server.root, manifest_of("hr.raced", number), f"writer {writer}")

        with ThreadPoolExecutor(64) as writers:
            outcomes = [*writers.map(write, range(64))]
        assert outcomes.count(Outcome.CREATED) == 1
        assert write(outcomes.index(Outcome.CREATED)) is Outcome.CREATED


def test_a_store_is_tried_and_nothing_stays(server: Server) -> None:
    server.requests()
    probe(f"{server.root}/tried")
    assert len(server.requests()) == 3
    assert log.tables(f"{server.root}/tried") == []


def test_an_old_object_that_is_gone_or_of_another_name_is_named(
    server: Server, tmp_path: Path
) -> None:
    bucket = server.folder / "buckets" / LAKE
    if not bucket.is_dir():
        pytest.skip("moto has no files")
    folder = bucket / "log" / "hr.people"
    path = folder / object_name(1)
    kept = shutil.move(path, tmp_path / "kept")
    assert read(server, RUN).newest == AGE
    found = log.read(server.root, {"hr.people": Wanted(versions=(1,))})["hr.people"]
    lost = f"{server.root}/hr.people/{object_name(1, 'lost')}"
    assert f"{server.root}/hr.people/{object_name(1)} is gone. Nothing was done" in str(found)
    assert str(found).endswith(f"echo | aws s3 cp - {lost} [E425]")
    shutil.move(kept, path)
    (folder / "0.json").write_text("{}")
    found = log.read(server.root, {"hr.people": RUN})["hr.people"]
    assert f"{server.root}/hr.people/0.json was put into the version log by hand" in str(found)
    (folder / "0.json").unlink()
    assert read(server, RUN).newest == AGE


class Odd(BaseHTTPRequestHandler):
    """A store that is asked to create an object, and does as its `manner` says."""

    manner = ""
    objects: ClassVar[dict[str, bytes]] = {}
    conflicts = 0

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        is_conditional = "If-None-Match" in self.headers
        if self.manner == "says 501" and is_conditional:
            self.answer(501, b"<Error><Code>NotImplemented</Code></Error>")
        elif self.manner == "refuses all":
            self.answer(403, b"<Error><Code>AccessDenied</Code></Error>")
        elif self.manner == "conflicts" and Odd.conflicts < 2:
            Odd.conflicts += 1
            self.answer(409, b"<Error><Code>ConditionalRequestConflict</Code></Error>")
        elif self.path in self.objects and is_conditional and self.manner != "ignores":
            self.answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
        else:
            self.objects[self.path] = body
            if self.manner == "loses answers":
                # The client asks again, and is told that the object is there.
                self.close_connection = True
                self.connection.close()
                return
            self.answer(200, b"")

    def do_GET(self) -> None:
        if "list-type" in self.path:
            self.answer(
                200, b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
            )
        elif self.path in self.objects:
            self.answer(200, self.objects[self.path])
        else:
            self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200, b"<DeleteResult></DeleteResult>")

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Fri, 13 Nov 2020 06:00:00 GMT")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def odd_root(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    Odd.objects, Odd.conflicts = {}, 0
    store = ThreadingHTTPServer(("127.0.0.1", 0), Odd)
    threading.Thread(target=store.serve_forever, daemon=True).start()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{store.server_port}",
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    yield f"s3://odd-{store.server_port}/log"
    store.shutdown()


@pytest.mark.parametrize(
    ("manner", "said"),
    [
        ("ignores", "and this one has overwritten one. Nothing was run."),
        ("says 501", "and this one refuses that: the store says NotImplemented. Nothing was run."),
    ],
)
def test_a_store_that_cannot_create_an_object_once_is_refused(
    odd_root: str, monkeypatch: pytest.MonkeyPatch, manner: str, said: str
) -> None:
    monkeypatch.setattr(Odd, "manner", manner)
    with pytest.raises(DmsError) as problem:
        probe(odd_root)
    assert str(problem.value).startswith(f"{odd_root}: the version log needs a store that creates")
    assert said in str(problem.value)
    assert str(problem.value).endswith("or a local disk with hard links. [E713]")


def test_whoever_may_not_write_is_told_so(odd_root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Odd, "manner", "refuses all")
    with pytest.raises(DmsError, match=r"could not be written: the store says AccessDenied.*E710"):
        probe(odd_root)


@pytest.mark.parametrize("manner", ["conflicts", "loses answers"])
def test_a_commit_is_sure_of_itself_whatever_the_answer(
    odd_root: str, monkeypatch: pytest.MonkeyPatch, manner: str
) -> None:
    monkeypatch.setattr(Odd, "manner", manner)
    assert create(odd_root, manifest_of("hr.people", 1), "mine") is Outcome.CREATED
    [content] = Odd.objects.values()
    assert json.loads(content)["commit_id"] == "mine"
    assert create(odd_root, manifest_of("hr.people", 1), "other") is Outcome.TAKEN
