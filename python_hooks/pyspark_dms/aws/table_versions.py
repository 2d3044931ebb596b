"""Old versions of the tables of a Glue database.

AWS Glue keeps a version of a table for each change of its definition: 100,000 of one table and
1,000,000 of an account. Publishing a version of this project changes definitions. Readers use the
newest version of Glue only, and this project reads none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark_dms.errors import DmsError

# What one call takes.
_BATCH = 100
_NOTHING_MORE = "No more versions were deleted."


@dataclass(frozen=True)
class TableVersions:
    """The versions of one table.

    Attributes:
        table: its name.
        found: how many there are.
        old: how many are more than are kept.
        errors: of those that could not be deleted, the number of each and why.
    """

    table: str
    found: int
    old: int
    errors: tuple[str, ...] = ()


def glue_client() -> Any:
    """A client of AWS Glue, with the credentials and the region of the environment.

    Raises:
        DmsError: boto3 is not installed, or no region is named.
    """
    try:
        import boto3
        from botocore.config import Config
    except ModuleNotFoundError as error:
        raise DmsError(
            "E604",
            "boto3 is not installed. Nothing was deleted. Install it with: "
            "pip install 'dms-snapshots[aws]'",
        ) from error
    # boto3 itself looks at the second only.
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if not region:
        raise DmsError(
            "E670",
            "No region of AWS is named. Nothing was deleted. Set AWS_REGION, for example "
            "to eu-central-1.",
        )
    # Glue limits the calls of an account; a call that is refused for that is made again.
    config = Config(retries={"mode": "standard", "max_attempts": 15})
    return boto3.client("glue", region_name=region, config=config)


def delete_table_versions(
    glue: Any, database: str, keep: int, dry_run: bool
) -> Iterator[TableVersions]:
    """Delete all versions of each table but the newest.

    Args:
        glue: a client of AWS Glue.
        database: the Glue database.
        keep: how many versions of a table stay; at least one, which is the table itself.
        dry_run: whether to look only.

    Raises:
        DmsError: Glue cannot be asked, or refuses.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        pages = glue.get_paginator("get_tables").paginate(DatabaseName=database)
        for table in [table["Name"] for page in pages for table in page["TableList"]]:
            numbers = _version_numbers(glue, database, table)
            old = sorted(numbers, reverse=True)[keep:]
            errors = () if dry_run else tuple(_delete(glue, database, table, old))
            yield TableVersions(table, len(numbers), len(old), errors)
    except ClientError as error:
        raise DmsError("E670", _reason(error, database)) from error
    except BotoCoreError as error:
        raise DmsError(
            "E670",
            f"AWS Glue cannot be asked: {error}. {_NOTHING_MORE} See to the credentials and the "
            "network of this machine, then give the command again.",
        ) from error


def _version_numbers(glue: Any, database: str, table: str) -> list[int]:
    pages = glue.get_paginator("get_table_versions").paginate(
        DatabaseName=database, TableName=table
    )
    try:
        return [int(one["VersionId"]) for page in pages for one in page["TableVersions"]]
    except glue.exceptions.EntityNotFoundException:
        # Dropped since the tables were listed.
        return []


def _delete(glue: Any, database: str, table: str, numbers: Sequence[int]) -> Iterator[str]:
    """Delete versions; the errors of those that are left."""
    for begin in range(0, len(numbers), _BATCH):
        versions = [str(number) for number in numbers[begin : begin + _BATCH]]
        answer = glue.batch_delete_table_version(
            DatabaseName=database, TableName=table, VersionIds=versions
        )
        for error in answer.get("Errors", []):
            detail = error.get("ErrorDetail", {})
            yield (
                f"version {error.get('VersionId')}: {detail.get('ErrorCode')}: "
                f"{detail.get('ErrorMessage')}"
            )


def _reason(error: Any, database: str) -> str:
    answer = error.response.get("Error", {})
    code = answer.get("Code")
    if code == "AccessDeniedException":
        return (
            f"AWS Glue denies {error.operation_name} in database {database}: "
            f"{answer.get('Message')}. {_NOTHING_MORE} Allow the role of this command "
            "glue:GetTables, glue:GetTableVersions and glue:BatchDeleteTableVersion on the "
            "database and its tables (RunPolicy in deploy/template.yml). Under Lake Formation, "
            "grant it ALTER on the tables too."
        )
    if code == "EntityNotFoundException":
        return (
            f"There is no Glue database {database} in this account and region. Nothing was "
            "deleted. Name another one with --schema or DMS_SCHEMA."
        )
    return (
        f"AWS Glue answered {error.operation_name} in database {database} with {code}: "
        f"{answer.get('Message')}. {_NOTHING_MORE} Give the command again later."
    )
