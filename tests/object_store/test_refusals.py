"""A store that lists a file and does not give it: one table's problem, in words."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from pyspark_dms import stores
from pyspark_dms.reading.file_rows import as_indexed
from pyspark_dms.reading.indexed_files import FileProblem

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


def test_an_empty_object_of_which_nothing_more_is_given_is_listed() -> None:
    [page] = stores.list_objects("s3://bucket-of-markers/dms")
    assert [one.path for one in page] == ["s3://bucket-of-markers/dms/marked"]
