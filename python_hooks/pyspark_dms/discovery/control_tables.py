"""Reads what DMS says that it could not do: ``awsdms_apply_exceptions`` and the like.

These tables are not declared. DMS writes them in the form of all tables of its task, so its
first rows say what a file looks like. Columns without names are known by their places.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import pyarrow as pa
import pyarrow.parquet as pq

from pyspark_dms import stores
from pyspark_dms.discovery.found import SampleFile
from pyspark_dms.discovery.texts import read_text
from pyspark_dms.errors import DmsError
from pyspark_dms.landing.file_names import classify
from pyspark_dms.landing.strays import format_of

# The columns of DMS, in its order; in front of them may stand operation and commit time.
TABLES: Mapping[str, tuple[str, ...]] = {
    "awsdms_apply_exceptions": (
        "task_name", "table_owner", "table_name", "error_time", "statement", "error",
    ),
    "awsdms_suspended_tables": (
        "server_name", "task_name", "table_owner", "table_name", "suspend_reason",
        "suspend_timestamp",
    ),
}  # fmt: skip
_OWN_NAMES = {"suspend_reason": "error", "suspend_timestamp": "error_time"}
_FIELDS = TABLES["awsdms_apply_exceptions"]

SCHEMA = pa.schema([(name, pa.string()) for name in ("control_table", *_FIELDS, "path")])


@dataclass(frozen=True)
class ControlJob:
    """Which control tables to read.

    Attributes:
        folders: the folders that have the folders of the control tables.
        since: the first day; what is in files of earlier days is not read.
    """

    folders: tuple[str, ...]
    since: date


def parse_job(text: str) -> ControlJob:
    """Make the job from the option of the data source."""
    fields = json.loads(text)
    return ControlJob(tuple(fields["folders"]), date.fromisoformat(fields["since"]))


def read_control_tables(job: ControlJob) -> pa.RecordBatch:
    """Read the rows of all files since a day; a control table that is not there has none.

    Raises:
        DmsError: a folder is empty, or is that of one control table.
        Exception: a folder or a file cannot be read; stores, gzip and Arrow have many.
    """
    rows = []
    for folder in job.folders:
        _check_folder(folder)
        for table, names in TABLES.items():
            files = _files(f"{folder.rstrip('/')}/{table}/", job.since)
            for row in _rows(sorted(files, key=lambda file: file.order), names):
                rows.append({"control_table": table, **row})
    return pa.RecordBatch.from_pylist(rows, SCHEMA)


def _check_folder(folder: str) -> None:
    """A folder in which nothing can be found would pass for one without problems."""
    is_of_one = folder.rstrip("/").rsplit("/", 1)[-1].startswith("awsdms_")
    if is_of_one or not stores.has_objects(folder):
        what = "is the folder of one control table" if is_of_one else "is empty or not there"
        raise DmsError(
            "E213",
            f"dms_control_tables: {folder} {what}. Nothing was tested. "
            "Name the folder that has awsdms_apply_exceptions and the like.",
        )


def _files(folder: str, since: date) -> Iterator[SampleFile]:
    for page in stores.list_objects(folder):
        for stored in page:
            name = classify(stored.path)
            written = name.file_time or stored.modified_at
            if name.name_order is not None and stored.size and written.date() >= since:
                yield SampleFile(stored.path, stored.size, name.kind == "load", name.name_order)


def _rows(files: Iterable[SampleFile], names: Sequence[str]) -> list[dict[str, str]]:
    """The rows that DMS has written, with their files; those that it took back are left out."""
    rows: list[dict[str, str]] = []
    for file in files:
        for values in _records(file, names):
            op = values.pop("op", "I")
            named = {_OWN_NAMES.get(name, name): value for name, value in values.items()}
            row = {name: named.get(name, "") for name in _FIELDS}
            if op != "D":
                rows.append({**row, "path": file.path})
            elif same := [place for place, one in enumerate(rows) if one | row == one]:
                del rows[same[-1]]
    return rows


def _records(file: SampleFile, names: Sequence[str]) -> Iterator[dict[str, str]]:
    if format_of(file.path) == "parquet":
        table = pq.read_table(stores.open_for_reading(file.path, file.size))
        for row in table.to_pylist():
            yield {name.lower(): "" if one is None else str(one) for name, one in row.items()}
        return
    rows = read_text(file).rows
    header = [name.lower() for name in rows[0]] if rows else []
    if "table_name" in header:
        yield from (dict(zip(header, row, strict=False)) for row in rows[1:])
        return
    for row in rows:
        in_front = {} if file.is_load or not row else {"op": row[0]}
        if len(row) >= len(names):
            yield in_front | dict(zip(names, row[-len(names) :], strict=True))
        else:
            # Nothing is known of it, but that it is there.
            yield in_front | {"error": ", ".join(row)}
