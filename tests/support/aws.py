"""An AWS API over the wire, in this process.

moto has no BatchDeleteTableVersion of Glue and gives all versions of a table on one page, so both
are here as the documentation of Glue has them.
"""

import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from moto.core.responses import ActionResult
from moto.glue.responses import GlueResponse
from moto.server import ThreadedMotoServer

_PAGE = 100


@contextmanager
def aws_api(region: str) -> Iterator[None]:
    """A server of the API with an empty account, and the environment in which clients find it."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "id")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_DEFAULT_REGION", region)
        patch.setenv("NO_PROXY", "127.0.0.1")
        patch.setattr(GlueResponse, "get_table_versions", _a_page_of_versions)
        patch.setattr(
            GlueResponse, "batch_delete_table_version", _delete_a_batch_of_versions, raising=False
        )
        # What an earlier server of this process was told is still there.
        reset = urllib.request.Request(f"http://{host}:{port}/moto-api/reset", method="POST")
        urllib.request.urlopen(reset).close()
        try:
            yield
        finally:
            server.stop()


def _a_page_of_versions(self: Any) -> ActionResult:
    """GetTableVersions with pages, the newest version first."""
    database, table = self.parameters["DatabaseName"], self.parameters["TableName"]
    versions = sorted(
        self.glue_backend.get_table_versions(database, table).items(),
        key=lambda one: -int(one[0]),
    )
    begin = int(self.parameters.get("NextToken") or 0)
    page: dict[str, Any] = {
        "TableVersions": [
            {"Table": data, "VersionId": number} for number, data in versions[begin:][:_PAGE]
        ]
    }
    if begin + _PAGE < len(versions):
        page["NextToken"] = str(begin + _PAGE)
    return ActionResult(page)


def _delete_a_batch_of_versions(self: Any) -> ActionResult:
    """BatchDeleteTableVersion: 100 versions at most, and an error for each that is not there."""
    database, table = self.parameters["DatabaseName"], self.parameters["TableName"]
    assert len(self.parameters["VersionIds"]) <= 100, "ValidationException"
    errors = []
    for number in self.parameters["VersionIds"]:
        try:
            self.glue_backend.delete_table_version(database, table, number)
        except KeyError:
            detail = {"ErrorCode": "EntityNotFoundException", "ErrorMessage": "Version not found."}
            errors.append({"TableName": table, "VersionId": number, "ErrorDetail": detail})
    return ActionResult({"Errors": errors})
