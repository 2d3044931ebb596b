"""Moves the versions of a lake from before the version log into it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa

from pyspark_dms.errors import DmsError
from pyspark_dms.side_by_side import side_by_side
from pyspark_dms.versions import log, recorded
from pyspark_dms.versions.manifest import Manifest
from pyspark_dms.versions.metadata import SCHEMAS, read_rows
from pyspark_dms.versions.numbered import Outcome, probe

# What the rows of before did not say, or said by their partition.
_NEW = {
    "snapshot_versions": {"commit_id", "source_name", "table_name", "version"},
    "snapshot_dates": {"recorded_at"},
}


def move(job: Mapping[str, Any]) -> dict[str, Any]:
    """Write the manifests and the recorded dates of a lake to its version log.

    Doing it again has the same result, also after a part of it. Nothing of what is read is changed.

    Args:
        job: ``root`` (the folder of the version log), ``versions`` (the rows of snapshot_versions:
            ``source_name``, ``table_name``, ``version`` and ``folder`` of each) and ``dates`` (the
            folders of snapshot_dates, oldest first).

    Returns:
        By label ``moved``, the number of its versions.

    Raises:
        DmsError: a version is missing, the store does not create an object only once, or a command
            of this release has published.
    """
    root = job["root"]
    probe(root)
    tables: dict[str, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for row in job["versions"]:
        tables[f"{row['source_name']}.{row['table_name']}"][row["version"]] = row
    counts = side_by_side(lambda label: _move_table(root, label, tables[label]), tables)
    moved = dict(zip(tables, counts, strict=True))
    if not recorded.read(root).number:
        rows = [row for folder in job["dates"] for row in _rows(folder, "snapshot_dates")]
        recorded.record(root, "moved", rows)
    return {label: {"moved": count} for label, count in moved.items()}


def _move_table(root: str, label: str, rows: Mapping[int, Mapping[str, Any]]) -> int:
    if missing := [number for number in range(1, max(rows)) if number not in rows]:
        raise DmsError(
            "E425",
            f"{label}: version {missing[0]} is missing in snapshot_versions, and later ones are "
            "there. Nothing of this table was moved. Bring its partition back.",
        )
    for number, row in sorted(rows.items()):
        (manifest,) = _rows(row["folder"], "snapshot_versions")
        # The folder of its row is named after the run and the version.
        token = row["folder"].rpartition("/")[2].removesuffix(f"-{number}")
        names = {name: row[name] for name in ("source_name", "table_name", "version")}
        Manifest.from_json(manifest | names)
        if log.create(root, manifest | names, token) is not Outcome.CREATED:
            raise DmsError(
                "E401",
                f"{label}: another command has published version {number} in {root}. Nothing more "
                "was moved. Publish into a new schema (DMS_SCHEMA).",
            )
    return len(rows)


def _rows(folder: str, table: str) -> Sequence[dict[str, Any]]:
    """The rows of a folder, as a job has them."""
    schema = pa.schema([field for field in SCHEMAS[table] if field.name not in _NEW[table]])
    try:
        return [_plain(row) for row in read_rows(folder, schema).to_pylist()]
    except FileNotFoundError:
        raise DmsError(
            "E425",
            f"{folder} of {table} is gone. What is left was not moved. Bring it back, and give the "
            "command again.",
        ) from None


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    plain = {name: _said(value) for name, value in row.items()}
    for name in ("indexed_from", "indexed_through"):
        if row[name] is not None:
            plain[name] = f"{row[name].astimezone(UTC):%Y%m%dT%H%M%S%fZ}"
    if isinstance(row.get("declarations"), list):
        plain["declarations"] = dict(row["declarations"])
    return plain


def _said(value: Any) -> Any:
    """A value of Parquet, as JSON has it."""
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: _said(one) for name, one in value.items()}
    return [_said(one) for one in value] if isinstance(value, list) else value
