"""The command that deletes old versions of tables in AWS Glue."""

import tomllib
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from click.testing import CliRunner

from pyspark_dms.aws import table_versions
from pyspark_dms.cli import main
from tests.support.aws import aws_api
from tests.support.engines import REPOSITORY

REGION = "eu-central-1"


@pytest.fixture
def glue(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Glue with the database `lake`: a table of 250 versions, and one of 3."""
    with aws_api(REGION):
        client = boto3.client("glue")
        client.create_database(DatabaseInput={"Name": "lake"})
        for table, versions in (("people_snapshot", 250), ("stores_snapshot", 3)):
            client.create_table(DatabaseName="lake", TableInput={"Name": table})
            for _ in range(versions - 1):
                client.update_table(DatabaseName="lake", TableInput={"Name": table})
        # As EMR names the region, which boto3 does not look at.
        monkeypatch.delenv("AWS_DEFAULT_REGION")
        monkeypatch.setenv("AWS_REGION", REGION)
        yield client


def deleted(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["delete-table-versions", *arguments])
    return done.exit_code, done.output


def versions(glue: Any, table: str) -> list[int]:
    pages = glue.get_paginator("get_table_versions").paginate(DatabaseName="lake", TableName=table)
    return sorted(int(one["VersionId"]) for page in pages for one in page["TableVersions"])


def test_the_newest_versions_stay_and_the_others_are_deleted_in_batches(glue: Any) -> None:
    all_of_them = versions(glue, "people_snapshot")
    assert len(all_of_them) == 250
    few = versions(glue, "stores_snapshot")
    status, printed = deleted("--no-dry-run")
    assert status == 0, printed
    assert versions(glue, "people_snapshot") == all_of_them[-10:]
    assert versions(glue, "stores_snapshot") == few
    assert printed.splitlines() == [
        "people_snapshot: 240 of 250 versions deleted",
        "2 tables in lake: 240 of 253 versions deleted",
    ]
    assert glue.get_table(DatabaseName="lake", Name="people_snapshot")["Table"]
    assert deleted("--no-dry-run", "--keep", "2")[0] == 0
    assert versions(glue, "people_snapshot") == all_of_them[-2:]
    assert versions(glue, "stores_snapshot") == few[-2:]


def test_without_being_told_it_deletes_nothing_and_says_how(glue: Any) -> None:
    status, printed = deleted("--keep", "200")
    assert status == 0
    assert len(versions(glue, "people_snapshot")) == 250
    assert printed.splitlines() == [
        "people_snapshot: 50 of 250 versions would be deleted",
        "2 tables in lake: 50 of 253 versions would be deleted",
        "Nothing was deleted. To delete them: dms-snapshots delete-table-versions"
        " --schema lake --keep 200 --no-dry-run",
    ]


def test_the_table_itself_cannot_be_deleted(glue: Any) -> None:
    assert deleted("--no-dry-run", "--keep", "0")[0] == 2
    assert len(versions(glue, "stores_snapshot")) == 3


def test_a_version_that_was_not_deleted_is_named_and_fails_the_command(
    glue: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = table_versions._version_numbers
    # Somebody else has deleted one since it was listed.
    monkeypatch.setattr(
        table_versions,
        "_version_numbers",
        lambda *given: [*real(*given), *([-1] if given[2] == "people_snapshot" else [])],
    )
    status, printed = deleted("--no-dry-run")
    assert status == 1
    assert "people_snapshot, version -1: EntityNotFoundException: Version not found." in printed
    assert "people_snapshot: 240 of 251 versions deleted" in printed
    assert "Not deleted: 1 version;" in printed


def deny(client: Any, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Glue answer deletions so."""
    error = ClientError({"Error": {"Code": code, "Message": "because"}}, "BatchDeleteTableVersion")

    def denied(**_: Any) -> None:
        raise error

    monkeypatch.setattr(client, "batch_delete_table_version", denied)
    monkeypatch.setattr("pyspark_dms.commands.table_versions.glue_client", lambda: client)


def test_what_is_denied_says_what_to_allow(glue: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    deny(glue, "AccessDeniedException", monkeypatch)
    status, printed = deleted("--no-dry-run")
    assert status == 1
    assert "AWS Glue denies BatchDeleteTableVersion in database lake: because." in printed
    assert "Allow the role of this command glue:GetTables, glue:GetTableVersions and" in printed
    assert "Traceback" not in printed


def test_what_glue_refuses_is_told_in_its_words(glue: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    deny(glue, "OperationTimeoutException", monkeypatch)
    status, printed = deleted("--no-dry-run")
    assert (status, "OperationTimeoutException: because" in printed) == (1, True)


def test_a_database_that_is_not_there_is_named(glue: Any) -> None:
    status, printed = deleted("--schema", "none")
    assert status == 1
    assert "There is no Glue database none" in printed


def test_without_a_region_it_says_which_variable_names_one(
    glue: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_REGION")
    status, printed = deleted()
    assert (status, "Set AWS_REGION" in printed) == (1, True)


def test_the_packages_of_emr_have_what_asks_glue() -> None:
    locked = (REPOSITORY / "requirements/emr.lock").read_text()
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    [boto3_of_aws] = project["optional-dependencies"]["aws"]
    # The tests have it too, and of which release tests/package looks at.
    assert any("aws" in one for one in project["optional-dependencies"]["dev"])
    assert f"\n{boto3_of_aws.split('>')[0]}==" in locked
