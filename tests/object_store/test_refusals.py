"""A store that lists a file and does not give it, or refuses to take or delete one, in words."""

import json
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from obstore.exceptions import GenericError, PermissionDeniedError

from pyspark_dms import stores
from pyspark_dms.errors import DmsError
from pyspark_dms.landing.listing import ListedTable, list_table
from pyspark_dms.reading.file_rows import as_indexed
from pyspark_dms.reading.indexed_files import FileProblem
from pyspark_dms.services.s3_lake import check_lake
from pyspark_dms.store_copy import copy_object
from pyspark_dms.versions.vacuum import parse_job, vacuum

ANSWERS = {
    "archived": ("InvalidObjectState", "The operation is not valid for the storage class."),
    "encrypted": ("AccessDenied", "User is not authorized to perform: kms:Decrypt"),
    "other": ("MadeUp", ""),
}


LISTING = """<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated><Contents>
<Key>dms/marked/</Key><Size>0</Size><LastModified>2020-11-13T06:00:00Z</LastModified>
<ETag>"1"</ETag></Contents></ListBucketResult>"""


class Refusing(BaseHTTPRequestHandler):
    """Answers as S3 does where an object may be listed and not read."""

    def do_GET(self) -> None:
        if "list-type" in self.path:
            body = LISTING.encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        code, message = ANSWERS[self.path.rsplit("/", 1)[1].removesuffix(".parquet")]
        told = f"<Message>{message}</Message>" if message else ""
        body = f'<?xml version="1.0"?><Error><Code>{code}</Code>{told}</Error>'.encode()
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self) -> None:
        self.answer(403, "<Error><Code>AccessDenied</Code></Error>")

    def do_POST(self) -> None:
        """Deletes all but some, which S3 says in an answer that is none of 403."""
        asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
        why = "<Code>AccessDenied</Code><Message>No.</Message>"
        told = "".join(
            f"<Error>{key}{why}</Error>" if "kept" in key else f"<Deleted>{key}</Deleted>"
            for key in re.findall("<Key>[^<]*</Key>", asked)
        )
        self.answer(200, f"<DeleteResult>{told}</DeleteResult>")

    def answer(self, status: int, body: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def do_HEAD(self) -> None:
        self.send_response(403)
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module", autouse=True)
def refusing_store() -> Iterator[None]:
    server = HTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "id")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "verysecretkey")
        patch.setenv("AWS_REGION", "us-east-1")
        yield
    server.shutdown()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "archived",
            "the store says InvalidObjectState (The operation is not valid for the storage class)."
            " It is in an archive (S3 Glacier): restore it, and run dbt run again",
        ),
        (
            "encrypted",
            "the store says AccessDenied (User is not authorized to perform: kms:Decrypt). Look"
            " whether it is still there. Then let the role that Spark runs in read it"
            " (s3:GetObject, and kms:Decrypt for its key), and run dbt run again",
        ),
        (
            "other",
            "the store says MadeUp. Run dbt run again; if that does not help, look at the store",
        ),
    ],
)
@pytest.mark.parametrize("size", [10, 20 * 1024 * 1024])
def test_a_file_that_is_not_given_is_a_problem_with_a_way_out(
    name: str, told: str, size: int
) -> None:
    with pytest.raises(FileProblem) as problem, as_indexed():
        stores.open_for_reading(f"s3://bucket-{size}/{name}.parquet", size).read(4)
    assert str(problem.value) == told


def test_a_refusal_of_the_lake_names_the_object_and_the_right() -> None:
    path = "s3://bucket/lake/archived.parquet"
    with pytest.raises(DmsError) as problem:
        stores.read_object(path)
    assert str(problem.value) == (
        f"{path} could not be read: the store says InvalidObjectState (The operation is not valid "
        "for the storage class). Look whether the role of this command may do that (s3:GetObject, "
        "and kms:Decrypt for its key), and at the store. Then give the command again. [E710]"
    )


@pytest.mark.parametrize("size", [1, 20 * 1024 * 1024])
def test_an_object_that_is_not_taken_is_named(size: int) -> None:
    def write() -> None:
        with stores.open_for_writing("s3://bucket/lake/rows.parquet") as sink:
            sink.write(b"1" * size)

    with pytest.raises(
        DmsError, match=r"s3://bucket/lake/rows.parquet could not be written: .*AccessDenied"
    ):
        write()


OLD, NEW = "20201114T100000000000Z", "20201115T100000000000Z"


def test_what_cannot_be_deleted_is_told_and_hinders_no_other_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root, long_ago = "s3://bucket/lake/people", datetime(2020, 11, 14, tzinfo=UTC)
    paths = [f"{root}/{OLD}/kept", f"{root}/{OLD}/gone", f"{root}/{NEW}/gone"]
    page = [stores.StoredObject(path, 5, "", long_ago) for path in paths]
    monkeypatch.setattr(stores, "list_objects", lambda url: iter([page]))
    areas = [{"root": root, "needed": []}]
    job = {"areas": areas, "written_before": long_ago.timestamp() + 1, "delete": True}
    [batch] = vacuum(parse_job(json.dumps(job)))
    first, second = batch.to_pylist()
    refusal = first.pop("first_refusal")
    counts = {"file_count": 1, "size": 5}
    assert first == {"folder": f"{root}/{OLD}", **counts, "refused_count": 1}
    assert refusal.startswith(f"{root}/{OLD}/kept could not be deleted: ")
    assert "AccessDenied" in refusal
    assert second == {
        "folder": f"{root}/{NEW}", **counts, "refused_count": 0, "first_refusal": None,
    }  # fmt: skip


def test_a_file_that_is_gone_already_is_none_that_stayed(tmp_path: Path) -> None:
    for name in ("first", "last"):
        (tmp_path / name).touch()
    paths = [str(tmp_path / name) for name in ("first", "missing", "last")]
    assert stores.delete_objects(paths) == []
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_does_not_answer_is_asked_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def be_away(store: object, paths: list[str]) -> None:
        asked.append(paths)
        raise GenericError("Generic S3 error: error sending request")

    monkeypatch.setattr("obstore.delete", be_away)
    with pytest.raises(DmsError, match=r"s3://bucket/a could not be deleted: .*sending request"):
        stores.delete_objects(["s3://bucket/a", "s3://bucket/b"])
    assert asked == [["a", "b"]]


def test_a_folder_of_the_lake_that_is_not_listed_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(url: str) -> Iterator[list[stores.StoredObject]]:
        raise PermissionDeniedError("<Code>AccessDenied</Code>")
        yield []

    monkeypatch.setattr(stores, "list_objects", refuse)
    with pytest.raises(DmsError, match=r"s3://bucket/lake could not be listed: the store says Acc"):
        stores.data_files("s3://bucket/lake")


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("AWS_ENDPOINT_URL", "127.0.0.1:9000", "allowed is an address"),
        ("AWS_ENDPOINT_URL", "http//minio.local", "allowed is an address"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:99999", "allowed is an address"),
        ("AWS_ENDPOINT_URL", "http://[::1", "allowed is an address"),
        ("AWS_ENDPOINT_URL_S3", "http://{host}:9000", "allowed is an address"),
        ("AWS_ENDPOINT", "minio", "allowed is an address"),
        ("AWS_ENDPOINT_URL", "http://me:hidden@minio", r"http://me:\*\*\*@minio; allowed is"),
        ("AWS_ACCESS_KEY_ID", "id\r", "has a space, a line break or another"),
        ("AWS_SESSION_TOKEN", "to\tken", "has a space, a line break or another"),
        ("AWS_REGION", "us-east-1\n", "has a space, a line break or another"),
        ("AWS_REGION", "us\u2011east-1", "has a space, a line break or another"),
    ],
)
def test_a_variable_that_the_client_panics_at_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setenv(name, value)
    # A store of its own: those of other tests are connected already.
    bucket = f"s3://bucket-{abs(hash((name, value)))}"
    with pytest.raises(DmsError, match=rf"{name} .*{told}.*\[E711\]"):
        check_lake(bucket)
    table = ListedTable(f"{bucket}/hr/people")
    [folder] = list_table(table).folders
    assert folder.problem is not None
    assert re.search(told, folder.problem)


def test_an_empty_object_of_which_nothing_more_is_given_is_listed() -> None:
    [page] = stores.list_objects("s3://bucket-of-markers/dms")
    assert [one.path for one in page] == ["s3://bucket-of-markers/dms/marked"]


def test_an_object_that_is_not_copied_is_named() -> None:
    with pytest.raises(
        DmsError, match=r"s3://bucket/lake/new.parquet could not be copied: .*AccessDenied"
    ):
        copy_object("s3://bucket/lake/old.parquet", "s3://bucket/lake/new.parquet")
