"""Writes the small rows of the metadata tables: one object each, and no Spark job for one row.

The tables are Parquet; SQL reads them as any other. Who may write what, and when it counts, is
told in docs/explanation/architecture.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pyspark_dms import stores
from pyspark_dms.versions.written_files import names_below

# Every folder of a metadata table holds one object of this name, so that it need not be listed.
FILE_NAME = "rows.parquet"

# Listing waits on the network more than it computes.
_LISTERS = 16

_MOMENT = pa.timestamp("us", "UTC")
_FILES = pa.list_(pa.struct([("path", pa.string()), ("etag", pa.string())]))
_SHARDS = pa.list_(
    pa.struct([("name", pa.string()), ("generation", pa.int32()), ("last_file_seq", pa.int64())])
)
_DATES = pa.list_(pa.struct([("run_date", pa.date32()), ("version", pa.int32())]))

SCHEMAS: Mapping[str, pa.Schema] = {
    "snapshot_versions": pa.schema(
        [
            ("action", pa.string()),
            ("run_date", pa.date32()),
            ("current_version", pa.int32()),
            ("restored_version", pa.int32()),
            ("base_version", pa.int32()),
            ("root", pa.string()),
            ("layout", pa.string()),
            ("fingerprint", pa.string()),
            ("declarations", pa.map_(pa.string(), pa.string())),
            ("generation", pa.int32()),
            ("last_file_seq", pa.int64()),
            ("shards", _SHARDS),
            ("indexed_from", _MOMENT),
            ("indexed_through", _MOMENT),
            (
                "partitions",
                pa.list_(
                    pa.struct(
                        [
                            ("partition", pa.string()),
                            ("location", pa.string()),
                            ("rows", pa.int64()),
                            ("files", pa.list_(pa.string())),
                        ]
                    )
                ),
            ),
            ("dates", _DATES),
            (
                "staged",
                pa.list_(
                    pa.struct(
                        [
                            ("run_date", pa.date32()),
                            ("folder", pa.string()),
                            ("report", pa.string()),
                            ("rejects", pa.string()),
                            ("fingerprint", pa.string()),
                        ]
                    )
                ),
            ),
            ("feed_location", pa.string()),
            ("feed_dates", _DATES),
            ("files", _FILES),
            ("load_files", _FILES),
            ("excluded_files", _FILES),
            ("included_files", _FILES),
            ("rows_before", pa.int64()),
            ("rows_inserted", pa.int64()),
            ("rows_updated", pa.int64()),
            ("rows_deleted", pa.int64()),
            ("rows_after", pa.int64()),
            ("run", pa.string()),
            ("started_at", _MOMENT),
            ("finished_at", _MOMENT),
        ]
    ),
    "snapshot_dates": pa.schema(
        [
            ("source_name", pa.string()),
            ("table_name", pa.string()),
            ("version", pa.int32()),
            ("dates", pa.list_(pa.date32())),
            ("indexed_from", _MOMENT),
            ("indexed_through", _MOMENT),
            ("recorded_at", _MOMENT),
        ]
    ),
    "passed_tests": pa.schema(
        [
            ("source_name", pa.string()),
            ("table_name", pa.string()),
            ("version", pa.int32()),
            ("indexed_at", _MOMENT),
            ("test", pa.string()),
            ("recorded_at", _MOMENT),
        ]
    ),
}
REPORT_SCHEMA = pa.schema([("location", pa.string()), ("row_count", pa.int64())])


@dataclass(frozen=True)
class WriteJob:
    """Rows of a metadata table, to be written to a fresh folder.

    Attributes:
        table: name of the table, a key of `SCHEMAS`.
        location: the folder.
        rows: the rows, as JSON gives them.
        folded: folders of earlier rows of the table that are written here once more, so that
            their partitions can go.
    """

    table: str
    location: str
    rows: Sequence[Mapping[str, Any]]
    folded: Sequence[str] = ()


def parse_write(table: str, location: str, rows: str, folded: str) -> WriteJob:
    """Read the options of the data source; ``rows`` and ``folded`` are JSON lists."""
    return WriteJob(table, location, json.loads(rows), json.loads(folded))


def write(job: WriteJob) -> pa.RecordBatch:
    """Write the rows as one object; returns one row of `REPORT_SCHEMA`.

    ``finished_at`` and ``recorded_at`` are filled with the present moment, and ``files`` of
    partitions that SQL has written with the names of their files.
    """
    now = datetime.now(UTC)
    schema = SCHEMAS[job.table]
    rows = [
        {field.name: _typed(row.get(field.name), field.type) for field in schema}
        | {name: now for name in ("finished_at", "recorded_at") if name in schema.names}
        for row in map(_with_files, job.rows)
    ]
    tables = [read_rows(folder, schema) for folder in job.folded]
    table = pa.concat_tables([*tables, pa.Table.from_pylist(rows, schema=schema)])
    if job.folded:
        merge = merge_dates if job.table == "snapshot_dates" else _newest_of_each_test
        table = pa.Table.from_pylist(merge(table.to_pylist()), schema=schema)
    write_rows(job.location, table)
    return pa.RecordBatch.from_pylist(
        [{"location": job.location, "row_count": table.num_rows}], schema=REPORT_SCHEMA
    )


def _with_files(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A manifest whose partitions all name their files."""

    def named(partition: Mapping[str, Any]) -> Mapping[str, Any]:
        if partition.get("files") is not None:
            return partition
        location = partition["location"]
        return {**partition, "files": names_below(location, stores.data_files(location))}

    if not row.get("partitions"):
        return row
    with ThreadPoolExecutor(_LISTERS) as listers:
        return {**row, "partitions": [*listers.map(named, row["partitions"])]}


def write_rows(folder: str, table: pa.Table) -> None:
    """Write a table as the one object of a folder."""
    with stores.open_for_writing(f"{folder}/{FILE_NAME}") as sink:
        pq.write_table(table, sink)


def read_rows(folder: str, schema: pa.Schema) -> pa.Table:
    """Read the one object of a folder.

    Raises:
        FileNotFoundError: there is none.
    """
    content = stores.read_object(f"{folder}/{FILE_NAME}")
    return pq.read_table(pa.BufferReader(content)).select(schema.names).cast(schema)


def merge_dates(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of snapshot_dates as one per version, with the dates of all of its records.

    A command of an earlier date may end later. What a version's dates have seen of the index is
    that of its last date; the row of a version that an operation made knows nothing of it.
    """
    merged: dict[tuple[str, str, int], dict[str, Any]] = {}
    in_order = sorted(
        records, key=lambda row: (max(row["dates"] or [date.min]), row["recorded_at"])
    )
    for row in in_order:
        key = (row["source_name"], row["table_name"], row["version"])
        known = merged.get(key, {"dates": []})
        seen = known if row["indexed_through"] is None and key in merged else row
        merged[key] = {
            **row,
            "dates": sorted({*known["dates"], *(row["dates"] or ())}),
            "indexed_from": seen["indexed_from"],
            "indexed_through": seen["indexed_through"],
        }
    return [*merged.values()]


def _newest_of_each_test(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Only the version that a test passed on last counts."""
    newest: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in sorted(records, key=lambda row: row["recorded_at"]):
        newest[row["source_name"], row["table_name"], row["test"]] = dict(row)
    return [*newest.values()]


def _typed(value: Any, data_type: pa.DataType) -> Any:
    """What JSON has of a value, as Arrow wants it."""
    if value is None:
        return None
    if pa.types.is_date(data_type):
        return date.fromisoformat(value)
    if pa.types.is_timestamp(data_type):
        return moment(value)
    if pa.types.is_map(data_type):
        return list(value.items())
    if pa.types.is_struct(data_type):
        return {field.name: _typed(value.get(field.name), field.type) for field in data_type}
    if pa.types.is_list(data_type):
        return [_typed(one, data_type.value_type) for one in value]
    return value


def moment(text: str) -> datetime:
    """A moment from the name of a run, such as 20201113T060000000000Z, or an ISO text in UTC."""
    if text.endswith("Z") and "-" not in text:
        return datetime.strptime(text, "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC)
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
