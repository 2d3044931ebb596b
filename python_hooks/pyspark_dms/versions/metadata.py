"""The rows of the metadata tables that are made from the version log, as Parquet has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pyspark_dms import stores
from pyspark_dms.side_by_side import side_by_side
from pyspark_dms.versions.written_files import names_below

# Every folder of a metadata table holds one object of this name, so that it need not be listed.
FILE_NAME = "rows.parquet"

_MOMENT = pa.timestamp("us", "UTC")
_FILES = pa.list_(pa.struct([("path", pa.string()), ("etag", pa.string())]))
_SHARDS = pa.list_(
    pa.struct([("name", pa.string()), ("generation", pa.int32()), ("last_file_seq", pa.int64())])
)
_DATES = pa.list_(pa.struct([("run_date", pa.date32()), ("version", pa.int32())]))

SCHEMAS: Mapping[str, pa.Schema] = {
    "snapshot_versions": pa.schema(
        [
            ("source_name", pa.string()),
            ("table_name", pa.string()),
            ("version", pa.int32()),
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
            ("commit_id", pa.string()),
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
}


def arrow_table(table: str, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows of a metadata table.

    Args:
        table: its name, a key of `SCHEMAS`.
        rows: the rows, as JSON gives them; what they lack is NULL.
    """
    schema = SCHEMAS[table]
    typed = [{field.name: _typed(row.get(field.name), field.type) for field in schema}
             for row in rows]  # fmt: skip
    return pa.Table.from_pylist(typed, schema=schema)


def with_files(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row; of a manifest with partitions that all name their files."""

    def named(partition: Mapping[str, Any]) -> Mapping[str, Any]:
        if partition.get("files") is not None:
            return partition
        location = partition["location"]
        return {**partition, "files": names_below(location, stores.data_files(location))}

    if not row.get("partitions"):
        return row
    return {**row, "partitions": side_by_side(named, row["partitions"])}


def write_rows(folder: str, schema: pa.Schema, tables: Iterable[pa.Table]) -> None:
    """Write tables of a schema, one after another, as the one object of a fresh folder."""
    with (
        stores.open_for_writing(f"{folder}/{FILE_NAME}") as sink,
        pq.ParquetWriter(sink, schema) as writer,
    ):
        for table in tables:
            writer.write_table(table)


def read_rows(folder: str, schema: pa.Schema) -> pa.Table:
    """Read the one object of a folder.

    Raises:
        FileNotFoundError: there is none.
    """
    content = stores.read_object(f"{folder}/{FILE_NAME}")
    return pq.read_table(pa.BufferReader(content)).select(schema.names).cast(schema)


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
