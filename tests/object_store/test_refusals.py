"""A store that lists a file and does not give it, or refuses to take or delete one, in words."""

import json
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

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


# What a bucket has, where it is listed at all. It has no object of the name "gone".
KEYS = (
    "archived.parquet", "dms/empty", "dms/marked/", "encrypted.parquet", "lake/archived.parquet",
    "lake/old.parquet", "other.parquet",
)  # fmt: skip
# A bucket that is not even listed.
BLIND = "blind"


class Refusing(BaseHTTPRequestHandler):
    """Answers as S3 does whoever may list below a prefix, and read nothing.

    Of an object that is not there it says what it says of one that may not be read.
    """

    def do_GET(self) -> None:
        where = urlsplit(self.path)
        asked = dict(parse_qsl(where.query))
        if "list-type" in asked and not where.path.startswith(f"/{BLIND}"):
            begin, after = asked.get("prefix", ""), asked.get("start-after", "")
            found = [key for key in KEYS if key.startswith(begin) and key > after]
            told = "".join(
                f"<Contents><Key>{key}</Key><Size>0</Size><ETag>1</ETag>"
                "<LastModified>2020-11-13T06:00:00Z</LastModified></Contents>"
                for key in found
            )
            truncated = "<IsTruncated>false</IsTruncated>"
            self.answer(200, f"<ListBucketResult>{truncated}{told}</ListBucketResult>")
            return
        name = where.path.rsplit("/", 1)[1].removesuffix(".parquet")
        code, message = ANSWERS.get(name, ("AccessDenied", ""))
        told = f"<Message>{message}</Message>" if message else ""
        self.answer(403, f"<Error><Code>{code}</Code>{told}</Error>")

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
            "the store says AccessDenied (User is not authorized to perform: kms:Decrypt)."
            " Let the role that Spark runs in read it"
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


@pytest.mark.parametrize("size", [10, 20 * 1024 * 1024])
def test_a_file_that_is_gone_is_told_as_gone_where_it_is_refused_like_one_without_rights(
    size: int,
) -> None:
    with pytest.raises(FileProblem, match="in the index but no longer there"), as_indexed():
        stores.open_for_reading(f"s3://bucket-{size}/dms/gone.parquet", size).read(4)


@pytest.mark.parametrize("size", [10, 20 * 1024 * 1024])
def test_both_causes_are_named_where_no_listing_tells_whether_a_file_is_gone(size: int) -> None:
    with pytest.raises(FileProblem) as problem, as_indexed():
        stores.open_for_reading(f"s3://{BLIND}-{size}/dms/gone.parquet", size).read(4)
    assert str(problem.value) == (
        "the store says AccessDenied. Look whether it is still there: without s3:ListBucket, S3 "
        "says the same of a file that is gone. If it is, let the role that Spark runs in read it "
        "(s3:GetObject, and kms:Decrypt for its key), and run dbt run again"
    )


def test_both_causes_are_named_of_an_object_of_the_lake() -> None:
    with pytest.raises(FileNotFoundError):
        stores.read_object("s3://bucket/lake/gone.parquet")
    path = f"s3://{BLIND}/lake/gone.parquet"
    with pytest.raises(DmsError) as problem:
        stores.read_object(path)
    assert str(problem.value) == (
        f"{path} could not be read: the store says AccessDenied. Look whether it is still there, "
        "which only s3:ListBucket tells, and whether the role of this command may do that "
        "(s3:GetObject, and kms:Decrypt for its key), and at the store. Then give the command "
        "again. [E710]"
    )


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


def test_the_marker_of_a_folder_is_told_from_an_empty_file_where_neither_is_given() -> None:
    [page] = stores.list_objects("s3://bucket-of-markers/dms")
    assert [one.path for one in page] == ["s3://bucket-of-markers/dms/empty"]


def test_an_object_that_is_not_copied_is_named() -> None:
    new = "s3://bucket/lake/new.parquet"
    with pytest.raises(DmsError, match=f"{new} could not be copied: .*AccessDenied.*whether the"):
        copy_object("s3://bucket/lake/old.parquet", new)
    gone = "s3://bucket/lake/gone.parquet"
    with pytest.raises(DmsError, match=f"{gone} could not be read: it is gone"):
        copy_object(gone, new)
    gone = f"s3://{BLIND}/lake/gone.parquet"
    new = f"s3://{BLIND}/lake/new.parquet"
    with pytest.raises(DmsError, match=f"{new} could not be copied.*whether {gone} is still there"):
        copy_object(gone, new)
